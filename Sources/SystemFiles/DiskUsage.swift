import Glibc

/// What a folder takes on the disk; each file counts once, however many names it has there.
package struct DiskUsage: Hashable, Sendable {
  /// A file with several names (hard links).
  package struct LinkedFile: Hashable, Sendable {
    /// Bytes that it takes.
    package var bytes: Int
    /// Number of its names in the folder, from 1.
    package var names: Int
    /// Number of its names in the file system, from 2.
    package var links: Int

    package init(bytes: Int, names: Int, links: Int) {
      self.bytes = bytes
      self.names = names
      self.links = links
    }
  }

  /// Bytes of folders, and of files with one name.
  package private(set) var own: Int
  /// Files with several names.
  package private(set) var linked: [FileIdentity: LinkedFile]

  package init(own: Int = 0, linked: [FileIdentity: LinkedFile] = [:]) {
    self.own = own
    self.linked = linked
  }

  /// Measures a folder; links are not followed, and what cannot be read counts for nothing.
  package init(of path: String) {
    self.init()
    guard let folder = try? OwnedDescriptor(opening: path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW)
    else { return }
    if let status = try? folder.status() { add(status) }
    measure(folder.number, depth: 0)
  }

  /// Bytes of all that is in it.
  package var bytes: Int { linked.values.reduce(own) { $0 + $1.bytes } }

  /// Bytes that are freed when it is removed: of what has no other name.
  package var freed: Int {
    linked.values.reduce(own) { $1.names >= $1.links ? $0 + $1.bytes : $0 }
  }

  /// Deepest folder that is looked into; a record has less.
  private static let maxDepth = 32

  private mutating func measure(_ folder: Int32, depth: Int) {
    for name in (try? listFolder(folder)) ?? [] {
      guard let status = try? SystemFiles.status(of: name, in: folder) else { continue }
      add(status)
      guard status.isFolder, depth < Self.maxDepth,
        let below = try? OwnedDescriptor(
          at: folder, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW)
      else { continue }
      measure(below.number, depth: depth + 1)
    }
  }

  private mutating func add(_ status: stat) {
    // POSIX counts blocks of 512 bytes, whatever the file system's are.
    let size = Int(status.st_blocks) * 512
    if status.isFolder || status.st_nlink <= 1 {
      own += size
    } else {
      let file = LinkedFile(bytes: size, names: 0, links: Int(status.st_nlink))
      linked[status.identity, default: file].names += 1
    }
  }
}

/// What several folders take together, while they are removed one after the other.
package struct CommonDiskUsage: Sendable {
  /// Bytes of all folders that are left.
  package private(set) var bytes = 0
  /// Number of folders that have a file with several names.
  private var holders: [FileIdentity: Int] = [:]
  /// Names that such files have lost.
  private var removedNames: [FileIdentity: Int] = [:]

  package init(_ folders: some Sequence<DiskUsage>) {
    for folder in folders {
      bytes += folder.own
      for (file, linked) in folder.linked {
        holders[file, default: 0] += 1
        if holders[file] == 1 { bytes += linked.bytes }
      }
    }
  }

  /// Takes away one of the folders.
  ///
  /// - Returns: Bytes that the file system has freed then: not of files that have other names.
  package mutating func remove(_ folder: DiskUsage) -> Int {
    var freed = folder.own
    bytes -= folder.own
    for (file, linked) in folder.linked {
      holders[file, default: 1] -= 1
      if holders[file] == 0 { bytes -= linked.bytes }
      removedNames[file, default: 0] += linked.names
      if removedNames[file, default: 0] >= linked.links { freed += linked.bytes }
    }
    return freed
  }
}
