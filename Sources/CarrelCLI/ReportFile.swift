import Glibc
import SystemFiles
import Workers

/// Writes a report so that under its name there is either all of it or nothing.
enum ReportFile {
  /// Makes missing folders. A path that is no regular file, such as a pipe, is written to directly;
  /// one that leads to this process's own output, such as `/dev/stdout`, is written through that
  /// output, after what was printed so far. A link keeps leading to the report.
  ///
  /// - Parameter outputs: This process's outputs.
  /// - Throws: ``CommandError`` with exit code `notWritten`.
  static func write(_ bytes: [UInt8], to path: String, outputs: [Terminal] = []) throws {
    func fail(_ reason: String) -> CommandError {
      CommandError(.notWritten, "cannot write \(path): \(reason)")
    }
    var info = stat()
    let exists = stat(path, &info) == 0
    if exists, info.st_mode & S_IFMT == S_IFDIR {
      throw fail("there is a folder of that name")
    }
    if exists, let output = outputs.first(where: { isFile($0.descriptor, info) }) {
      output.write(bytes)
      if let error = output.flush() { throw fail(errorText(error)) }
      return
    }
    if exists, info.st_mode & S_IFMT != S_IFREG {
      // Opening a pipe that nobody reads would last until somebody does.
      try put(bytes, into: path, flags: O_WRONLY | O_NONBLOCK | O_NOCTTY) { reason in
        fail(reason == errorText(ENXIO) ? "no process reads from there" : reason)
      }
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
    if let error = bytes.withUnsafeBytes({ writeFully($0, to: descriptor) }) {
      close(descriptor)
      throw failure(errorText(error))
    }
    guard close(descriptor) == 0 else { throw failure(errorText(errno)) }
  }
}
