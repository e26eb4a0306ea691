import CSystem
import Glibc

/// How files get into a copy of a folder.
package enum FileTransfer: Sendable {
  /// By the cheapest way that the file system has for each file's bytes.
  case copy
  /// As further names of the same files, which nobody may write to any more; copied where that
  /// cannot be.
  case link
}

/// Copies a folder with everything in it.
///
/// Files keep their permissions and time of change, links their targets; sockets, FIFOs and devices
/// are left out. Nobody may write to the folder meanwhile.
///
/// - Parameter target: Must not exist.
/// - Throws: ``FileError`` with the code `unwritable`.
package func copyTree(
  _ source: String, to target: String, by transfer: FileTransfer = .copy
) throws(FileError) {
  do throws(SystemFailure) {
    try copyEntry(Array(source.utf8), to: Array(target.utf8), by: transfer)
  } catch {
    throw FileError(.unwritable, "copy '\(source)' to", target, error)
  }
}

/// Copies what lies at a path as ``copyTree(_:to:by:)`` does. Paths are bytes: a name need not be
/// UTF-8.
func copyEntry(
  _ source: [UInt8], to target: [UInt8], by transfer: FileTransfer
) throws(SystemFailure) {
  let status = try status(of: source)
  if status.isFolder {
    // Written to first, whatever its permissions will be.
    try onPath(target) { mkdir($0, 0o700) }
    for name in try names(in: source) {
      try copyEntry(source + [47] + name, to: target + [47] + name, by: transfer)
    }
  } else if status.isRegular {
    if transfer == .link, withPath(source, { from in withPath(target) { link(from, $0) } }) == 0 {
      return
    }
    try onPath(source) { from in withPath(target) { carrel_copy_file(from, $0, 0o600, false) } }
  } else if status.isLink {
    let link = try linkTarget(of: source, in: AT_FDCWD)
    try onPath(target) { path in withPath(link) { symlink($0, path) } }
  } else {
    return
  }
  try setAttributes(of: target, as: status)
}

/// Gives a file or folder the permissions and the time of change of another one.
///
/// - Throws: ``FileError`` with the code `unwritable`.
package func copyAttributes(of source: String, to target: String) throws(FileError) {
  do throws(SystemFailure) {
    try setAttributes(of: Array(target.utf8), as: try status(of: Array(source.utf8)))
  } catch {
    throw FileError(.unwritable, "set the attributes of", target, error)
  }
}

/// Removes the sockets, FIFOs and devices below a folder, which are in no copy of it.
///
/// - Throws: ``FileError`` with the code `unwritable`.
package func removeSpecialFiles(_ path: String) throws(FileError) {
  func clean(_ folder: [UInt8]) throws(SystemFailure) {
    for name in try names(in: folder) {
      let path = folder + [47] + name
      let status = try status(of: path)
      if status.isFolder {
        try clean(path)
      } else if !status.isRegular && !status.isLink {
        try onPath(path) { unlink($0) }
      }
    }
  }
  do throws(SystemFailure) {
    try clean(Array(path.utf8))
  } catch {
    throw FileError(.unwritable, "clean", path, error)
  }
}

/// Gives a file, link or folder permissions and time of change of another one.
func setAttributes(of path: [UInt8], as status: stat) throws(SystemFailure) {
  if !status.isLink { try onPath(path) { chmod($0, mode_t(status.permissions)) } }
  let times = [status.st_mtim, status.st_mtim]
  try onPath(path) { utimensat(AT_FDCWD, $0, times, AT_SYMLINK_NOFOLLOW) }
}

/// What lies at a path; a link itself, not what it leads to.
func status(of path: [UInt8]) throws(SystemFailure) -> stat {
  var status = stat()
  try onPath(path) { lstat($0, &status) }
  return status
}

/// The names in a folder, in the order the file system gives them.
func names(in folder: [UInt8]) throws(SystemFailure) -> [[UInt8]] {
  let descriptor = try withPath(folder) { (path) throws(SystemFailure) in
    OwnedDescriptor(try retrying { open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC) })
  }
  return try listFolder(descriptor.number)
}

func onPath(
  _ path: [UInt8], _ body: (UnsafePointer<CChar>) -> Int32
) throws(SystemFailure) {
  try withPath(path) { (pointer) throws(SystemFailure) in
    _ = try retrying { body(pointer) }
  }
}
