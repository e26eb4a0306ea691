import Glibc
import SystemFiles

extension WorkRoot {
  /// Says why nothing that shall last may be written to a path.
  ///
  /// - Parameter base: As in ``init(base:)``.
  /// - Throws: ``WorkersError`` with code `container` when it leads into the folder of the user's
  ///   runs, which are removed with everything in them.
  package static func checkLasting(_ path: String, base: String?) throws(WorkersError) {
    let user = userFolder(base: base)
    guard let root = resolvedPath(user), let target = resolvedPath(path),
      target == root || target.hasPrefix(root + "/")
    else { return }
    throw WorkersError(
      .container, "'\(path)' lies in '\(user)', where Carrel keeps containers and removes them",
      context: ["path": path], advice: "choose a folder outside of it")
  }

  /// Removes the folders of runs that do not live any more, and nothing else that may lie there.
  static func removeStale(in user: String) {
    Leftovers.remove(in: user)
    for name in folderEntries(user) ?? [] where name.utf8.count == nameLength {
      let folder = "\(user)/\(name)"
      var info = stat()
      guard lstat("\(folder)/\(marker)", &info) == 0, info.isRegular, info.st_uid == getuid(),
        let descriptor = try? OwnedDescriptor(
          opening: folder, O_RDONLY | O_DIRECTORY | O_NOFOLLOW),
        flock(descriptor.number, LOCK_EX | LOCK_NB) == 0
      else { continue }
      remove(folder)
    }
  }

  /// Removes the folder of a run, the marker last, so that a later run knows what could not go yet.
  static func remove(_ folder: String) {
    var isEmpty = true
    for name in folderEntries(folder) ?? [] where name != marker {
      if removeTree("\(folder)/\(name)") != nil { isEmpty = false }
    }
    if isEmpty { removeTree(folder) }
  }
}
