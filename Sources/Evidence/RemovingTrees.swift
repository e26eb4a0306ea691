import Glibc

/// Removes a folder and everything below it, also folders without permissions and trees that are
/// deeper than a path can be; links are removed, not followed. Nothing to remove is no error.
///
/// - Throws: ``EvidenceError`` with the code `unwritable`.
package func removeTree(_ path: String) throws {
  do {
    let parent = try OwnedDescriptor(opening: folder(of: path), O_RDONLY | O_DIRECTORY)
    let name = Array(lastComponent(of: path).utf8)
    if try unlinked(name, in: parent.number) { return }
    withPath(name) { _ = fchmodat(parent.number, $0, 0o700, 0) }
    let root = try OwnedDescriptor(at: parent.number, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW)
    try emptyFolder(root.number)
    try withPath(name) { (pointer) throws(SystemFailure) in
      _ = try retrying { unlinkat(parent.number, pointer, AT_REMOVEDIR) }
    }
  } catch {
    if error.number == ENOENT { return }
    throw EvidenceError.system(.unwritable, "remove", path: path, errno: error.number)
  }
}

/// Removes everything in an open folder.
///
/// Folders further down are moved to the top before they are emptied in turn, so neither the depth
/// of the tree nor the number of open files matters.
func emptyFolder(_ root: Int32) throws(SystemFailure) {
  var pending: [[UInt8]] = []
  for name in try listFolder(root) where try !unlinked(name, in: root) { pending.append(name) }
  while let name = pending.popLast() {
    withPath(name) { _ = fchmodat(root, $0, 0o700, 0) }
    let folder = try OwnedDescriptor(at: root, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW)
    for child in try listFolder(folder.number) where try !unlinked(child, in: folder.number) {
      // A folder must be writable to be moved, because its `..` changes.
      withPath(child) { _ = fchmodat(folder.number, $0, 0o700, 0) }
      let moved = Array(".carrel-removed-\(randomText(16))".utf8)
      try withPath(child) { (from) throws(SystemFailure) in
        try withPath(moved) { (to) throws(SystemFailure) in
          _ = try retrying { renameat(folder.number, from, root, to) }
        }
      }
      pending.append(moved)
    }
    try withPath(name) { (pointer) throws(SystemFailure) in
      _ = try retrying { unlinkat(root, pointer, AT_REMOVEDIR) }
    }
  }
}

/// Removes a name that is no folder; `false` when it is one.
private func unlinked(_ name: [UInt8], in folder: Int32) throws(SystemFailure) -> Bool {
  guard try status(of: name, in: folder).kind != S_IFDIR else { return false }
  try withPath(name) { (pointer) throws(SystemFailure) in
    _ = try retrying { unlinkat(folder, pointer, 0) }
  }
  return true
}
