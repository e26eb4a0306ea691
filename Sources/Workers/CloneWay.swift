import CSystem
import Glibc
package import SystemFiles

/// How containers come to have what a template has, the cheapest first; see
/// docs/decisions/0013-container-clones.md.
package enum CloneWay: String, Codable, CaseIterable, Sendable {
  /// The template is seen through an overlay in the sandbox of each batch.
  case overlay
  /// Files are copied and share their blocks until they are written to.
  case reflink
  /// Files are copied.
  case copy

  /// Finds out with real files why files of a folder cannot share blocks; `nil` when they can.
  package static func reflinkProblem(in folder: String) -> SystemFailure? {
    let (from, to) = ("\(folder)/reflink-check", "\(folder)/reflink-check-2")
    defer {
      unlink(from)
      unlink(to)
    }
    do throws(FileError) {
      try writeSmallFile(from, [UInt8](repeating: 1, count: 1 << 16))
    } catch {
      return SystemFailure(error.errorNumber)
    }
    let isShared = carrel_copy_file(from, to, 0o600, true) == 0
    return isShared ? nil : SystemFailure(errno)
  }
}
