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

/// Finds the calls of two journals that stand for each other: those that are equal, and between
/// these the ones of the same app, method and intent.
private struct Alignment {
  private let a: [JournalCall]
  private let b: [JournalCall]
  /// In the order of the journals.
  private(set) var pairs: [(a: Int?, b: Int?)] = []
  private(set) var isMinimal = true

  init(_ a: [JournalCall], _ b: [JournalCall]) {
    self.a = a
    self.b = b
  }

  mutating func run() {
    let texts = [a, b].map { calls in calls.map { "\($0.name) \($0.text)" } }
    let whole = SequenceDiff(texts[0], texts[1])
    isMinimal = whole.isMinimal
    var (x, y) = (0, 0)
    for change in whole.changes {
      pairUp(&x, &y, to: change.left.lowerBound)
      pair(change)
      (x, y) = (change.left.upperBound, change.right.upperBound)
    }
    pairUp(&x, &y, to: a.count)
  }

  private mutating func pairUp(_ x: inout Int, _ y: inout Int, to end: Int) {
    while x < end {
      pairs.append((x, y))
      x += 1
      y += 1
    }
  }

  private mutating func pair(_ change: SequenceDiff.Change) {
    let names = SequenceDiff(a[change.left].map(\.name), b[change.right].map(\.name))
    isMinimal = isMinimal && names.isMinimal
    var (x, y) = (change.left.lowerBound, change.right.lowerBound)
    for inner in names.changes {
      pairUp(&x, &y, to: change.left.lowerBound + inner.left.lowerBound)
      pairs += inner.left.map { (change.left.lowerBound + $0, nil) }
      pairs += inner.right.map { (nil, change.right.lowerBound + $0) }
      x = change.left.lowerBound + inner.left.upperBound
      y = change.right.lowerBound + inner.right.upperBound
    }
    pairUp(&x, &y, to: change.left.upperBound)
  }
}
