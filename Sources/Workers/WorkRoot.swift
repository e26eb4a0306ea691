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

  /// A place in the home folder of containers at which something else is seen in a sandbox.
  package struct HomePlace: Hashable, Sendable {
    /// Relative to the home folder.
    package var name: String
    /// Whether it is a folder, and not a file.
    package var isFolder: Bool

    package init(name: String, isFolder: Bool) {
      self.name = name
      self.isFolder = isFolder
    }
  }

  /// The file that tells a folder of a run from anything else.
  static let marker = ".carrel-work"

  /// Absolute path.
  package let path: String
  private var lock: Int32
  /// The template of the containers' index, which stays when a test removes its file.
  var template: Int32 = -1
  var retired = 0
  /// Where processes see the container of their batch; `nil` for where it lies.
  package var view: String?
  /// What is made in each new home folder, for what a sandbox shows there.
  package var homePlaces: [HomePlace] = []
  var fingerprints: [Container: Container.Fingerprint] = [:]
  /// Of containers whose contents were noted since they were prepared.
  var filled: [Container: Container.Fingerprint] = [:]
  /// What containers that were made from a template are.
  var clones: [Container: ContainerClone] = [:]

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
  var isInPlace: Bool {
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
  func restore() throws(WorkersError) {
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
  static func userFolder(base: String?) -> String {
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
    let isThere = lstat(user, &info) == 0
    if let (fault, remedy) = fault(of: isThere ? info : nil) {
      throw WorkersError(
        .container, "\(user) is not a private folder of this user: \(fault)",
        context: ["path": user],
        advice: "\(remedy), or set CARREL_WORK_DIR to a folder of this user")
    }
  }

  /// What keeps a folder from being the user's own, and what to do about it; `nil` when it is.
  private static func fault(of info: stat?) -> (fault: String, remedy: String)? {
    guard let info else { return ("it is gone again", "start the run again") }
    // Nobody but its owner can remove it from a folder like /tmp.
    let remedy = info.st_uid == getuid() || getuid() == 0 ? "remove it" : "have it removed"
    if info.isLink { return ("it is a link", remedy) }
    if !info.isFolder { return ("it is no folder", remedy) }
    if info.st_uid != getuid() {
      return ("it belongs to the user with the ID \(info.st_uid)", remedy)
    }
    if info.st_mode & 0o077 != 0 {
      let mode = String(info.permissions, radix: 8)
      return ("others may use it (mode \(mode))", "take that from them with 'chmod 700'")
    }
    // Root may do so in any folder.
    if info.st_mode & 0o700 != 0o700, getuid() != 0 {
      return ("its owner may not use it", "allow that with 'chmod 700'")
    }
    return nil
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

  static let nameLength = 6

  /// Letters and digits, as mkdtemp(3) takes them.
  private static func randomName() -> String {
    let letters = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789")
    return String((0..<nameLength).map { _ in letters[Int.random(in: 0..<letters.count)] })
  }
}
