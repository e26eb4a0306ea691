/// An entry as it stands in the archive, checked for nothing but its form.
package struct BundleEntry: Hashable, Sendable {
  /// May hold anything, `..` and zero bytes too.
  package var path: ByteName
  package var kind: ArchiveEntryKind
  /// Permission bits, set-user-ID and the like included.
  package var mode: UInt16
  /// In bytes; 0 unless it is a file.
  package var size: Int
  /// What a symbolic or hard link leads to.
  package var linkTarget: ByteName?
}
