/// How a bundle is extracted.
package struct ExtractionOptions: Sendable {
  /// What happens to symbolic links that lead out of the folder.
  package enum Links: Sendable {
    /// Links with an absolute target, and those that lead out through `..`, are refused and named;
    /// the list of contents still has their targets.
    case refuseOutside
    /// Links are made with the targets that they have. Nothing is written through them, but whoever
    /// opens them later follows them; for people who look at them.
    case keepAll
  }

  package var links: Links
  /// Extracts only what lies in this folder of the bundle, without the folder's own name.
  package var subtree: String?
  /// Polled while extracting, on the same thread; `true` gives up.
  package var isStopped: @Sendable () -> Bool = { false }

  package init(links: Links = .refuseOutside, subtree: String? = nil) {
    self.links = links
    self.subtree = subtree
  }
}

/// What came of extracting a bundle.
package struct ExtractionReport: Sendable {
  /// An entry that was not extracted.
  package struct Refusal: Hashable, Sendable, CustomStringConvertible {
    /// Why an entry is not extracted, as the end of a sentence about it.
    package enum Reason: String, Sendable, CaseIterable {
      case absolutePath = "has an absolute path"
      case parentFolder = "has '..' in its path"
      case emptyComponent = "has an empty component or '.' in its path"
      case zeroByte = "has a zero byte in its path or target"
      case throughLink = "lies behind a symbolic link"
      case throughFile = "lies below something that is no folder"
      case duplicate = "has the path of an earlier entry"
      case hardlink = "is a hard link"
      case special = "is a device, FIFO or socket"
      case unknownType = "has a type that is not known"
      case linkOutside = "is a symbolic link that leads out of the folder"
      case nameTooLong = "has a name that is too long for the file system"
      case impossibleName = "has a name or target that the file system does not take"
    }

    package var path: ByteName
    package var reason: Reason

    /// `'NAME' REASON`, safe for a terminal.
    package var description: String { "'\(path.displayName)' \(reason.rawValue)" }
  }

  /// Whether the bundle was whole; its problems say what is missing here.
  package internal(set) var check = BundleCheck()
  package internal(set) var refused: [Refusal] = []
  /// Files, folders and links that were made, without folders that only lead to them.
  package internal(set) var extractedEntries = 0
  /// Paths below the folder whose time the file system could not keep.
  package internal(set) var clampedTimes: [ByteName] = []
}
