package import IntentMetadata

/// The metadata of one bundle of a build.
package struct FoundMetadata: Sendable {
  package enum Kind: String, Sendable, CaseIterable {
    case app
    case appExtension = "extension"
    case framework
    /// A `Metadata.appintents` folder or a file that is in no bundle.
    case bare
  }

  package var kind: Kind
  /// The bundle's name with its extension, `Notes.app`; else that of the file or folder.
  package var name: String
  /// Where the bundle is in what was given; empty when it is that itself.
  package var path: String
  /// From `Info.plist`.
  package var bundleIdentifier: String?
  /// From `Info.plist`: `1.2 (34)`.
  package var version: String?
  /// From `version.json`: what wrote the metadata.
  package var toolsVersion: String?
  /// Keys of the string tables by language; `nil` when there are no tables.
  package var strings: [String: Set<String>]?
  package var metadata: AppMetadata

  /// What people call it.
  package var displayName: String { bundleIdentifier.map { "\(name) (\($0))" } ?? name }

  /// What rules have to know of it.
  ///
  /// - Parameter isRelease: Whether people get it.
  package func surroundings(isRelease: Bool) -> MetadataSurroundings {
    var surroundings = MetadataSurroundings()
    surroundings.isExtension = kind == .appExtension
    surroundings.isRelease = isRelease
    surroundings.strings = strings
    return surroundings
  }
}
