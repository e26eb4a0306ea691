import Glibc
package import RunModel
import SystemFiles

/// What goes into a run archive.
package struct RunArchiveContents: Sendable {
  /// A file or a tree.
  package struct Item: Sendable {
    /// Path in the archive.
    package var path: String
    /// Absolute path of what is packed; a link there is followed, those below are packed as links.
    package var source: String

    package init(_ path: String, from source: String) {
      self.path = path
      self.source = source
    }
  }

  package var manifest: RunArchiveManifest
  /// The text of `carrel.json`; `nil` without one.
  package var configuration: [UInt8]?
  /// In the order of the listing.
  package var tests: [TestDescriptor]
  /// In any order; the archive has them by path.
  package var items: [Item]
  /// Absolute paths of files and folders that are left out of trees.
  package var excluded: [String]

  package init(
    manifest: RunArchiveManifest, configuration: [UInt8]?, tests: [TestDescriptor], items: [Item],
    excluded: [String] = []
  ) {
    self.manifest = manifest
    self.configuration = configuration
    self.tests = tests
    self.items = items
    self.excluded = excluded
  }
}

/// Writes run archives; see docs/run-archive.md.
package enum RunArchive {
  /// What came of packing.
  package struct Outcome: Sendable {
    /// Of the file.
    package var bytes: Int
    /// Bytes of the files in it.
    package var contentBytes: Int
    /// Number of its entries.
    package var entries: Int
    /// What lies in a tree and is not packed, by design: sockets, FIFOs, devices.
    package var notes: [ContentsNote]
  }

  /// Packs the contents and puts the archive in place when it is complete.
  ///
  /// The same contents give the same bytes: entries are ordered by path, files are either programs
  /// or not, and times are left out. An archive holds all that it was to hold: what cannot be read
  /// or changes meanwhile is an error, and so is a link that would lead out of it.
  ///
  /// - Parameter isStopped: Polled while packing; `true` gives up.
  /// - Throws: ``EvidenceError`` with the code `unwritable`, `not-packable` (names the file) or
  ///   `stopped`.
  package static func write(
    _ contents: RunArchiveContents, to path: String, compression: BundleCompression = .zstd,
    limits: BundleLimits = .runArchive, isStopped: @escaping () -> Bool = { false }
  ) throws -> Outcome {
    try evidence { () throws(FileError) in try makeFolders(folder(of: path)) }
    do {
      try checkIsFolder(folder(of: path))
      var there = stat()
      // A device would be replaced by a file.
      guard lstat(path, &there) != 0 || there.isRegular else {
        throw EvidenceError(
          .unwritable, "'\(ByteName(path).displayName)' is there and is no file",
          context: ["path": path])
      }
      var file = try TemporaryFile(beside: path)
      var excluded = Set((contents.excluded + [path]).compactMap { FileIdentity(path: $0) })
      excluded.insert(try file.status().identity)
      let archive = try ArchiveWriter(
        descriptor: file.descriptor, path: path, compression: compression)
      let packer = BundlePacker(archive: archive, limits: limits, excluded: excluded)
      packer.isStopped = isStopped
      packer.isUniform = true
      try packer.add(
        ByteName(RunArchivePaths.manifest),
        bytes: try encodedJSON(contents.manifest, pretty: true) + [10], mode: 0o644)
      if let configuration = contents.configuration {
        try packer.add(ByteName(RunArchivePaths.configuration), bytes: configuration, mode: 0o644)
      }
      try packer.add(
        ByteName(RunArchivePaths.tests),
        bytes: try contents.tests.flatMap { try encodedJSON($0) + [10] }, mode: 0o644)
      for item in contents.items.sorted(by: { ByteName($0.path) < ByteName($1.path) }) {
        try add(item, to: packer)
        try check(packer)
      }
      try check(packer)
      let outcome = Outcome(
        bytes: 0, contentBytes: packer.totalBytes, entries: packer.list.count + 1,
        notes: packer.list.kept)
      try packer.finish()
      let size = Int(try file.status().st_size)
      try file.rename(to: path)
      return Outcome(
        bytes: size, contentBytes: outcome.contentBytes, entries: outcome.entries,
        notes: outcome.notes)
    } catch let failure as SystemFailure {
      throw EvidenceError.system(.unwritable, "write", path: path, errno: failure.number)
    }
  }

  private static func add(_ item: RunArchiveContents.Item, to packer: BundlePacker) throws {
    guard let source = existingPath(item.source) else {
      throw EvidenceError(
        .notPackable, "'\(ByteName(item.source).displayName)' is to be packed and is not there",
        context: ["path": item.source])
    }
    try packer.add(
      ByteName(item.path), item: lastComponent(of: source), below: folder(of: source),
      followsRoot: true)
  }

  /// An archive that lacks something is none.
  private static func check(_ packer: BundlePacker) throws {
    let failure = packer.list.kept.first { ![.special, .excluded].contains($0.kind) }
    if let failure {
      throw EvidenceError(
        .notPackable,
        "'\(failure.path.displayName)' cannot be packed: "
          + ByteName(failure.message).displayName, context: ["entry": failure.path.displayName])
    }
    if let link = packer.linkOutside {
      throw EvidenceError(
        .notPackable,
        "'\(link.displayName)' cannot be packed: it is a symbolic link that leads out of the "
          + "archive", context: ["entry": link.displayName])
    }
  }
}
