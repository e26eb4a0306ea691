import Glibc
import SystemFiles

/// Writes failure bundles; see docs/bundle-format.md.
package enum FailureBundle {
  /// Packs the contents and puts the bundle in place when it is complete.
  ///
  /// The bundle is written under a temporary name in the same folder and then renamed, so under its
  /// final name there is either all of it or nothing. Folders that are missing are made. What
  /// cannot be read, changes meanwhile or is no file is noted in the bundle and does not stop the
  /// packing. The same contents give the same bytes. A bundle keeps the limits that its readers
  /// have: what goes beyond them is left out and noted, and texts of the manifest are shortened
  /// with a mark.
  ///
  /// May be called from any thread, also for several bundles at once.
  ///
  /// - Parameter isStopped: Polled while packing, on the same thread; `true` gives up.
  /// - Returns: The size of the bundle in bytes.
  /// - Throws: ``EvidenceError`` with the code `unwritable` or `invalid-contents`, or `stopped`.
  @discardableResult
  package static func write(
    _ contents: BundleContents, to path: String, compression: BundleCompression = .zstd,
    limits: BundleLimits = BundleLimits(), isStopped: @escaping () -> Bool = { false }
  ) throws -> Int {
    let entries = try contents.orderedEntries()
    try evidence { () throws(FileError) in try makeFolders(folder(of: path)) }
    do {
      try checkIsFolder(folder(of: path))
      var file = try TemporaryFile(beside: path)
      var excluded = Set((contents.excluded + [path]).compactMap { FileIdentity(path: $0) })
      excluded.insert(try file.status().identity)
      let archive = try ArchiveWriter(
        descriptor: file.descriptor, path: path, compression: compression)
      let redaction = try contents.redaction.map {
        try BundleRedaction($0, variables: contents.removedVariables)
      }
      let packer = BundlePacker(
        archive: archive, limits: limits, excluded: excluded, redaction: redaction)
      packer.isStopped = isStopped
      try packer.add(
        ByteName(BundlePaths.manifest),
        bytes: try Shortening.fit(
          contents.manifest, toBytes: limits.manifestBytes - 1, pretty: true
        ).json + [10], mode: 0o644)
      for entry in entries { try packer.add(entry) }
      try packer.finish()
      let size = Int(try file.status().st_size)
      try file.rename(to: path)
      return size
    } catch let failure as SystemFailure {
      throw EvidenceError.system(.unwritable, "write", path: path, errno: failure.number)
    }
  }
}

extension BundlePacker {
  fileprivate func add(_ entry: BundleContents.Entry) throws {
    let path = ByteName(entry.path)
    switch entry.source {
    case .omitted(let reason):
      note(path, .excluded, .file, "left out: \(reason)")
    case .bytes(let bytes, let mode):
      try add(path, bytes: bytes, mode: mode, alreadyTaken: entry.removed)
    case .item(let item, let root):
      redaction?.add(path, entry.removed)
      try add(
        path, item: root == nil ? lastComponent(of: item) : item,
        below: root ?? folder(of: item), followsRoot: root == nil)
    }
  }
}
