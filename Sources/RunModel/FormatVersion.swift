/// A format's version: a reader accepts newer minor versions and refuses newer major ones.
package struct FormatVersion: Codable, Hashable, Sendable, CustomStringConvertible {
  package var major: Int
  package var minor: Int

  package init(major: Int, minor: Int) {
    self.major = major
    self.minor = minor
  }

  package init?(_ text: String) {
    let parts = text.split(separator: ".", omittingEmptySubsequences: false).map { Int($0) }
    guard parts.count == 2, let major = parts[0], let minor = parts[1], major >= 0, minor >= 0
    else { return nil }
    self.init(major: major, minor: minor)
  }

  package var description: String { "\(major).\(minor)" }

  package init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    let text = try container.decode(String.self)
    guard let version = FormatVersion(text) else {
      throw DecodingError.dataCorruptedError(
        in: container, debugDescription: "not a format version: \(text)")
    }
    self = version
  }

  package func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(description)
  }
}
