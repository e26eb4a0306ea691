import Glibc

/// The folder of one run that holds the containers of its batches.
///
/// It has a short path (`/tmp/carrel-UID/XXXXXX`), so that sockets in it fit into the 107 bytes of
/// `sun_path` (unix(7)), belongs to the user alone, and is locked as long as the run lives: what a
/// killed run left is removed by the next one.
package final class WorkRoot {
  /// Absolute path.
  package let path: String
  private var lock: Int32
  /// The template of the containers' index, which stays when a test removes its file.
  private var template: Int32 = -1
  private var retired = 0
  private var fingerprints: [Container: Container.Fingerprint] = [:]

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
        .container, "\(user) is not a private folder of this user; remove it or set CARREL_WORK_DIR"
      )
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
    if template >= 0 { close(template) }
  }

  /// Makes the folder again if a test has removed it: nothing keeps a test from doing that, and the
  /// tests after it are not to blame.
  private func restore() throws(WorkersError) {
    guard access(path, F_OK) != 0 else { return }
    fingerprints = [:]
    let user = String(path[..<(path.lastIndex(of: "/") ?? path.startIndex)])
    guard mkdir(user, 0o700) == 0 || errno == EEXIST, mkdir(path, 0o700) == 0 else {
      throw WorkersError(.container, "cannot make \(path) again", errorNumber: errno)
    }
    close(lock)
    lock = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    _ = flock(lock, LOCK_EX | LOCK_NB)
  }

  /// Where the container of a worker's current batch lies.
  package func container(worker: Int) -> Container { Container(root: "\(path)/w\(worker)") }

  /// Gives a worker a fresh container for its next batch.
  ///
  /// A container that the batch before left exactly as it was made is as fresh as a new one, and is
  /// kept: making and removing a dozen folders for each of a thousand processes costs more than the
  /// rest of starting them (docs/decisions/0003-fresh-containers.md).
  ///
  /// - Parameter indexTemplate: Path of an empty index.
  /// - Throws: ``WorkersError`` with code `container`.
  package func prepare(worker: Int, indexTemplate: String) throws(WorkersError) -> Container {
    let container = container(worker: worker)
    if let known = fingerprints[container], container.fingerprint() == known { return container }
    try restore()
    fingerprints[container] = nil
    if access(container.root, F_OK) == 0 { removeTree(container.root) }
    if template < 0 { template = open(indexTemplate, O_RDONLY | O_CLOEXEC) }
    try container.create(
      indexTemplate: template < 0 ? indexTemplate : "/proc/self/fd/\(template)")
    fingerprints[container] = container.fingerprint()
    return container
  }

  /// Whether nobody has touched a worker's container since it was prepared.
  package func isUntouched(worker: Int) -> Bool {
    let container = container(worker: worker)
    guard let known = fingerprints[container] else { return false }
    return container.fingerprint() == known
  }

  /// Takes a container from its worker after a batch.
  ///
  /// - Parameter keepsFiles: Whether its files are still needed.
  /// - Returns: Its new path, when it has files that the caller must remove; `nil` when it can be
  ///   given to the next batch.
  package func retire(_ container: Container, keepsFiles: Bool) -> String? {
    if !keepsFiles, let known = fingerprints[container], container.fingerprint() == known {
      return nil
    }
    fingerprints[container] = nil
    retired += 1
    let target = "\(path)/done-\(retired)"
    if rename(container.root, target) == 0 { return target }
    // It is gone. Its old path may belong to the next batch when the caller removes this one.
    try? restore()
    mkdir(target, 0o700)
    return target
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
