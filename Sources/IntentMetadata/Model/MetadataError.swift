/// Why App Intents metadata could not be read, made or compared.
package struct MetadataError: Error, Sendable, CustomStringConvertible {
  /// Stable codes.
  package enum Code: String, Sendable, CaseIterable {
    /// The bytes are no JSON.
    case invalidJSON = "metadata-invalid-json"
    /// A value has another type than the format says.
    case invalidShape = "metadata-invalid-shape"
    /// The JSON is something else than the metadata of App Intents.
    case notMetadata = "metadata-other-contents"
    /// The metadata is of a version that this program does not know.
    case newerVersion = "metadata-newer-version"
    /// A file is larger than what is read.
    case tooLarge = "metadata-too-large"
  }

  package var code: Code
  /// What happened, without a full stop.
  package var message: String
  /// Details by name: `path` is a place in the JSON, `offset` is in bytes.
  package var context: [String: String]

  package init(_ code: Code, _ message: String, context: [String: String] = [:]) {
    self.code = code
    self.message = message
    self.context = context
  }

  package var description: String { message }
}
