import SystemFiles

/// Why the metadata of a build could not be found or read.
package struct MetadataFilesError: Error, Sendable, CustomStringConvertible {
  /// Stable codes.
  package enum Code: String, Sendable, CaseIterable {
    /// There is nothing at the path.
    case notFound = "metadata-file-not-found"
    /// The system cannot read it.
    case unreadable = "metadata-file-unreadable"
    /// It is neither a folder, nor a zip archive, nor an `extract.actionsdata`.
    case unknownKind = "metadata-file-unknown-kind"
    /// It holds no App Intents metadata.
    case noMetadata = "metadata-file-none"
    /// The archive is damaged or cut off.
    case malformed = "metadata-file-malformed"
    /// The archive is encrypted.
    case encrypted = "metadata-file-encrypted"
    /// An entry of the archive has a name that leads elsewhere, or one that is there twice.
    case refusedEntry = "metadata-file-refused-entry"
    /// A file or their number is beyond a limit.
    case limit = "metadata-file-limit"
    /// The metadata itself is wrong; the cause says how.
    case invalidMetadata = "metadata-file-invalid"
  }

  package var code: Code
  /// What happened, without a full stop.
  package var message: String
  /// Details by name: `path`, `entry`.
  package var context: [String: String]
  /// The error below, if any.
  package var cause: (any Error)?

  package init(
    _ code: Code, _ message: String, context: [String: String] = [:], cause: (any Error)? = nil
  ) {
    self.code = code
    self.message = message
    self.context = context
    self.cause = cause
  }

  package var description: String { message }
}
