import Glibc
import SystemFiles

extension BundlePacker {
  /// Open folders that are kept while walking; deeper trees reopen the upper ones when needed.
  private static let openFolders = 64

  /// One folder on the way from the root of the tree.
  private struct Level {
    /// −1 while it is closed to spare descriptors.
    var descriptor: Int32
    var identity: FileIdentity
    /// Names that are still to do, last first.
    var names: [[UInt8]]
    /// Length of the folder's path.
    var pathLength: Int
  }

  /// Adds what lies at a path below a folder, with everything below it: names in bytewise order, a
  /// folder before what it holds. One that is missing or not readable becomes a note.
  ///
  /// Every step goes from an open folder to one name in it, so paths may be longer than the system
  /// takes in one call, and no link is followed.
  ///
  /// - Parameter followsRoot: Whether the folder itself may be a link.
  func add(_ path: ByteName, item: String, below root: String, followsRoot: Bool) throws {
    var levels: [Level] = []
    defer { for level in levels where level.descriptor >= 0 { close(level.descriptor) } }
    var current = path.bytes
    let names = ByteName(item).components
    do {
      let root = try OwnedDescriptor(
        opening: root, O_RDONLY | O_DIRECTORY | (followsRoot ? 0 : O_NOFOLLOW))
      var chain = FolderChain(root: root.number)
      let folder = try chain.folder(names.dropLast(), making: nil)
      try add(Array(names.last ?? []), in: folder, path: current, levels: &levels)
    } catch let failure as SystemFailure {
      return noteFailure(path, .other, failure.number)
    } catch let blocked as FolderChain.Blocked {
      guard blocked.obstacle == nil else {
        return note(
          path, .missing, .other, "lies behind something that is no folder, which is not followed")
      }
      return noteFailure(path, .other, blocked.failure.number)
    }
    while let level = levels.last {
      guard let name = level.names.last else {
        leave(&levels)
        continue
      }
      levels[levels.count - 1].names.removeLast()
      current.removeSubrange(level.pathLength...)
      current.append(UInt8(ascii: "/"))
      current += name
      try add(name, in: level.descriptor, path: current, levels: &levels)
    }
  }

  /// Adds one name of a folder.
  private func add(
    _ name: [UInt8], in folder: Int32, path bytes: [UInt8], levels: inout [Level]
  ) throws {
    let path = ByteName(bytes: bytes)
    do {
      let status = try status(of: name, in: folder)
      if let redaction {
        let redacted = try redaction.redactedName(path)
        if redacted != path {
          return note(
            redacted, .excluded, ArchiveEntryKind(fileType: status.st_mode),
            "left out: its name holds a secret")
        }
      }
      if excluded.contains(status.identity) {
        return noteExcluded(path, ArchiveEntryKind(fileType: status.st_mode))
      }
      guard bytes.count < limits.pathBytes else {
        return note(
          path, .limit, ArchiveEntryKind(fileType: status.st_mode),
          "left out: a path has at most \(limits.pathBytes) bytes")
      }
      switch ArchiveEntryKind(fileType: status.st_mode) {
      case .file:
        let file = try OwnedDescriptor(
          at: folder, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY)
        try addFile(path, descriptor: file.number)
      case .folder:
        try addFolder(name, in: folder, path: path, status, levels: &levels)
      case .symlink:
        try addLink(path, target: ByteName(bytes: try linkTarget(of: name, in: folder)), status)
      default:
        noteSpecial(path, status)
      }
    } catch let failure as SystemFailure {
      let status = try? status(of: name, in: folder)
      noteFailure(
        path, status.map { ArchiveEntryKind(fileType: $0.st_mode) } ?? .other, failure.number)
    }
  }

  /// Adds a folder's entry and goes down; a folder that cannot be read has an entry and a note.
  private func addFolder(
    _ name: [UInt8], in folder: Int32, path: ByteName, _ status: stat, levels: inout [Level]
  ) throws {
    guard levels.count < limits.depth - 2 else {
      return note(path, .limit, .folder, "left out: a path has at most \(limits.depth) components")
    }
    do {
      let descriptor = try OwnedDescriptor(
        at: folder, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_NONBLOCK)
      try enter(descriptor, path: path.bytes, into: &levels)
    } catch let failure as SystemFailure {
      try addFolder(path, status)
      throw failure
    }
  }

  /// Adds the entry of an open folder and reads its names.
  private func enter(
    _ descriptor: consuming OwnedDescriptor, path: [UInt8], into levels: inout [Level]
  ) throws {
    let status = try descriptor.status()
    if excluded.contains(status.identity) { return noteExcluded(ByteName(bytes: path), .folder) }
    let names = try listFolder(descriptor.number)
    try addFolder(ByteName(bytes: path), status)
    levels.append(
      Level(
        descriptor: descriptor.release(), identity: status.identity,
        names: names.sorted { $1.lexicographicallyPrecedes($0) }, pathLength: path.count))
    let old = levels.count - 1 - Self.openFolders
    if old >= 0, levels[old].descriptor >= 0 {
      close(levels[old].descriptor)
      levels[old].descriptor = -1
    }
  }

  /// Goes back to the folder above, which is opened again through `..` when it was closed.
  private func leave(_ levels: inout [Level]) {
    guard let done = levels.popLast() else { return }
    defer { close(done.descriptor) }
    guard let above = levels.last, above.descriptor < 0 else { return }
    var status = stat()
    let parent = openat(done.descriptor, "..", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    if parent >= 0, fstat(parent, &status) == 0, status.identity == above.identity {
      levels[levels.count - 1].descriptor = parent
      return
    }
    if parent >= 0 { close(parent) }
    // The folder was moved meanwhile; what is left of it cannot be found any more.
    if !above.names.isEmpty { levels[levels.count - 1].names = [] }
  }
}
