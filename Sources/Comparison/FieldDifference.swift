package import IntentWire

/// A fact that two bundles tell differently.
package struct FieldDifference: Hashable, Sendable, Encodable {
  /// Where it is, for example `issues[0].message`.
  package var name: String
  /// A text as it is, any other value as JSON; `nil` when there is none.
  package var a: String?
  package var b: String?
  /// Whether it is other in each attempt anyway, and no difference that counts.
  package var isExpected: Bool
  /// What it means, for people.
  package var note: String?

  package init(
    _ name: String, a: String?, b: String?, isExpected: Bool = false, note: String? = nil
  ) {
    self.name = name
    self.a = a
    self.b = b
    self.isExpected = isExpected
    self.note = note
  }
}

extension FieldDifference {
  /// Compares two JSON values member by member.
  ///
  /// A member that is `null` is like one that is not there. Elements of arrays are aligned, so that
  /// one that was put in is one difference; where the aligned ones have other numbers on each side,
  /// the name has both: `[2|3]`.
  ///
  /// - Parameter name: What the values are called, empty for whole documents.
  package static func between(
    _ a: WireJSON?, _ b: WireJSON?, name: String = ""
  ) -> [FieldDifference] {
    var result: [FieldDifference] = []
    compare(a?.withSortedMembers, b?.withSortedMembers, name, &result)
    return result
  }

  private static func compare(
    _ a: WireJSON?, _ b: WireJSON?, _ name: String, _ result: inout [FieldDifference]
  ) {
    let (a, b) = (a == .null ? nil : a, b == .null ? nil : b)
    guard a != b else { return }
    if let left = a?.members, let right = b?.members {
      let prefix = name.isEmpty ? "" : name + "."
      let (left, right) = (byKey(left), byKey(right))
      for key in Set(left.keys).union(right.keys).sorted() {
        compare(left[key], right[key], prefix + key, &result)
      }
    } else if let left = a?.array, let right = b?.array {
      let texts = [left, right].map { $0.map { String(decoding: $0.bytes, as: UTF8.self) } }
      for change in SequenceDiff(texts[0], texts[1]).changes {
        for offset in 0..<max(change.left.count, change.right.count) {
          let x = offset < change.left.count ? change.left.lowerBound + offset : nil
          let y = offset < change.right.count ? change.right.lowerBound + offset : nil
          let place =
            switch (x, y) {
            case (let x?, let y?) where x != y: "\(x)|\(y)"
            default: "\(x ?? y ?? 0)"
            }
          compare(x.map { left[$0] }, y.map { right[$0] }, "\(name)[\(place)]", &result)
        }
      }
    } else {
      result.append(FieldDifference(name, a: a?.factText, b: b?.factText))
    }
  }

  private static func byKey(_ members: [WireJSON.Member]) -> [String: WireJSON] {
    Dictionary(members.map { ($0.key, $0.value) }, uniquingKeysWith: { first, _ in first })
  }
}

extension WireJSON {
  /// A text as it is, any other value as JSON.
  package var factText: String { string ?? String(decoding: bytes, as: UTF8.self) }

  /// The value with the members of all objects sorted by their keys.
  package var withSortedMembers: WireJSON {
    switch self {
    case .array(let values): .array(values.map(\.withSortedMembers))
    case .object(let members):
      .object(
        members.map { Member($0.key, $0.value.withSortedMembers) }.sorted { $0.key < $1.key })
    default: self
    }
  }

  /// The value with names that are specific to a run replaced in all texts.
  package func replacing(_ names: SpecificNames) -> WireJSON {
    switch self {
    case .string(let text): .string(names.replaced(in: text))
    case .array(let values): .array(values.map { $0.replacing(names) })
    case .object(let members):
      .object(members.map { Member(names.replaced(in: $0.key), $0.value.replacing(names)) })
    default: self
    }
  }
}
