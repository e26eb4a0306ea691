import Glibc
import Workers

/// Writes a report so that under its name there is either all of it or nothing.
enum ReportFile {
  /// Makes missing folders. A path that is no regular file, such as `/dev/stdout`, is written to
  /// directly.
  ///
  /// - Throws: ``CommandError`` with exit code `notWritten`.
  static func write(_ bytes: [UInt8], to path: String) throws {
    func fail(_ reason: String) -> CommandError {
      CommandError(.notWritten, "cannot write \(path): \(reason)")
    }
    var info = stat()
    let exists = stat(path, &info) == 0
    if exists, info.st_mode & S_IFMT == S_IFDIR {
      throw fail("there is a folder of that name")
    }
    if exists, info.st_mode & S_IFMT != S_IFREG {
      try put(bytes, into: path, flags: O_WRONLY, failure: fail)
      return
    }
    if let slash = path.lastIndex(of: "/"), slash != path.startIndex {
      do {
        try makeFolders(String(path[..<slash]))
      } catch {
        throw fail(errorText(error.errorNumber))
      }
    }
    let temporary = "\(path).\(getpid()).part"
    do {
      try put(bytes, into: temporary, flags: O_WRONLY | O_CREAT | O_TRUNC, failure: fail)
    } catch {
      unlink(temporary)
      throw error
    }
    guard rename(temporary, path) == 0 else {
      let reason = errorText(errno)
      unlink(temporary)
      throw fail(reason)
    }
  }

  private static func put(
    _ bytes: [UInt8], into path: String, flags: Int32, failure: (String) -> CommandError
  ) throws {
    let descriptor = open(path, flags | O_CLOEXEC, 0o644)
    guard descriptor >= 0 else { throw failure(errorText(errno)) }
    var done = 0
    while done < bytes.count {
      let count = bytes[done...].withUnsafeBytes {
        Glibc.write(descriptor, $0.baseAddress, $0.count)
      }
      if count < 0 && errno == EINTR { continue }
      guard count > 0 else {
        let reason = errorText(errno)
        close(descriptor)
        throw failure(reason)
      }
      done += count
    }
    guard close(descriptor) == 0 else { throw failure(errorText(errno)) }
  }
}
