/// Something that a rule found.
package struct MetadataFinding: Hashable, Sendable {
  package var rule: MetadataRule
  package var severity: FindingSeverity
  /// What it is about; `nil` for the whole.
  package var item: MetadataItem?
  /// What is wrong, with the names of the app, without a full stop.
  package var message: String
  /// `nil` for metadata that was read from a build.
  package var location: SourceLocation?

  package init(
    _ rule: MetadataRule, severity: FindingSeverity, item: MetadataItem?, message: String,
    location: SourceLocation? = nil
  ) {
    self.rule = rule
    self.severity = severity
    self.item = item
    self.message = message
    self.location = location
  }

  /// Names the finding in a baseline; the same for as long as names and texts are the same,
  /// wherever in its file the thing is.
  package var fingerprint: String { "\(rule.rawValue): \(message)" }
}

/// What is known of the product that metadata is of.
package struct MetadataSurroundings: Sendable {
  /// Whether it is an app extension.
  package var isExtension = false
  /// Whether people get it.
  package var isRelease = false
  /// Keys of the string tables by language; `nil` when there are no tables.
  package var strings: [String: Set<String>]?
  /// Beginnings and ends of names of intents that are for tests, also when people can find them;
  /// compared without case.
  package var testNames = ["debug", "debugintent", "uitest", "uitestintent", "fortests"]
  /// What is in names and titles of intents that are for tests when people cannot find them; the
  /// same.
  package var debugWords = ["debug", "seed", "fixture", "uitest", "testing", "reset for test"]

  package init() {}
}

/// What a user says of rules.
package struct MetadataRuleSettings: Sendable {
  package var severities: [MetadataRule: FindingSeverity] = [:]
  /// Fingerprints of findings that are known already.
  package var baseline: Set<String> = []

  package init() {}

  func severity(_ rule: MetadataRule) -> FindingSeverity { severities[rule] ?? rule.severity }
}
