import Glibc

/// A new folder with a fresh name beside a path, to be renamed to the path when it is complete;
/// removed again when that does not happen, at the latest by ``Leftovers``.
package final class TemporaryDirectory {
  package let path: String
  /// Holds the lock; −1 when somebody else took it over.
  private var lock: Int32
  private var isInPlace = false

  package init(beside target: String, mode: UInt32 = 0o777) throws(SystemFailure) {
    while true {
      let path = "\(folder(of: target))/\(Leftovers.name(.folder))"
      do throws(SystemFailure) {
        try retrying { mkdir(path, mode) }
        let lock = try OwnedDescriptor(opening: path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW)
        guard Leftovers.claim(lock.number, path) else { continue }
        self.path = path
        self.lock = lock.release()
        return
      } catch {
        if error.number != EEXIST { throw error }
      }
    }
  }

  deinit {
    if !isInPlace { removeTree(path) }
    if lock >= 0 { close(lock) }
  }

  /// Puts the folder in its place; the lock stays until this value goes.
  package func rename(to target: String) throws(SystemFailure) {
    try retrying { Glibc.rename(path, target) }
    isInPlace = true
  }

  /// Hands over the descriptor that holds the lock on the folder.
  package func releaseLock() -> Int32 {
    defer { lock = -1 }
    return lock
  }
}
