import Glibc

/// The folder of one run that holds the containers of its batches.
///
/// It has a short path (`/tmp/carrel-UID/XXXXXX`), so that sockets in it fit into the 107 bytes of
/// `sun_path` (unix(7)), belongs to the user alone, and is locked as long as the run lives: what a
/// killed run left is removed by the next one.
package final class WorkRoot {
  /// Absolute path.
  package let path: String
  private let lock: Int32
  private var retired = 0

  /// - Parameter base: The folder for the folders of all runs of all users; `nil` for `/tmp`.
  /// - Throws: ``WorkersError`` with code `container`.
  package init(base: String? = nil) throws(WorkersError) {
    let user = "\(base ?? "/tmp")/carrel-\(getuid())"
    if let base { try makeFolders(base) }
    _ = mkdir(user, 0o700)
    var info = stat()
    guard lstat(user, &info) == 0, info.st_mode & S_IFMT == S_IFDIR, info.st_uid == getuid(),
      info.st_mode & 0o077 == 0
    else {
      throw WorkersError(
        .container, "\(user) is not a private folder of this user; remove it or set CARREL_WORK_DIR")
    }
    Self.removeStale(in: user)
    var name = Array("\(user)/XXXXXX".utf8CString)
    guard mkdtemp(&name) != nil else {
      throw WorkersError(.container, "cannot make a folder in \(user)", errorNumber: errno)
    }
    path = name.withUnsafeBufferPointer { $0.baseAddress.map { String(cString: $0) } ?? user }
    lock = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    _ = flock(lock, LOCK_EX | LOCK_NB)
  }

  deinit {
    removeTree(path)
    close(lock)
  }

  /// Where the container of a worker's current batch lies.
  package func container(worker: Int) -> Container { Container(root: "\(path)/w\(worker)") }

  /// Moves a container out of the way of the worker's next batch.
  ///
  /// - Returns: Its new path; removing it is the caller's task.
  package func retire(_ container: Container) -> String {
    retired += 1
    let target = "\(path)/done-\(retired)"
    return rename(container.root, target) == 0 ? target : container.root
  }

  /// Removes the folders of runs that do not live any more: those that nobody has locked.
  ///
  /// A folder is locked right after it was made; one younger than a minute is left alone.
  private static func removeStale(in user: String) {
    for name in ProcessTable.folderEntries(user) ?? [] {
      let folder = "\(user)/\(name)"
      var info = stat()
      guard lstat(folder, &info) == 0, Double(info.st_mtim.tv_sec) < wallClockSeconds() - 60
      else { continue }
      let descriptor = open(folder, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
      guard descriptor >= 0 else { continue }
      if flock(descriptor, LOCK_EX | LOCK_NB) == 0 { removeTree(folder) }
      close(descriptor)
    }
  }
}
