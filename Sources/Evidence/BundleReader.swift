/// Reads a failure bundle: a file that may come from anywhere and may hold anything.
///
/// Every call reads the file from its start with bounded memory and stops at the limits.
package struct BundleReader: Sendable {
  package let path: String
  package let limits: BundleLimits
  /// What the archive is to be.
  var form = ArchiveForm.failureBundle

  package init(path: String, limits: BundleLimits = BundleLimits()) {
    self.path = path
    self.limits = limits
  }

  /// The first entry.
  ///
  /// - Throws: ``EvidenceError`` with the code `not-found`, `unreadable`, `not-a-bundle`,
  ///   `malformed`, `cut-off`, `limit`, or `newer-format` when a newer major version wrote the
  ///   bundle.
  package func manifest() throws -> BundleManifest {
    try manifest(from: try TarReader(path: path, limits: limits))
  }

  /// All entries of the archive, the manifest and the list of contents included; whether they are
  /// what a bundle has is not looked at.
  package func entries() throws -> [BundleEntry] {
    let reader = try TarReader(path: path, limits: limits)
    var entries: [BundleEntry] = []
    while let entry = try reader.next() { entries.append(entry) }
    return entries
  }

  /// The bytes of one file of the bundle.
  ///
  /// - Throws: ``EvidenceError`` with the code `not-found` when the bundle has no such file,
  ///   `limit` when it is larger than `maxBytes`.
  package func read(_ entryPath: String, maxBytes: Int = BundleLimits.readBytes) throws -> [UInt8] {
    if let bytes = try readIfPresent(entryPath, maxBytes: maxBytes) { return bytes }
    let name = ByteName(entryPath).displayName
    throw EvidenceError(
      .notFound, "'\(ByteName(path).displayName)' has no file '\(name)'",
      context: ["path": path, "entry": name])
  }

  /// The bytes of one file of the bundle; `nil` when it has no such file.
  ///
  /// - Throws: ``EvidenceError`` as ``read(_:maxBytes:)``, but for a missing file.
  package func readIfPresent(
    _ entryPath: String, maxBytes: Int = BundleLimits.readBytes
  ) throws -> [UInt8]? {
    let wanted = ByteName(entryPath)
    let reader = try TarReader(path: path, limits: limits)
    while let entry = try reader.next() {
      if entry.path == wanted, entry.kind == .file {
        return try reader.readData(maxBytes: maxBytes)
      }
    }
    return nil
  }

  /// Reads the manifest from an archive's first entry.
  func manifest(from reader: TarReader) throws -> BundleManifest {
    guard let entry = try reader.next(), entry.path == ByteName(BundlePaths.manifest),
      entry.kind == .file
    else {
      throw EvidenceError.notABundle(path, "its first entry is not \(BundlePaths.manifest)")
    }
    let bytes = try reader.readData(maxBytes: limits.manifestBytes)
    return try manifest(from: bytes)
  }

  func manifest(from bytes: [UInt8]) throws -> BundleManifest {
    struct Head: Decodable { var kind: String? }
    if let kind = (try? decodedJSON(Head.self, from: bytes))?.kind, kind == RunArchiveManifest.kind
    {
      throw EvidenceError.notABundle(
        path, "it is a run archive; 'carrel archive verify' and 'carrel run --archive' read it")
    }
    return try decodedJSON(
      BundleManifest.self, from: bytes, reading: bundleFormat,
      name: "bundle '\(ByteName(path).displayName)'")
  }
}
