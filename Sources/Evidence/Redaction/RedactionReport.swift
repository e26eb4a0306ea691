package import RunModel

/// `redactions.json`: how much was taken out of a bundle, by rule and by entry; never what.
package struct RedactionReport: Codable, Sendable {
  /// The version of its format.
  package static let currentFormat = FormatVersion(major: 1, minor: 0)
  /// More entries, or entries with more bytes of names, are counted, not named.
  package static let mostEntries = 10_000
  static let mostNameBytes = 1 << 20
  /// More bytes than a report has: a byte of a name takes up to six.
  static let mostBytes = 16 << 20

  /// What was taken out of one entry.
  package struct Entry: Codable, Sendable {
    /// The name in the archive when it is valid UTF-8.
    package var path: String?
    /// Else its bytes, as in the list of contents.
    package var pathBytes: String?
    /// Number of secrets by the ID of their rule.
    package var rules: [String: Int]
  }

  package var format = Self.currentFormat
  /// `false` when nothing was searched for.
  package var isEnabled: Bool
  /// Number of secrets.
  package var total = 0
  /// The same by the ID of their rule.
  package var rules: [String: Int] = [:]
  package var entries: [Entry] = []
  /// Entries that are not named.
  package var otherEntries = 0
  /// Names of the variables in `command.json` whose values were taken out, sorted.
  package var variables: [String] = []
  private var nameBytes = 0

  package init(isEnabled: Bool) { self.isEnabled = isEnabled }

  private enum CodingKeys: String, CodingKey {
    case format, total, rules, entries, otherEntries, variables
    case isEnabled = "enabled"
  }

  mutating func add(_ path: ByteName, _ counts: [String: Int]) {
    guard !counts.isEmpty else { return }
    for (rule, count) in counts {
      total += count
      rules[rule, default: 0] += count
    }
    guard entries.count < Self.mostEntries, nameBytes + path.bytes.count <= Self.mostNameBytes
    else { return otherEntries += 1 }
    nameBytes += path.bytes.count
    let text = path.text
    entries.append(
      Entry(path: text, pathBytes: text == nil ? path.percentEncoded : nil, rules: counts))
  }
}

extension BundleReader {
  /// What was taken out of the bundle; `nil` when it does not say.
  ///
  /// - Throws: ``EvidenceError`` when that cannot be read.
  package func redactions() throws -> RedactionReport? {
    try readIfPresent(BundlePaths.redactions).map {
      try decodedJSON(
        RedactionReport.self, from: $0, reading: RedactionReport.currentFormat,
        name: "'\(BundlePaths.redactions)' in '\(ByteName(path).displayName)'")
    }
  }
}
