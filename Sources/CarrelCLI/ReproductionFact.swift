import Evidence
import RunModel

/// A fact of an attempt's surroundings that is another one when it is reproduced.
struct ReproductionFact: Encodable, Hashable {
  /// Its name; docs/reproduction.md has a table.
  var fact: String
  /// `nil` when there was nothing.
  var then: String?
  /// `nil` when there is nothing.
  var now: String?

  private enum CodingKeys: String, CodingKey {
    case fact, then, now
  }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(fact, forKey: .fact)
    try container.encode(then, forKey: .then)
    try container.encode(now, forKey: .now)
  }

  /// For example `compiler.version: was 6.3.1, is 6.2`.
  var text: String { "\(fact): was \(Self.shown(then)), is \(Self.shown(now))" }

  /// The list for people: complete, in the order of the facts.
  static func lines(_ facts: [ReproductionFact]) -> [String] {
    guard !facts.isEmpty else { return ["differs from the original: nothing that is recorded"] }
    return ["differs from the original:"] + facts.map { "  \(ByteName($0.text).displayName)" }
  }

  /// Digests are told apart by their first digits.
  private static func shown(_ value: String?) -> String {
    guard let value else { return "not there" }
    let prefix = "sha256:"
    guard value.hasPrefix(prefix), value.utf8.count > 24 else {
      return value.isEmpty ? "empty" : value
    }
    return String(value.prefix(prefix.utf8.count + 12)) + "…"
  }
}
