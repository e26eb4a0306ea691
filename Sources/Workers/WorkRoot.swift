import Glibc
import SystemFiles

/// The folder of one run that holds the containers of its batches.
///
/// It has a short path (`/tmp/carrel-UID/XXXXXX`), so that sockets in it fit into the 107 bytes of
/// `sun_path` (unix(7)), and belongs to the user alone. It holds a marker, and is locked from
/// before it gets its name until the run ends: what a killed run left has the marker but no lock,
/// and is removed by the next one.
package final class WorkRoot {
  /// What to do when no container can be made.
  package static let advice =
    "set CARREL_WORK_DIR to a folder of this user that can be written and has room"

  /// The file that tells a folder of a run from anything else.
  static let marker = ".carrel-work"

  /// Absolute path.
  package let path: String
  private var lock: Int32
  /// The template of the containers' index, which stays when a test removes its file.
  private var template: Int32 = -1
  private var retired = 0
  /// Where processes see the container of their batch; `nil` for where it lies.
  package var view: String?
  private var fingerprints: [Container: Container.Fingerprint] = [:]
  /// Of containers whose contents were noted since they were prepared.
  private var filled: [Container: Container.Fingerprint] = [:]
  /// What containers that were made from a template are.
  private var clones: [Container: ContainerClone] = [:]

  /// - Parameter base: The folder for the folders of all runs of all users; `nil` or empty for
  ///   `/tmp`.
  /// - Throws: ``WorkersError`` with code `container`.
  package init(base: String? = nil) throws(WorkersError) {
    let user = Self.userFolder(base: base)
    try Self.make(user)
    Self.removeStale(in: user)
    do throws(SystemFailure) {
      (path, lock) = try Self.makeRoot(in: user)
    } catch {
      throw WorkersError(
        .container, "cannot make a folder for containers in '\(user)'", context: ["path": user],
        cause: error, advice: Self.advice)
    }
  }

  deinit { close() }

  /// Removes the folder with everything in it; later calls do nothing.
  package func close() {
    guard lock >= 0 else { return }
    removeOwnFolder()
    Glibc.close(lock)
    lock = -1
    if template >= 0 { Glibc.close(template) }
    template = -1
  }

  /// Whether the folder that was made still has its path. A test can put anything there: another
  /// folder, or a link to somebody's files, which nothing may be done to.
  private var isInPlace: Bool {
    var made = stat()
    var there = stat()
    return fstat(lock, &made) == 0 && lstat(path, &there) == 0 && made.identity == there.identity
  }

  /// Removes the folder that was made, wherever it is now.
  private func removeOwnFolder() {
    if isInPlace { return Self.remove(path) }
    _ = emptyFolder(lock, path: path)
    guard let now = Self.currentPath(of: lock) else { return }
    rmdir(now)
  }

  /// Where an open folder is now (proc(5), `/proc/PID/fd`); `nil` when it is gone.
  private static func currentPath(of descriptor: Int32) -> String? {
    var made = stat()
    var there = stat()
    guard let path = resolvedPath("/proc/self/fd/\(descriptor)"), fstat(descriptor, &made) == 0,
      lstat(path, &there) == 0, made.identity == there.identity
    else { return nil }
    return path
  }

  /// Makes the folder again if a test has removed or replaced it: nothing keeps a test from doing
  /// that, and the tests after it are not to blame.
  ///
  /// - Throws: ``WorkersError`` with code `container`, also when something else than a link has the
  ///   path now, which is left alone.
  private func restore() throws(WorkersError) {
    guard !isInPlace else { return }
    fingerprints = [:]
    clones = [:]
    var there = stat()
    if lstat(path, &there) == 0, there.kind == S_IFLNK { unlink(path) }
    removeOwnFolder()
    try Self.make(folder(of: path))
    do throws(SystemFailure) {
      let descriptor = try Self.makeFolder(path)
      Glibc.close(lock)
      lock = descriptor
    } catch {
      throw WorkersError(
        .container, "cannot make '\(path)' again", context: ["path": path], cause: error,
        advice: Self.advice)
    }
  }

  /// The folder of all runs of this user.
  private static func userFolder(base: String?) -> String {
    var base = base ?? ""
    if base.isEmpty { base = "/tmp" }
    if !base.hasPrefix("/"), let pointer = getcwd(nil, 0) {
      defer { free(pointer) }
      base = "\(String(cString: pointer))/\(base)"
    }
    return "\(base)/carrel-\(getuid())"
  }

  /// Makes the folder of the user, or checks it.
  private static func make(_ user: String) throws(WorkersError) {
    do throws(FileError) {
      try makeFolders(folder(of: user), mode: 0o755)
      guard mkdir(user, 0o700) == 0 || errno == EEXIST else {
        throw FileError(.unwritable, "make the folder", user, SystemFailure(errno))
      }
    } catch {
      throw WorkersError(
        .container, error.message, context: error.context, cause: error.cause, advice: advice)
    }
    var info = stat()
    guard lstat(user, &info) == 0, info.isFolder, info.st_uid == getuid(),
      info.st_mode & 0o077 == 0
    else {
      throw WorkersError(
        .container, "\(user) is not a private folder of this user",
        context: ["path": user], advice: "remove it or set CARREL_WORK_DIR")
    }
  }

  /// Makes the folder of a run under a name that nothing has.
  ///
  /// - Returns: Its path, and the descriptor that holds the lock.
  private static func makeRoot(in user: String) throws(SystemFailure) -> (String, Int32) {
    while true {
      let path = "\(user)/\(randomName())"
      var info = stat()
      if lstat(path, &info) == 0 { continue }
      do throws(SystemFailure) {
        return (path, try makeFolder(path))
      } catch {
        guard error.number == EEXIST || error.number == ENOTEMPTY else { throw error }
      }
    }
  }

  /// Makes the folder of a run under another name, marks and locks it, then gives it its name.
  ///
  /// - Returns: The descriptor that holds the lock.
  private static func makeFolder(_ path: String) throws(SystemFailure) -> Int32 {
    let made = try TemporaryDirectory(beside: path, mode: 0o700)
    do throws(FileError) {
      let text = "Containers of one run of Carrel. A later run removes this folder.\n"
      try writeSmallFile("\(made.path)/\(marker)", Array(text.utf8))
    } catch {
      throw SystemFailure(error.errorNumber)
    }
    try made.rename(to: path)
    return made.releaseLock()
  }

  private static let nameLength = 6

  /// Letters and digits, as mkdtemp(3) takes them.
  private static func randomName() -> String {
    let letters = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789")
    return String((0..<nameLength).map { _ in letters[Int.random(in: 0..<letters.count)] })
  }

  /// Where the container of a worker's current batch lies.
  package func container(worker: Int) -> Container {
    Container(root: "\(path)/w\(worker)", view: view)
  }

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
    if isUnused(container) { return container }
    try restore()
    forget(container)
    if let failure = removeTree(container.root) {
      throw WorkersError(.container, "cannot make a new container", cause: failure)
    }
    if template < 0 { template = open(indexTemplate, O_RDONLY | O_CLOEXEC) }
    try container.create(
      indexTemplate: template < 0 ? indexTemplate : "/proc/self/fd/\(template)")
    fingerprints[container] = container.fingerprint()
    return container
  }

  /// Gives a worker a container for its next batch that has what a template has.
  ///
  /// A clone that the batch before has left is made as it was instead of anew.
  ///
  /// - Parameters:
  ///   - way: Must be one that works here.
  ///   - handler: Called by the loop, with a ``WorkersError`` with code `container` when it cannot
  ///     be made, or somebody has written to the template.
  package func prepare(
    worker: Int, from template: ContainerTemplate, by way: CloneWay, in loop: EventLoop,
    then handler: @escaping (WorkersError?) -> Void
  ) {
    let container = container(worker: worker)
    do throws(WorkersError) {
      try restore()
    } catch {
      return handler(error)
    }
    let used = clones[container]
    forget(container)
    loop.inBackground {
      Result { () throws(WorkersError) in
        try ContainerClone.make(container, from: template, by: way, reusing: used)
      }
    } then: { [weak self] result in
      switch result {
      case .success(let clone):
        self?.clones[container] = clone
        handler(nil)
      case .failure(let error): handler(error)
      }
    }
  }

  /// Forgets what is known of a container, because it becomes another one.
  private func forget(_ container: Container) {
    fingerprints[container] = nil
    filled[container] = nil
    clones[container] = nil
  }

  /// Whether a container is as it was made; what tells its batch the tests is removed.
  private func isUnused(_ container: Container) -> Bool {
    guard let known = fingerprints[container], isInPlace, !container.hasLayers,
      container.removeSelection()
    else { return false }
    return container.fingerprint() == known
  }

  /// What a worker's container consists of when that is more than its folders.
  package func layers(of container: Container) -> ContainerLayers? { clones[container]?.layers }

  /// Whether a container was made from a template; the next batch gets it as it was then.
  package func isClone(_ container: Container) -> Bool { clones[container] != nil }

  /// Notes what a worker's container holds now, for ``isUntouched(worker:)``.
  package func noteContents(worker: Int) {
    let container = container(worker: worker)
    fingerprints[container] = nil
    filled[container] = container.fullFingerprint(layers(of: container))
  }

  /// Whether nobody has touched a worker's container since it was prepared.
  package func isUntouched(worker: Int) -> Bool {
    let container = container(worker: worker)
    if let filled = filled[container] {
      return container.fullFingerprint(layers(of: container)) == filled
    }
    guard let known = fingerprints[container] else { return false }
    return container.fingerprint() == known
  }

  /// Takes a container from its worker after a batch.
  ///
  /// - Parameter keepsFiles: Whether its files are still needed.
  /// - Returns: Its new path, when it has files that the caller must remove; `nil` when it can be
  ///   given to the next batch.
  package func retire(_ container: Container, keepsFiles: Bool) -> String? {
    if !keepsFiles, isUnused(container) || isClone(container) && isInPlace {
      return nil
    }
    forget(container)
    retired += 1
    let target = "\(path)/done-\(retired)"
    if isInPlace, rename(container.root, target) == 0 { return target }
    // It is gone. Its old path may belong to the next batch when the caller removes this one.
    try? restore()
    mkdir(target, 0o700)
    return target
  }
}

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
  private static func removeStale(in user: String) {
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
  private static func remove(_ folder: String) {
    var isEmpty = true
    for name in folderEntries(folder) ?? [] where name != marker {
      if removeTree("\(folder)/\(name)") != nil { isEmpty = false }
    }
    if isEmpty { removeTree(folder) }
  }
}
