package import IntentWire

/// A call of an app, as a journal tells it.
package struct JournalCall: Hashable, Sendable {
  /// Bundle identifier, method and intent.
  package var name: String
  /// Seconds to the answer.
  package var duration: Double
  /// Parameters, result, error and queries, with the names that are specific to a run replaced.
  fileprivate var content: WireJSON

  /// - Returns: `nil` when the value is no call.
  package init?(_ json: WireJSON, replacing names: SpecificNames) {
    guard let bundle = json["bundle"]?.string, let method = json["method"]?.string else {
      return nil
    }
    name = ([bundle, method] + [json["intent"]?.string].compactMap { $0 }).joined(separator: " ")
    duration = json["duration"]?.double ?? 0
    let left = ["test", "attempt", "time", "duration", "bundle", "method", "intent", "runtime"]
    content = .object(
      (json.members ?? []).filter { !left.contains($0.key) && $0.key != "fixtureToken" }
    ).withSortedMembers.replacing(names)
  }

  fileprivate var parameters: String {
    String(decoding: (content["parameters"] ?? .null).bytes, as: UTF8.self)
  }

  fileprivate var text: String { String(decoding: content.bytes, as: UTF8.self) }
}

/// Where the calls of two journals differ, in their order.
package struct CallComparison: Hashable, Sendable, Encodable {
  /// A call that only one side has, or two that stand for each other and differ.
  package struct Row: Hashable, Sendable, Encodable {
    /// Number of the call in the journal, from 1; `nil` when the side has none.
    package var a: Int?
    package var b: Int?
    package var name: String
    /// What differs of the two; of a single call its parameters, result and so on.
    package var fields: [FieldDifference]
  }

  package var rows: [Row]
  /// Calls that are the same on both sides.
  package var equal: Int
  package var isMinimal: Bool

  package init(_ a: [JournalCall], _ b: [JournalCall]) {
    var alignment = Alignment(a, b)
    alignment.run()
    isMinimal = alignment.isMinimal
    rows = []
    equal = 0
    for pair in alignment.pairs {
      let (left, right) = (pair.a.map { a[$0] }, pair.b.map { b[$0] })
      var fields = FieldDifference.between(
        left?.content ?? .object([]), right?.content ?? .object([]))
      if let left, let right, Self.isFarApart(left.duration, right.duration) {
        fields.append(
          FieldDifference("duration", a: seconds(left.duration), b: seconds(right.duration)))
      }
      if left != nil, right != nil, fields.isEmpty {
        equal += 1
      } else {
        rows.append(
          Row(
            a: pair.a.map { $0 + 1 }, b: pair.b.map { $0 + 1 },
            name: left?.name ?? right?.name ?? "", fields: fields))
      }
    }
  }

  /// Whether one of two durations is at least three times the other one and 0.1 s longer.
  package static func isFarApart(_ a: Double, _ b: Double) -> Bool {
    let (short, long) = (min(a, b), max(a, b))
    return long - short >= 0.1 && long >= 3 * short
  }
}

/// Seconds with three decimals for people.
package func seconds(_ value: Double) -> String {
  guard value.isFinite, abs(value) < 1e12 else { return "\(value) s" }
  return "\((value * 1000).rounded() / 1000) s"
}

/// Finds the calls of two journals that stand for each other: those that are equal, between these
/// the ones with the same parameters, and between these the ones of the same app, method and
/// intent.
private struct Alignment {
  /// In the order of the journals.
  private(set) var pairs: [(a: Int?, b: Int?)] = []
  private(set) var isMinimal = true
  /// What calls are aligned by, from the strictest on.
  private let keys: [(a: [String], b: [String])]

  init(_ a: [JournalCall], _ b: [JournalCall]) {
    keys = [
      (a.map { "\($0.name) \($0.text)" }, b.map { "\($0.name) \($0.text)" }),
      (a.map { "\($0.name) \($0.parameters)" }, b.map { "\($0.name) \($0.parameters)" }),
      (a.map(\.name), b.map(\.name)),
    ]
  }

  mutating func run() { align(0, 0..<keys[0].a.count, 0..<keys[0].b.count) }

  private mutating func align(_ level: Int, _ a: Range<Int>, _ b: Range<Int>) {
    guard level < keys.count, !a.isEmpty, !b.isEmpty else {
      pairs += a.map { ($0, nil) }
      pairs += b.map { (nil, $0) }
      return
    }
    let diff = SequenceDiff(Array(keys[level].a[a]), Array(keys[level].b[b]))
    isMinimal = isMinimal && diff.isMinimal
    var (x, y) = (a.lowerBound, b.lowerBound)
    func pairUp(to end: Int) {
      while x < end {
        pairs.append((x, y))
        x += 1
        y += 1
      }
    }
    for change in diff.changes {
      pairUp(to: a.lowerBound + change.left.lowerBound)
      let right = b.lowerBound + change.right.lowerBound
      align(
        level + 1, x..<a.lowerBound + change.left.upperBound,
        right..<b.lowerBound + change.right.upperBound)
      x = a.lowerBound + change.left.upperBound
      y = b.lowerBound + change.right.upperBound
    }
    pairUp(to: a.upperBound)
  }
}
