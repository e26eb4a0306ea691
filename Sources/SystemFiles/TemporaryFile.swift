package import Glibc

/// A new file with a fresh name in the folder of a path, to be renamed to the path when it is
/// complete; removed again when that does not happen, at the latest by ``Leftovers``.
package struct TemporaryFile: ~Copyable {
  private let file: OwnedDescriptor
  package let name: String
  private var isInPlace = false

  package init(beside path: String, mode: mode_t = 0o644) throws(SystemFailure) {
    while true {
      let name = "\(folder(of: path))/\(Leftovers.name(.file))"
      do throws(SystemFailure) {
        let file = try OwnedDescriptor(
          opening: name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, mode: mode)
        guard Leftovers.claim(file.number, name) else { continue }
        self.name = name
        self.file = file
        return
      } catch {
        if error.number != EEXIST { throw error }
      }
    }
  }

  deinit {
    if !isInPlace { unlink(name) }
  }

  package var descriptor: Int32 { file.number }

  package func status() throws(SystemFailure) -> stat { try file.status() }

  /// Puts the file in its place, where it replaces what is there.
  package mutating func rename(to path: String) throws(SystemFailure) {
    // Some file systems say only when a descriptor is closed that they had no room; see close(2).
    let copy = try retrying { fcntl(file.number, F_DUPFD_CLOEXEC, 0) }
    guard close(copy) == 0 else { throw SystemFailure(errno) }
    let name = name
    try retrying { Glibc.rename(name, path) }
    isInPlace = true
  }
}
