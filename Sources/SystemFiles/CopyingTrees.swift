import CSystem
import Glibc

/// Copies a folder with everything in it, by the cheapest way that the file system has for each
/// file's bytes.
///
/// Files keep their permissions and time of change, links their targets; sockets, FIFOs and devices
/// are left out. Nobody may write to the folder meanwhile.
///
/// - Parameter target: Must not exist.
/// - Throws: ``FileError`` with the code `unwritable`.
package func copyTree(_ source: String, to target: String) throws(FileError) {
  do throws(SystemFailure) {
    try copy(Array(source.utf8), to: Array(target.utf8))
  } catch {
    throw FileError(.unwritable, "copy '\(source)' to", target, error)
  }
}

/// Paths are bytes: a name need not be UTF-8.
private func copy(_ source: [UInt8], to target: [UInt8]) throws(SystemFailure) {
  var status = stat()
  try onPath(source) { lstat($0, &status) }
  let permissions = mode_t(status.permissions)
  if status.isFolder {
    // Written to first, whatever its permissions will be.
    try onPath(target) { mkdir($0, 0o700) }
    for name in try names(in: source) { try copy(source + [47] + name, to: target + [47] + name) }
    try onPath(target) { chmod($0, permissions) }
  } else if status.isRegular {
    try onPath(source) { from in
      withPath(target) { carrel_copy_file(from, $0, 0o600) }
    }
    try onPath(target) { chmod($0, permissions) }
  } else if status.isLink {
    let link = try linkTarget(of: source, in: AT_FDCWD)
    try onPath(target) { path in withPath(link) { symlink($0, path) } }
  } else {
    return
  }
  let times = [status.st_mtim, status.st_mtim]
  try onPath(target) { utimensat(AT_FDCWD, $0, times, AT_SYMLINK_NOFOLLOW) }
}

private func names(in folder: [UInt8]) throws(SystemFailure) -> [[UInt8]] {
  let descriptor = try withPath(folder) { (path) throws(SystemFailure) in
    OwnedDescriptor(try retrying { open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC) })
  }
  return try listFolder(descriptor.number)
}

private func onPath(
  _ path: [UInt8], _ body: (UnsafePointer<CChar>) -> Int32
) throws(SystemFailure) {
  try withPath(path) { (pointer) throws(SystemFailure) in
    _ = try retrying { body(pointer) }
  }
}
