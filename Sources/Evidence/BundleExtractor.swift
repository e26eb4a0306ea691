import Glibc
import SystemFiles

/// Makes the files, folders and links of a bundle in an open, empty folder.
///
/// Every step goes from an open folder to one name in it and follows no link, so nothing outside of
/// the folder can be reached whatever the bundle holds. Folders stay writable until
/// ``finish()``, which gives them their permissions and times, those furthest down first.
final class BundleExtractor: BundleVisitor {
  private let options: ExtractionOptions
  private let prefix: [ArraySlice<UInt8>]
  private(set) var report = ExtractionReport()
  /// What a folder gets at the end.
  private struct Folder {
    var path: ByteName
    var mode: UInt16
    var modified: Timestamp?
  }

  /// The folders that the bundle has an entry for, in its order, and their positions there.
  private var folders: [Folder] = []
  private var folderPositions: [ByteName: Int] = [:]
  private var refusedPaths: Set<ByteName> = []
  /// The file that is being written, and the path of its entry.
  private var file: OwnedDescriptor?
  private var filePath = ByteName("")
  private var chain: FolderChain

  /// - Parameter root: An open, empty folder; stays open.
  init(root: Int32, options: ExtractionOptions) {
    chain = FolderChain(root: root)
    self.options = options
    prefix = options.subtree.map { ByteName($0).components } ?? []
  }

  func begin(_ entry: BundleEntry) throws {
    try checkStop()
    guard let components = relative(entry.path) else { return }
    do throws(Obstacle) {
      try check(entry, components)
      try make(entry, components)
      report.extractedEntries += 1
    } catch {
      switch error {
      case .refused(let reason):
        report.refused.append(.init(path: entry.path, reason: reason))
        refusedPaths.insert(entry.path)
      case .failed(let failure):
        throw unwritable(entry.path, failure)
      }
    }
  }

  func data(_ bytes: UnsafeRawBufferPointer) throws {
    guard file != nil else { return }
    try checkStop()
    do throws(SystemFailure) {
      try writeAll(bytes, to: file?.number ?? -1)
    } catch {
      throw unwritable(filePath, error)
    }
  }

  func end(_ entry: BundleEntry, isComplete: Bool) throws {
    guard let file = file.take() else { return }
    fchmod(file.number, mode_t(entry.mode & 0o777))
    if !isComplete, let components = relative(entry.path), let name = components.last,
      let folder = try? folder(of: components)
    {
      report.extractedEntries -= 1
      withPath(name) { _ = unlinkat(folder, $0, 0) }
    }
  }

  func listed(_ entry: ContentsEntry) throws {
    guard let modified = entry.modified, let components = relative(entry.path),
      let name = components.last, !refusedPaths.contains(entry.path), isPlain(components)
    else { return }
    guard entry.kind != .folder else {
      if let position = folderPositions[joined(components)] {
        folders[position].modified = modified
      }
      return
    }
    guard let folder = try? folder(of: components) else { return }
    let times = [timespec(modified), timespec(modified)]
    withPath(name) { pointer in
      _ = utimensat(folder, pointer, times, AT_SYMLINK_NOFOLLOW)
    }
    if let status = try? status(of: Array(name), in: folder), status.modified != modified {
      report.clampedTimes.append(joined(components))
    }
  }

  /// Gives the folders their permissions and times.
  func finish(_ check: BundleCheck) -> ExtractionReport {
    // Those of one depth in the reverse of the archive's order, so neighbors stay together.
    let deepestFirst = folders.reversed()
      .map { (folder: $0, components: $0.path.components) }
      .sorted { $0.components.count > $1.components.count }
    for (entry, components) in deepestFirst {
      guard let name = components.last, let above = try? folder(of: components),
        let folder = try? OwnedDescriptor(at: above, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW)
      else { continue }
      fchmod(folder.number, mode_t(entry.mode & 0o777))
      guard let modified = entry.modified else { continue }
      futimens(folder.number, [timespec(modified), timespec(modified)])
      if let status = try? folder.status(), status.modified != modified {
        report.clampedTimes.append(entry.path)
      }
    }
    report.check = check
    return report
  }

  private func checkStop() throws {
    if options.isStopped() { throw EvidenceError(.stopped, "the extraction was given up") }
  }

  // MARK: - Steps

  /// Why an entry is not made: its own fault, or the system's.
  private enum Obstacle: Error {
    case refused(ExtractionReport.Refusal.Reason)
    case failed(SystemFailure)
  }

  /// The components below the subtree that is extracted; `nil` when the path is not in it.
  private func relative(_ path: ByteName) -> [ArraySlice<UInt8>]? {
    let components = path.components
    guard !prefix.isEmpty else { return components }
    guard components.count > prefix.count, components.starts(with: prefix) else { return nil }
    return Array(components.dropFirst(prefix.count))
  }

  private func joined(_ components: [ArraySlice<UInt8>]) -> ByteName {
    ByteName(bytes: components.joined(separator: [UInt8(ascii: "/")]))
  }

  private func isPlain(_ components: [ArraySlice<UInt8>]) -> Bool {
    components.allSatisfy { !$0.isEmpty && $0 != [46] && $0 != [46, 46] && !$0.contains(0) }
  }

  private func check(
    _ entry: BundleEntry, _ components: [ArraySlice<UInt8>]
  ) throws(Obstacle) {
    if entry.path.bytes.first == UInt8(ascii: "/") { throw .refused(.absolutePath) }
    if components.contains([46, 46]) { throw .refused(.parentFolder) }
    if entry.path.bytes.contains(0) || entry.linkTarget?.bytes.contains(0) == true {
      throw .refused(.zeroByte)
    }
    if !isPlain(components) { throw .refused(.emptyComponent) }
    switch entry.kind {
    case .file, .folder: break
    case .symlink:
      if options.links == .refuseOutside, Self.leadsOutside(entry.linkTarget, components) {
        throw .refused(.linkOutside)
      }
    case .hardlink: throw .refused(.hardlink)
    case .fifo, .socket, .characterDevice, .blockDevice: throw .refused(.special)
    case .other: throw .refused(.unknownType)
    }
  }

  /// Whether a link at a path may lead out of the folder.
  ///
  /// `..` counts only at the start, where the folders above are known to be folders; after a name,
  /// which may itself be a link, it is taken as leading out.
  static func leadsOutside(_ target: ByteName?, _ components: [ArraySlice<UInt8>]) -> Bool {
    guard let target, target.bytes.first != UInt8(ascii: "/") else { return true }
    let parts = target.components.filter { !$0.isEmpty && $0 != [46] }
    let ups = parts.prefix { $0 == [46, 46] }.count
    return ups >= components.count || parts.dropFirst(ups).contains([46, 46])
  }

  private func make(_ entry: BundleEntry, _ components: [ArraySlice<UInt8>]) throws(Obstacle) {
    guard let last = components.last else { return }
    let folder = try folder(of: components)
    do throws(SystemFailure) {
      switch entry.kind {
      case .folder:
        let path = joined(components)
        try makeFolder(last, in: folder, isFirst: folderPositions[path] == nil)
        folderPositions[path] = folders.count
        folders.append(Folder(path: path, mode: entry.mode))
      case .symlink:
        try withPath(entry.linkTarget?.bytes ?? []) { (target) throws(SystemFailure) in
          try withPath(last) { (pointer) throws(SystemFailure) in
            _ = try retrying { symlinkat(target, folder, pointer) }
          }
        }
      default:
        file = try OwnedDescriptor(
          at: folder, last, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, mode: 0o600)
        filePath = entry.path
      }
    } catch {
      throw obstacle(error)
    }
  }

  /// Makes a folder; one that was made on the way to an earlier entry is taken, once.
  private func makeFolder(
    _ name: ArraySlice<UInt8>, in folder: Int32, isFirst: Bool
  ) throws(SystemFailure) {
    do throws(SystemFailure) {
      try withPath(name) { (pointer) throws(SystemFailure) in
        _ = try retrying { mkdirat(folder, pointer, 0o700) }
      }
    } catch {
      guard error.number == EEXIST, isFirst,
        try status(of: Array(name), in: folder).isFolder
      else { throw error }
    }
  }

  private func obstacle(_ failure: SystemFailure) -> Obstacle {
    switch failure.number {
    case EEXIST: .refused(.duplicate)
    case ENAMETOOLONG: .refused(.nameTooLong)
    case EINVAL, EILSEQ, ENOENT: .refused(.impossibleName)
    default: .failed(failure)
    }
  }

  /// The open folder that a path's last component lies in; folders that are missing are made.
  private func folder(of components: [ArraySlice<UInt8>]) throws(Obstacle) -> Int32 {
    do throws(FolderChain.Blocked) {
      return try chain.folder(components.dropLast(), making: 0o777)
    } catch {
      switch error.obstacle {
      case .link?: throw .refused(.throughLink)
      case .file?: throw .refused(.throughFile)
      case nil: throw obstacle(error.failure)
      }
    }
  }

  private func unwritable(_ entry: ByteName, _ failure: SystemFailure) -> EvidenceError {
    EvidenceError(
      .unwritable, "cannot extract '\(entry.displayName)'",
      context: ["entry": entry.displayName], cause: failure)
  }
}

extension timespec {
  fileprivate init(_ moment: Timestamp) {
    self.init(tv_sec: moment.seconds, tv_nsec: moment.nanoseconds)
  }
}
