import Glibc
import SystemFiles

/// Appends lines to a run's journal of calls, one write(2) each; the file appears with the first.
package final class JournalFile {
  private let path: String
  private var descriptor: Int32 = -1

  package init(path: String) { self.path = path }

  deinit { if descriptor >= 0 { close(descriptor) } }

  /// - Parameter line: With its newline.
  /// - Throws: ``EvidenceError`` with the code `unwritable`; a line that was written in part is
  ///   taken back.
  package func append(_ line: [UInt8]) throws {
    do throws(SystemFailure) {
      if descriptor < 0 {
        let file = try OwnedDescriptor(
          opening: path, O_WRONLY | O_CREAT | O_APPEND | O_NOFOLLOW)
        descriptor = file.release()
      }
      try appendWhole(line, to: descriptor)
    } catch {
      throw EvidenceError.system(.unwritable, "write", path: path, errno: error.number)
    }
  }
}
