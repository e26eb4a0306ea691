package import IntentWire

/// Where the entries of two search indexes differ.
package struct EntryComparison: Hashable, Sendable, Encodable {
  /// An entry that only one index has, or that has other texts.
  package struct Row: Hashable, Sendable, Encodable {
    package var type: String
    package var identifier: String
    package var inA: Bool
    package var inB: Bool
    /// What differs of the two; of a single entry its fields.
    package var fields: [FieldDifference]
  }

  /// By type and identifier.
  package var rows: [Row]
  /// Entries that are the same in both.
  package var equal: Int

  package init(
    _ a: [IndexUpdate.Entry], _ b: [IndexUpdate.Entry],
    replacing names: (SpecificNames, SpecificNames)
  ) {
    let (left, right) = (Self.byKey(a, names.0), Self.byKey(b, names.1))
    rows = []
    equal = 0
    for key in Set(left.keys).union(right.keys).sorted() {
      let (first, second) = (left[key], right[key])
      guard first != second else {
        equal += 1
        continue
      }
      rows.append(
        Row(
          type: key.type, identifier: key.identifier, inA: first != nil, inB: second != nil,
          fields: FieldDifference.between(first ?? .object([]), second ?? .object([]))))
    }
  }

  private struct Key: Hashable, Comparable {
    var type: String
    var identifier: String

    static func < (lhs: Self, rhs: Self) -> Bool {
      (lhs.type, lhs.identifier) < (rhs.type, rhs.identifier)
    }
  }

  private static func byKey(
    _ entries: [IndexUpdate.Entry], _ names: SpecificNames
  ) -> [Key: WireJSON] {
    Dictionary(
      entries.map { entry in
        var members = entry.fields.map { WireJSON.Member($0.name, .string($0.text)) }
        if let domain = entry.domain { members.append(.init("domain", .string(domain))) }
        return (
          Key(
            type: names.replaced(in: entry.type),
            identifier: names.replaced(in: entry.identifier)),
          WireJSON.object(members).withSortedMembers.replacing(names)
        )
      }, uniquingKeysWith: { first, _ in first })
  }
}
