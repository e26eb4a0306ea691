/// What an archive of the family of failure bundles is: they differ in their manifests.
struct ArchiveForm: Sendable {
  /// For people: `failure bundle`.
  var name: String
  /// Reads the bytes of the first entry of an archive at a path, and notes in a check what it says.
  ///
  /// Throws ``EvidenceError`` with the code `malformed` when it is no such manifest, and
  /// `newer-format`.
  var takeManifest: @Sendable (_ bytes: [UInt8], _ path: String, inout BundleCheck) throws -> Void

  static let failureBundle = ArchiveForm(name: "failure bundle") { bytes, path, check in
    check.manifest = try BundleReader(path: path).manifest(from: bytes)
    check.hasManifest = true
  }

  static let runArchive = ArchiveForm(name: "run archive") { bytes, path, check in
    check.runManifest = try RunArchiveManifest(reading: bytes, path: path)
    check.hasManifest = true
  }
}
