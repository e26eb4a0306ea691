/// A value that is a string in every format: its description, which parses back to it.
package protocol CodedAsText: Codable, CustomStringConvertible {
  /// What the value is, for an error: `a test ID`.
  static var kindOfText: String { get }

  /// - Returns: `nil` for a text that is no such value.
  init?(parsing text: String)
}

extension CodedAsText {
  package init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    let text = try container.decode(String.self)
    guard let value = Self(parsing: text) else {
      throw DecodingError.dataCorruptedError(
        in: container, debugDescription: "not \(Self.kindOfText): \(text)")
    }
    self = value
  }

  package func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(description)
  }
}
