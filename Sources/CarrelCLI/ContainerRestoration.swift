import Evidence
import SystemFiles
import Workers

/// Puts the files of a bundle's container into a new one.
struct ContainerRestoration: Sendable {
  private let bundle: BundleReader

  init(_ bundle: BundleReader) { self.bundle = bundle }

  /// Replaces the new container's home, temporary folder and index by the bundle's.
  ///
  /// - Throws: ``EvidenceError`` when the bundle cannot be read or the files cannot be written.
  func restore(into container: Container) throws {
    let folder = container.root + "/restored"
    _ = try bundle.extract(
      to: folder,
      options: ExtractionOptions(links: .keepAll, subtree: BundlePaths.container))
    for name in ["home", "tmp"] {
      try container.replace(name, with: "\(folder)/\(name)")
    }
    removeTree(folder)
    if let index = try? bundle.read(BundlePaths.index) {
      try writeSmallFile(container.index, index)
    }
  }
}
