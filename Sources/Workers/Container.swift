import CSystem
import Glibc
import SystemFiles

/// A batch's folders: new for each batch, or untouched since they were made (decision 0003).
///
///     ROOT/home                                home folder
///     ROOT/home/Documents
///     ROOT/home/Library/Application Support    XDG_DATA_HOME
///     ROOT/home/Library/Caches                 XDG_CACHE_HOME
///     ROOT/home/Library/Preferences            XDG_CONFIG_HOME
///     ROOT/home/Library/State                  XDG_STATE_HOME
///     ROOT/home/Library/Groups                 shared folders of app groups
///     ROOT/tmp                                 TMPDIR
///     ROOT/tmp/run                             XDG_RUNTIME_DIR
///     ROOT/index.sqlite                        the index
///     ROOT/evidence                            crash reports; not part of the container
///     ROOT/evidence/attachments                what tests attached
///     ROOT/layers                              what was written to overlays; not part of it
package struct Container: Sendable, Hashable {
  /// Absolute path of the batch's folder.
  package let root: String
  /// Where the processes of the batch see it; the root, unless they are in a sandbox.
  package let view: String

  /// - Parameter view: Where processes see it; `nil` for the root.
  package init(root: String, view: String? = nil) {
    self.root = root
    self.view = view ?? root
  }

  /// The container by the paths that its processes see.
  package var seen: Container { Container(root: view) }

  package var home: String { root + "/home" }
  package var temporary: String { root + "/tmp" }
  package var index: String { root + "/index.sqlite" }
  package var evidence: String { root + "/evidence" }
  package var attachments: String { root + "/evidence/attachments" }

  /// Folders in the order they are made, relative to the root.
  private static let folders = [
    "home", "home/Documents", "home/Library", "home/Library/Application Support",
    "home/Library/Caches", "home/Library/Preferences", "home/Library/State",
    "home/Library/Groups", "tmp", "tmp/run", "evidence", "evidence/attachments",
  ]

  /// Whether a path of the home folder is, or holds, a folder that every container has.
  package static func holdsOwnFolder(inHome name: String) -> Bool {
    folders.contains { $0 == "home/\(name)" || $0.hasPrefix("home/\(name)/") }
  }

  /// Makes the folders and an empty index.
  ///
  /// - Parameter indexTemplate: Path of an empty index that is copied.
  /// - Throws: ``WorkersError`` with code `container`, also when the root exists already.
  package func create(indexTemplate: String) throws(WorkersError) {
    guard mkdir(root, 0o700) == 0 else { throw failure(errno, "cannot make \(root)") }
    for folder in Self.folders where mkdir("\(root)/\(folder)", 0o700) != 0 {
      throw failure(errno, "cannot make \(root)/\(folder)")
    }
    guard carrel_copy_file(indexTemplate, index, 0o600, false) == 0 else {
      throw failure(errno, "cannot make the index \(index)")
    }
  }

  /// What tells whether anything was done to a container: identity, mode, owner and change time of
  /// each of its folders and of the index, whose content belongs to it: not every file system sets
  /// the time when mapped memory is written to, and no clock tells two changes within a tick apart.
  struct Fingerprint: Hashable {
    fileprivate var stamps: [FileStamp] = []
  }

  /// The fingerprint now; `nil` when a folder is missing or holds something that it did not when it
  /// was made.
  ///
  /// Only the root may hold more: the selection and the layers, which belong to the batch. There is
  /// no other regular file than the index.
  func fingerprint() -> Fingerprint? {
    guard let names = folderEntries(root), Set(names).isSubset(of: Self.namesInRoot),
      let index = stampWithContent(index)
    else { return nil }
    var result = Fingerprint(stamps: [index])
    for folder in Self.folders {
      let path = "\(root)/\(folder)"
      guard let names = folderEntries(path),
        names.count == Self.childCounts[folder, default: 0], result.add(path)
      else { return nil }
    }
    return result
  }

  /// What the root holds while nobody has touched the container.
  private static let namesInRoot: Set<String> = [
    "home", "tmp", "evidence", "index.sqlite", "selection", "layers",
  ]

  /// Removes what a batch was given besides the fresh container.
  ///
  /// - Returns: Whether it is gone.
  func removeSelection() -> Bool { unlink(selection) == 0 || errno == ENOENT }

  /// What tells whether anything was done to a container that was filled: the fingerprint of
  /// everything in it.
  ///
  /// - Parameter layers: What it is made of when that is more than its folders.
  /// - Returns: `nil` when something cannot be looked at.
  func fullFingerprint(_ layers: ContainerLayers? = nil) -> Fingerprint? {
    guard let names = folderEntries(root), Set(names).isSubset(of: Self.namesInRoot) else {
      return nil
    }
    var result = Fingerprint()
    let uppers = layers.map { $0.trees(of: self).map(\.upper) } ?? []
    for path in [home, temporary, index, evidence] + uppers {
      guard let stamps = treeStamps(path) else { return nil }
      result.stamps += stamps
    }
    return result
  }

  /// Number of folders that a fresh container has in each of its folders.
  private static let childCounts: [String: Int] = folders.reduce(into: [:]) { counts, folder in
    if let slash = folder.lastIndex(of: "/") { counts[String(folder[..<slash]), default: 0] += 1 }
  }

  /// Replaces a folder of the container by another one, which is moved; folders that every
  /// container has are made when they are missing in it, unless a link or a file has their place.
  ///
  /// - Parameter name: `home` or `tmp`.
  /// - Returns: `false` when there is no such other folder; then nothing is done.
  /// - Throws: ``WorkersError`` with code `container`.
  package func replace(_ name: String, with other: String) throws(WorkersError) -> Bool {
    var info = stat()
    guard lstat(other, &info) == 0, info.isFolder else { return false }
    if let failure = removeTree("\(root)/\(name)") {
      throw WorkersError(.container, "cannot replace \(root)/\(name)", cause: failure)
    }
    guard rename(other, "\(root)/\(name)") == 0 else {
      throw failure(errno, "cannot replace \(root)/\(name)")
    }
    do throws(SystemFailure) {
      let folder = try OwnedDescriptor(opening: root, O_RDONLY | O_DIRECTORY | O_NOFOLLOW)
      var chain = FolderChain(root: folder.number)
      for path in Self.folders where path == name || path.hasPrefix(name + "/") {
        do throws(FolderChain.Blocked) {
          _ = try chain.folder(Self.components(path), making: 0o700)
        } catch  where error.obstacle != nil {
          // The test that the files are of had it so.
          continue
        } catch {
          throw error.failure
        }
      }
    } catch {
      throw WorkersError(
        .container, "cannot make the folders of \(root)/\(name)", cause: error,
        advice: WorkRoot.advice)
    }
    return true
  }

  private static func components(_ path: String) -> [ArraySlice<UInt8>] {
    Array(path.utf8).split(separator: UInt8(ascii: "/"))
  }

  /// The variables that place a process into the container, which it sees there.
  package var environment: [String: String] {
    let (home, temporary, index) = (seen.home, seen.temporary, seen.index)
    return [
      "HOME": home,
      "CFFIXED_USER_HOME": home,
      "TMPDIR": temporary,
      "TMP": temporary,
      "TEMP": temporary,
      "XDG_DATA_HOME": home + "/Library/Application Support",
      "XDG_CACHE_HOME": home + "/Library/Caches",
      "XDG_CONFIG_HOME": home + "/Library/Preferences",
      "XDG_STATE_HOME": home + "/Library/State",
      "XDG_RUNTIME_DIR": temporary + "/run",
      "CARREL_INDEX": index,
      "CARREL_GROUPS": home + "/Library/Groups",
    ]
  }

  /// Whether a path, as processes see it, leads into the container, whatever links are on the way.
  package func contains(_ path: String) -> Bool {
    if view != root {
      guard path == view || path.hasPrefix(view + "/") else { return false }
      return Container(root: root).contains(root + path.dropFirst(view.count))
    }
    guard path.hasPrefix("/"), let root = resolvedPath(root), let path = resolvedPath(path) else {
      return false
    }
    return path == root || path.hasPrefix(root + "/")
  }

  /// Where the selection of the batch's tests is written.
  package var selection: String { root + "/selection" }

  /// Folders that belong to layers, which processes do not see.
  package var layers: String { root + "/layers" }

  /// - Parameter number: The value of `errno`, which making the message may change.
  func failure(_ number: Int32, _ message: String) -> WorkersError {
    WorkersError(.container, message, cause: SystemFailure(number), advice: WorkRoot.advice)
  }
}

extension Container.Fingerprint {
  /// - Returns: Whether the path exists.
  fileprivate mutating func add(_ path: String) -> Bool {
    guard let stamp = FileStamp(notFollowing: path) else { return false }
    stamps.append(stamp)
    return true
  }
}
