/// Limits for packing, inspecting and extracting bundles; see docs/limits.md.
package struct BundleLimits: Sendable, Hashable {
  /// Bytes of all files together, 2 GiB.
  package var totalBytes = 2 << 30
  /// Number of entries.
  package var entries = 1_000_000
  /// Number of components in a path.
  package var depth = 2_100
  /// Bytes of a path or a link's target.
  package var pathBytes = 16_384
  /// Bytes of the manifest, 16 MiB.
  package var manifestBytes = 16 << 20
  /// Bytes of the list of contents, 1 GiB; it is read line by line.
  package var contentsBytes = 1 << 30

  /// Bytes of another file that is read out of a bundle as a whole, 64 MiB.
  package static let readBytes = 64 << 20

  package init() {}
}
