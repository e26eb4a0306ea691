package import Glibc

/// A new file with a fresh name in the folder of a path, to be renamed to the path when it is
/// complete; removed again when that does not happen, at the latest by ``Leftovers``.
package struct TemporaryFile: ~Copyable {
  package let descriptor: Int32
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
        descriptor = file.release()
        return
      } catch {
        if error.number != EEXIST { throw error }
      }
    }
  }

  deinit {
    close(descriptor)
    if !isInPlace { unlink(name) }
  }

  package func status() throws(SystemFailure) -> stat {
    var result = stat()
    try retrying { fstat(descriptor, &result) }
    return result
  }

  package mutating func rename(to path: String) throws(SystemFailure) {
    let name = name
    try retrying { Glibc.rename(name, path) }
    isInPlace = true
  }
}
