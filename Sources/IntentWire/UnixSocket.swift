import Glibc

/// Sockets of the UNIX domain (unix(7)).
///
/// An address has room for 107 bytes; a socket with a longer path is reached through its folder's
/// descriptor in `/proc/self/fd`.
public enum UnixSocket {
  /// Bytes that an address has for a path, without its zero byte.
  public static let maximumPathLength = 107

  /// Connects to a socket.
  ///
  /// - Returns: A descriptor that is closed on exec.
  /// - Throws: ``WireError`` with the code `systemUnreachable`.
  public static func connect(to path: String) throws(WireError) -> Int32 {
    let descriptor = try make()
    let result = withAddress(path) { Glibc.connect(descriptor, $0, $1) }
    guard result == 0 else {
      let reason = String(cString: strerror(errno))
      close(descriptor)
      throw WireError(.systemUnreachable, "cannot connect to \(path): \(reason)")
    }
    return descriptor
  }

  /// Makes a socket that others can connect to.
  ///
  /// - Returns: A descriptor that is closed on exec and does not block.
  /// - Throws: ``WireError`` with the code `systemUnreachable`, also when something has the path.
  public static func listen(at path: String) throws(WireError) -> Int32 {
    let descriptor = try make()
    guard withAddress(path, { bind(descriptor, $0, $1) }) == 0, Glibc.listen(descriptor, 64) == 0
    else {
      let reason = String(cString: strerror(errno))
      close(descriptor)
      throw WireError(.systemUnreachable, "cannot listen at \(path): \(reason)")
    }
    _ = fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) | O_NONBLOCK)
    return descriptor
  }

  private static func make() throws(WireError) -> Int32 {
    let kind = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
    let descriptor = socket(AF_UNIX, kind, 0)
    guard descriptor >= 0 else {
      throw WireError(
        .systemUnreachable, "cannot make a socket: \(String(cString: strerror(errno)))")
    }
    return descriptor
  }

  /// - Returns: What the body does; −1 with `errno` when the folder cannot be opened.
  private static func withAddress(
    _ path: String, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Int32
  ) -> Int32 {
    guard path.utf8.count > maximumPathLength, let slash = path.lastIndex(of: "/") else {
      return withShortAddress(path, body)
    }
    let folder = open(String(path[..<slash]), O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard folder >= 0 else { return -1 }
    let result = withShortAddress("/proc/self/fd/\(folder)\(path[slash...])", body)
    let number = errno
    close(folder)
    errno = number
    return result
  }

  private static func withShortAddress(
    _ path: String, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Int32
  ) -> Int32 {
    guard path.utf8.count <= maximumPathLength else {
      errno = ENAMETOOLONG
      return -1
    }
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
    return withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        body($0, socklen_t(MemoryLayout<sockaddr_un>.size))
      }
    }
  }
}
