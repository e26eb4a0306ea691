/// How much of a build is read. What is beyond a limit is refused, and named.
package enum MetadataLimits {
  /// Bytes of an `extract.actionsdata`.
  package static let metadata = 64 << 20
  /// Bytes of an `Info.plist`, a `version.json` or a string table.
  package static let smallFile = 16 << 20
  /// Bytes of all files that are read of one build.
  package static let total = 512 << 20
  /// Entries of an archive, or files and folders of a folder.
  package static let entries = 1_000_000
  /// Folders in folders.
  package static let depth = 64
}

/// Which files of a build are read.
enum WantedFile {
  static let metadataFolder = "Metadata.appintents"
  static let metadata = "extract.actionsdata"

  /// How many bytes of a file are read at most; `nil` when it is of no interest.
  static func limit(_ path: String) -> Int? {
    let parts = path.split(separator: "/")
    guard let name = parts.last else { return nil }
    let folder = parts.count > 1 ? parts[parts.count - 2] : ""
    switch name {
    case Substring(metadata) where folder == metadataFolder || parts.count == 1:
      return MetadataLimits.metadata
    case "version.json" where folder == metadataFolder || parts.count == 1:
      return MetadataLimits.smallFile
    case "Info.plist": return MetadataLimits.smallFile
    default:
      let isTable =
        folder.hasSuffix(".lproj")
        && (name.hasSuffix(".strings") || name.hasSuffix(".stringsdict"))
      return isTable || name.hasSuffix(".loctable") ? MetadataLimits.smallFile : nil
    }
  }
}
