import Glibc
import RunModel
import SystemFiles

extension ProcessTable {
  /// Numbers of the sockets and pipes that a process has open (proc_pid_fd(5)); none when its
  /// descriptors cannot be read.
  static func openEnds(of pid: Int32) -> (sockets: Set<UInt64>, pipes: Set<UInt64>) {
    var sockets: Set<UInt64> = []
    var pipes: Set<UInt64> = []
    for name in folderEntries("/proc/\(pid)/fd") ?? [] {
      let link = linkText("/proc/\(pid)/fd/\(name)")
      if let number = inode(in: link, after: "socket:[") { sockets.insert(number) }
      if let number = inode(in: link, after: "pipe:[") { pipes.insert(number) }
    }
    return (sockets, pipes)
  }

  /// The name of a process's network namespace (namespaces(7)); empty when it cannot be read.
  static func networkNamespace(of pid: Int32) -> String { linkText("/proc/\(pid)/ns/net") }

  /// The inode of a pipe or socket; `nil` for a descriptor that is something else.
  static func inode(ofDescriptor file: Int, of pid: Int32, after prefix: String) -> UInt64? {
    inode(in: linkText("/proc/\(pid)/fd/\(file)"), after: prefix)
  }

  private static func linkText(_ path: String) -> String {
    var buffer = [CChar](repeating: 0, count: 64)
    let count = readlink(path, &buffer, buffer.count)
    return String(
      decoding: buffer.prefix(max(count, 0)).lazy.map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  private static func inode(in link: String, after prefix: String) -> UInt64? {
    guard link.hasPrefix(prefix), link.hasSuffix("]") else { return nil }
    return UInt64(link.dropFirst(prefix.utf8.count).dropLast())
  }
}

/// The sockets of a network namespace at which somebody can be reached (proc_pid_net(5)).
package struct ListeningSockets {
  private var byInode: [UInt64: LeakedProcess.Socket] = [:]

  /// - Parameter pid: A process of the namespace.
  init(networkOf pid: Int32) {
    for name in ["tcp", "tcp6"] { readInternet(name, of: pid, kind: .tcp) }
    for name in ["udp", "udp6"] { readInternet(name, of: pid, kind: .udp) }
    readUnix(of: pid)
  }

  /// Whether a TCP socket of this process's network takes connections at a port.
  package static func someoneListens(onPort port: UInt16) -> Bool {
    let sockets = ListeningSockets(networkOf: getpid())
    return sockets.byInode.values.contains {
      $0.kind == .tcp && $0.address.hasSuffix(":\(port)")
    }
  }

  /// Those among the given ones, sorted.
  func among(_ inodes: Set<UInt64>) -> [LeakedProcess.Socket] {
    inodes.compactMap { byInode[$0] }.sorted {
      ($0.kind.rawValue, $0.address) < ($1.kind.rawValue, $1.address)
    }
  }

  private static func lines(_ name: String, of pid: Int32) -> ArraySlice<ArraySlice<UInt8>> {
    (readSmallFile("/proc/\(pid)/net/\(name)") ?? []).split(separator: UInt8(ascii: "\n"))
      .dropFirst()
  }

  private mutating func readInternet(
    _ name: String, of pid: Int32, kind: LeakedProcess.Socket.Kind
  ) {
    // TCP_LISTEN, and TCP_CLOSE, which for UDP is a socket that takes from everybody.
    let wanted = kind == .tcp ? "0A" : "07"
    for line in Self.lines(name, of: pid) {
      let fields = line.split(separator: UInt8(ascii: " "), maxSplits: 10).map {
        String(decoding: $0, as: UTF8.self)
      }
      guard fields.count > 9, fields[3] == wanted, let inode = UInt64(fields[9]),
        let address = Self.address(fields[1])
      else { continue }
      byInode[inode] = LeakedProcess.Socket(kind: kind, address: address)
    }
  }

  /// `0100007F:1F90` as `127.0.0.1:8080`: words of four bytes in the order of the machine, and the
  /// port.
  static func address(_ field: String) -> String? {
    let parts = field.split(separator: ":")
    guard parts.count == 2, let port = UInt16(parts[1], radix: 16), port > 0 else { return nil }
    let digits = Array(parts[0])
    let words = stride(from: 0, to: digits.count, by: 8).compactMap {
      UInt32(String(digits[$0..<min($0 + 8, digits.count)]), radix: 16)
    }
    let family = words.count == 1 ? AF_INET : AF_INET6
    guard words.count * 8 == digits.count, words.count == 1 || words.count == 4 else { return nil }
    var text = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
    guard inet_ntop(family, words, &text, socklen_t(text.count)) != nil else { return nil }
    let name = String(
      decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    return family == AF_INET ? "\(name):\(port)" : "[\(name)]:\(port)"
  }

  private mutating func readUnix(of pid: Int32) {
    for line in Self.lines("unix", of: pid) {
      let fields = line.split(separator: UInt8(ascii: " "), maxSplits: 7)
      guard fields.count == 8,
        let flags = UInt32(String(decoding: fields[3], as: UTF8.self), radix: 16),
        let inode = UInt64(String(decoding: fields[6].prefix { $0 != 32 }, as: UTF8.self))
      else { continue }
      // __SO_ACCEPTCON, or a datagram socket, which takes from everybody when it has a name.
      let isDatagram = fields[4].elementsEqual("0002".utf8)
      guard flags & 0x10000 != 0 || isDatagram else { continue }
      byInode[inode] = LeakedProcess.Socket(
        kind: .unix, address: String(decoding: fields[7], as: UTF8.self))
    }
  }
}
