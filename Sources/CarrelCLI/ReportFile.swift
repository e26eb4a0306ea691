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
    if exists, info.isFolder {
      throw fail("there is a folder of that name")
    }
    if exists, let output = outputs.first(where: { isFile($0.descriptor, info) }) {
      output.write(bytes)
      if let error = output.flush() { throw fail(errorText(error)) }
      return
    }
    if exists, !info.isRegular {
      // Opening a pipe that nobody reads would last until somebody does.
      try put(bytes, into: path, flags: O_WRONLY | O_NONBLOCK | O_NOCTTY) { reason in
        fail(reason == errorText(ENXIO) ? "no process reads from there" : reason)
      }
      return
    }
    let target = exists ? existingPath(path) ?? path : path
    do throws(FileError) {
      let folder = folder(of: target)
      try makeFolders(folder)
      Leftovers.remove(in: folder)
      try writeFileAtomically(bytes, to: target)
    } catch {
      throw fail(errorText(error.errorNumber))
    }
  }

  private static func isFile(_ descriptor: Int32, _ info: stat) -> Bool {
    var own = stat()
    return fstat(descriptor, &own) == 0 && own.identity == info.identity
  }

  private static func put(
    _ bytes: [UInt8], into path: String, flags: Int32, failure: (String) -> CommandError
  ) throws {
    do throws(SystemFailure) {
      let file = try OwnedDescriptor(opening: path, flags)
      try writeAll(bytes, to: file.number)
    } catch {
      throw failure("\(error)")
    }
  }
}
