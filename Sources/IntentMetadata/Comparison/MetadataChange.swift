/// A difference between the metadata of two builds.
package struct MetadataChange: Hashable, Sendable {
  package enum Kind: String, Sendable, CaseIterable {
    case added, removed, renamed, changed
  }

  package var kind: Kind
  package var item: MetadataItem
  /// What it means, without a full stop.
  package var message: String
  /// Whether shortcuts that people have saved, or phrases that they say, stop working.
  package var isBreaking: Bool

  package init(_ kind: Kind, _ item: MetadataItem, _ message: String, isBreaking: Bool = false) {
    self.kind = kind
    self.item = item
    self.message = message
    self.isBreaking = isBreaking
  }
}

/// Compares the metadata of two builds as people notice it.
///
/// A saved shortcut names an intent by its identifier and its parameters by their names, and has
/// the values of enumerations by their raw values; so whatever removes or retypes one of these
/// breaks it.
package struct MetadataComparison {
  private(set) var changes: [MetadataChange] = []

  /// What changed from one build to the next; what breaks first, then in the order of kinds and
  /// names.
  package static func changes(from old: AppMetadata, to new: AppMetadata) -> [MetadataChange] {
    var comparison = MetadataComparison()
    comparison.compareIntents(old.intents, new.intents)
    comparison.compareEntities(old.entities, new.entities)
    comparison.compareQueries(old.queries, new.queries)
    comparison.compareEnumerations(old.enumerations, new.enumerations)
    comparison.compareShortcuts(old.shortcuts, new.shortcuts)
    return comparison.changes.enumerated().sorted { left, right in
      if left.element.isBreaking != right.element.isBreaking { return left.element.isBreaking }
      return left.offset < right.offset
    }.map(\.element)
  }

  mutating func note(
    _ kind: MetadataChange.Kind, _ item: MetadataItem, _ message: String, breaks: Bool = false
  ) {
    changes.append(MetadataChange(kind, item, message, isBreaking: breaks))
  }

  /// Walks through what two lists have, by name: each of the first, then what only the second has.
  mutating func walk<Node>(
    _ old: [Node], _ new: [Node], name: (Node) -> String,
    removed: (inout Self, Node) -> Void, added: (inout Self, Node) -> Void,
    both: (inout Self, Node, Node) -> Void
  ) {
    let later = Dictionary(new.map { (name($0), $0) }, uniquingKeysWith: { _, last in last })
    let earlier = Set(old.map(name))
    for node in old {
      if let match = later[name(node)] {
        both(&self, node, match)
      } else {
        removed(&self, node)
      }
    }
    for node in new where !earlier.contains(name(node)) { added(&self, node) }
  }

  /// Notes a text that people read.
  mutating func compareText(
    _ what: String, _ old: MetadataText?, _ new: MetadataText?, of item: MetadataItem
  ) {
    guard old?.key != new?.key else { return }
    note(
      .changed, item,
      "the \(what) of \(item.name) was \(Self.quoted(old)), is \(Self.quoted(new))")
  }

  private static func quoted(_ text: MetadataText?) -> String {
    text.map { "\"\($0.key)\"" } ?? "not there"
  }
}
