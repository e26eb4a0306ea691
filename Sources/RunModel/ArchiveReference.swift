/// The run archive that the tests of a run are from.
package struct ArchiveReference: Codable, Hashable, Sendable {
  /// Absolute path of the file.
  package var path: String
  /// Digest of its list of contents, `sha256:` and hexadecimal digits: the same for the same
  /// contents, however they are compressed.
  package var digest: String

  package init(path: String, digest: String) {
    self.path = path
    self.digest = digest
  }
}
