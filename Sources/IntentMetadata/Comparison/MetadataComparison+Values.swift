extension MetadataComparison {
  mutating func compareEntities(_ old: [MetadataEntity], _ new: [MetadataEntity]) {
    walk(
      old, new, name: \.typeName,
      removed: { comparison, entity in
        comparison.note(
          .removed, .entity(entity.typeName), "entity '\(entity.typeName)' is gone", breaks: true)
      },
      added: { comparison, entity in
        comparison.note(.added, .entity(entity.typeName), "entity '\(entity.typeName)' is new")
      },
      both: { $0.compare($1, $2) })
  }

  private mutating func compare(_ old: MetadataEntity, _ new: MetadataEntity) {
    let item = MetadataItem.entity(old.typeName)
    compareText("name", old.title, new.title, of: item)
    if old.defaultQuery != new.defaultQuery {
      note(
        .changed, item,
        "the query of \(item.name) was \(old.defaultQuery ?? "none"), is "
          + "\(new.defaultQuery ?? "none")", breaks: new.defaultQuery == nil)
    }
    if old.isIndexed != new.isIndexed {
      note(
        .changed, item,
        new.isIndexed
          ? "\(item.name) is in the search index now"
          : "\(item.name) is not in the search index now")
    }
    walk(
      old.properties, new.properties, name: \.identifier,
      removed: { comparison, property in
        let item = MetadataItem.property(entity: old.typeName, property.identifier)
        comparison.note(.removed, item, "\(item.name) is gone", breaks: true)
      },
      added: { comparison, property in
        let item = MetadataItem.property(entity: old.typeName, property.identifier)
        comparison.note(.added, item, "\(item.name) is new")
      },
      both: { comparison, first, second in
        let item = MetadataItem.property(entity: old.typeName, first.identifier)
        if first.type != second.type {
          comparison.note(
            .changed, item, "the type of \(item.name) was \(first.type), is \(second.type)",
            breaks: true)
        }
        comparison.compareText("title", first.title, second.title, of: item)
      })
  }

  mutating func compareQueries(_ old: [MetadataQuery], _ new: [MetadataQuery]) {
    walk(
      old, new, name: \.identifier,
      // Entities say what a missing query means.
      removed: { comparison, query in
        comparison.note(.removed, .query(query.identifier), "query '\(query.identifier)' is gone")
      },
      added: { comparison, query in
        comparison.note(.added, .query(query.identifier), "query '\(query.identifier)' is new")
      },
      both: { comparison, first, second in
        guard first.matchesText != second.matchesText else { return }
        let item = MetadataItem.query(first.identifier)
        comparison.note(
          .changed, item,
          second.matchesText
            ? "\(item.name) searches for texts now"
            : "\(item.name) does not search for texts any more",
          breaks: first.matchesText)
      })
  }

  mutating func compareEnumerations(
    _ old: [MetadataEnumeration], _ new: [MetadataEnumeration]
  ) {
    walk(
      old, new, name: \.identifier,
      removed: { comparison, enumeration in
        let item = MetadataItem.enumeration(enumeration.identifier)
        comparison.note(.removed, item, "\(item.name) is gone", breaks: true)
      },
      added: { comparison, enumeration in
        let item = MetadataItem.enumeration(enumeration.identifier)
        comparison.note(.added, item, "\(item.name) is new")
      },
      both: { comparison, first, second in
        let name = first.identifier
        comparison.compareText("name", first.title, second.title, of: .enumeration(name))
        comparison.walk(
          first.cases, second.cases, name: \.identifier,
          removed: { comparison, value in
            let item = MetadataItem.enumerationCase(enumeration: name, value.identifier)
            comparison.note(.removed, item, "\(item.name) is gone", breaks: true)
          },
          added: { comparison, value in
            let item = MetadataItem.enumerationCase(enumeration: name, value.identifier)
            comparison.note(.added, item, "\(item.name) is new")
          },
          both: { comparison, one, other in
            comparison.compareText(
              "title", one.title, other.title,
              of: .enumerationCase(enumeration: name, one.identifier))
          })
      })
  }

  /// Shortcuts are known by their intents; an intent may have several.
  mutating func compareShortcuts(_ old: [MetadataShortcut], _ new: [MetadataShortcut]) {
    let phrases = { (shortcuts: [MetadataShortcut]) in
      Dictionary(
        shortcuts.enumerated().map { ($0.element.intent, [($0.offset, $0.element)]) },
        uniquingKeysWith: +)
    }
    let (earlier, later) = (phrases(old), phrases(new))
    for (intent, shortcuts) in earlier.sorted(by: { $0.key < $1.key }) {
      guard let others = later[intent] else {
        note(
          .removed, .shortcut(shortcuts[0].0), "the App Shortcut of intent '\(intent)' is gone",
          breaks: true)
        continue
      }
      let before = shortcuts.flatMap { $0.1.phrases.map(\.key) }
      let now = Set(others.flatMap { $0.1.phrases.map(\.key) })
      for phrase in before where !now.contains(phrase) {
        note(
          .removed, .shortcut(shortcuts[0].0),
          "the phrase \"\(phrase)\" of intent '\(intent)' is gone",
          breaks: true)
      }
      for phrase in now.subtracting(before).sorted() {
        note(
          .added, .shortcut(others[0].0), "the phrase \"\(phrase)\" of intent '\(intent)' is new")
      }
      if shortcuts.count == 1, others.count == 1 {
        let (title, other) = (shortcuts[0].1.title, others[0].1.title)
        if title?.key != other?.key {
          note(
            .changed, .shortcut(others[0].0),
            "the App Shortcut of intent '\(intent)' was \"\(title?.key ?? "")\", is "
              + "\"\(other?.key ?? "")\"")
        }
      }
    }
    for intent in later.keys.sorted() where earlier[intent] == nil {
      note(
        .added, .shortcut(later[intent]?.first?.0 ?? 0),
        "the App Shortcut of intent '\(intent)' is new")
    }
  }
}
