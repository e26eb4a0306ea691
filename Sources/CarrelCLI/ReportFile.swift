import Glibc
import Workers

/// Writes a report so that under its name there is either all of it or nothing.
enum ReportFile {
  /// Makes missing folders. A path that is no regular file, such as a pipe, is written to directly;
  /// one that leads to this process's own output, such as `/dev/stdout`, is written through that
  /// output, after what was printed so far. A link keeps leading to the report.
  ///
  /// - Parameter outputs: Descriptors of this process's outputs.
  /// - Throws: ``CommandError`` with exit code `notWritten`.
  static func write(_ bytes: [UInt8], to path: String, outputs: [Int32] = [1, 2]) throws {
    func fail(_ reason: String) -> CommandError {
      CommandError(.notWritten, "cannot write \(path): \(reason)")
    }
    var info = stat()
    let exists = stat(path, &info) == 0
    if exists, info.st_mode & S_IFMT == S_IFDIR {
      throw fail("there is a folder of that name")
    }
    if exists, let output = outputs.first(where: { isFile($0, info) }) {
      if let error = put(bytes, into: output) { throw fail(errorText(error)) }
      return
    }
    if exists, info.st_mode & S_IFMT != S_IFREG {
      try put(bytes, into: path, flags: O_WRONLY, failure: fail)
      return
    }
    let target = exists ? resolved(path) : path
    if let slash = target.lastIndex(of: "/"), slash != target.startIndex {
      do {
        try makeFolders(String(target[..<slash]))
      } catch {
        throw fail(errorText(error.errorNumber))
      }
    }
    let temporary = "\(target).\(getpid()).part"
    do {
      try put(bytes, into: temporary, flags: O_WRONLY | O_CREAT | O_TRUNC, failure: fail)
    } catch {
      unlink(temporary)
      throw error
    }
    guard rename(temporary, target) == 0 else {
      let reason = errorText(errno)
      unlink(temporary)
      throw fail(reason)
    }
  }

  private static func isFile(_ descriptor: Int32, _ info: stat) -> Bool {
    var own = stat()
    return fstat(descriptor, &own) == 0 && own.st_dev == info.st_dev && own.st_ino == info.st_ino
  }

  private static func resolved(_ path: String) -> String {
    guard let pointer = realpath(path, nil) else { return path }
    defer { free(pointer) }
    return String(cString: pointer)
  }

  private static func put(
    _ bytes: [UInt8], into path: String, flags: Int32, failure: (String) -> CommandError
  ) throws {
    let descriptor = open(path, flags | O_CLOEXEC, 0o644)
    guard descriptor >= 0 else { throw failure(errorText(errno)) }
    if let error = put(bytes, into: descriptor) {
      close(descriptor)
      throw failure(errorText(error))
    }
    guard close(descriptor) == 0 else { throw failure(errorText(errno)) }
  }

  /// - Returns: The value of `errno` when not all could be written.
  private static func put(_ bytes: [UInt8], into descriptor: Int32) -> Int32? {
    var done = 0
    while done < bytes.count {
      let count = bytes[done...].withUnsafeBytes {
        Glibc.write(descriptor, $0.baseAddress, $0.count)
      }
      if count < 0 && errno == EINTR { continue }
      if count < 0 && errno == EAGAIN {
        var wait = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        poll(&wait, 1, -1)
        continue
      }
      guard count > 0 else { return errno }
      done += count
    }
    return nil
  }
}
