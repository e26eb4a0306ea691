extension MetadataCheck {
  mutating func checkIntents() {
    for intent in metadata.intents {
      let item = MetadataItem.intent(intent.identifier)
      if intent.title == nil, !isUnknown("title", of: item) {
        report(.missingTitle, item, "intent '\(intent.identifier)' has no title")
      }
      if intent.descriptionText == nil, intent.isDiscoverable, !isUnknown("description", of: item) {
        report(.missingDescription, item, "intent '\(intent.identifier)' has no description")
      }
      if surroundings.isExtension, intent.opensApp {
        report(
          .opensAppInExtension, item,
          "intent '\(intent.identifier)' of an extension opens the app when it is run")
      }
      if surroundings.isRelease, isForTests(intent) {
        report(
          .debugIntentInRelease, item,
          "intent '\(intent.identifier)' looks like one for tests, and is in a release product")
      }
      checkParameters(intent)
    }
  }

  private mutating func checkParameters(_ intent: MetadataIntent) {
    let shown = intent.summary.map { Set($0.parameters) }
    for parameter in intent.parameters {
      let item = MetadataItem.parameter(intent: intent.identifier, parameter.name)
      if parameter.title == nil, !isUnknown("title", of: item) {
        report(
          .missingTitle, item,
          "parameter '\(parameter.name)' of intent '\(intent.identifier)' has no title")
      }
      if let shown, !shown.contains(parameter.name) {
        report(
          .parameterNotInSummary, item,
          "parameter '\(parameter.name)' of intent '\(intent.identifier)' is not in its summary")
      }
      if case .entity(let name) = parameter.type.kind { checkSearch(name, item, intent) }
    }
  }

  private mutating func checkSearch(
    _ entity: String, _ item: MetadataItem, _ intent: MetadataIntent
  ) {
    guard let query = query(of: entity), !query.matchesText else { return }
    report(
      .queryWithoutTextSearch, item,
      "\(item.name) is an entity '\(entity)', whose query '\(query.identifier)' does not search "
        + "for "
        + "a text")
  }

  /// The query that an entity says is its own.
  func query(of entity: String) -> MetadataQuery? {
    guard let name = metadata.entities.first(where: { $0.typeName == entity })?.defaultQuery else {
      return nil
    }
    return metadata.queries.first {
      $0.qualifiedIdentifier == name || $0.identifier == name || $0.key == name
        || name.hasSuffix("." + $0.identifier)
    }
  }

  private func isForTests(_ intent: MetadataIntent) -> Bool {
    let name = intent.identifier.lowercased()
    if surroundings.testNames.contains(where: { name.hasPrefix($0) || name.hasSuffix($0) }) {
      return true
    }
    guard !intent.isDiscoverable else { return false }
    let names = [intent.identifier, intent.title?.key ?? ""].map { $0.lowercased() }
    return surroundings.debugWords.contains { word in names.contains { $0.contains(word) } }
  }
}

extension MetadataCheck {
  mutating func checkEntities() {
    for entity in metadata.entities {
      let item = MetadataItem.entity(entity.typeName)
      if entity.title == nil, !isUnknown("typeDisplayRepresentation", of: item) {
        report(.missingTitle, item, "entity '\(entity.typeName)' has no display name")
      }
      if !entity.isTransient, entity.defaultQuery == nil {
        report(.entityWithoutQuery, item, "entity '\(entity.typeName)' has no query")
      } else if let name = entity.defaultQuery, query(of: entity.typeName) == nil {
        report(
          .entityWithoutQuery, item,
          "entity '\(entity.typeName)' has the query '\(name)', which is not there")
      }
    }
    for enumeration in metadata.enumerations where !enumeration.isSystem {
      let item = MetadataItem.enumeration(enumeration.identifier)
      if enumeration.title == nil, !isUnknown("typeDisplayRepresentation", of: item) {
        report(.missingTitle, item, "enumeration '\(enumeration.identifier)' has no display name")
      }
      guard !isUnknown("caseDisplayRepresentations", of: item) else { continue }
      for value in enumeration.cases where value.title == nil {
        let caseItem = MetadataItem.enumerationCase(
          enumeration: enumeration.identifier, value.identifier)
        guard !isUnknown("title", of: caseItem) else { continue }
        report(.missingTitle, caseItem, "\(caseItem.name) has no title")
      }
    }
  }

  /// Looks for texts that are keys: a table of some language has them, or they have the form of
  /// one.
  mutating func checkStrings() {
    guard let tables = surroundings.strings, !tables.isEmpty else { return }
    for (item, text) in texts {
      let missing = tables.filter { !$0.value.contains(text) }.map(\.key).sorted()
      guard !missing.isEmpty else { continue }
      let isKnown = missing.count < tables.count
      guard isKnown || Self.looksLikeKey(text) else { continue }
      report(
        .unresolvedKey, item,
        isKnown
          ? "\"\(text)\" of \(item.name) is missing in \(missing.joined(separator: ", "))"
          : "\"\(text)\" of \(item.name) is in no string table")
    }
  }

  /// A key as people write them: without spaces, in parts.
  private static func looksLikeKey(_ text: String) -> Bool {
    !text.contains(" ") && text.contains { $0 == "." || $0 == "_" }
      && text.first?.isLetter == true && text.last?.isLetter == true
  }

  /// All texts for people, with what they are of.
  private var texts: [(MetadataItem, String)] {
    var texts: [(MetadataItem, String?)] = []
    for intent in metadata.intents {
      texts.append((.intent(intent.identifier), intent.title?.key))
      texts.append((.intent(intent.identifier), intent.descriptionText?.key))
      for parameter in intent.parameters {
        texts.append(
          (.parameter(intent: intent.identifier, parameter.name), parameter.title?.key))
      }
    }
    for entity in metadata.entities {
      texts.append((.entity(entity.typeName), entity.title?.key))
      for property in entity.properties {
        texts.append(
          (.property(entity: entity.typeName, property.identifier), property.title?.key))
      }
    }
    for enumeration in metadata.enumerations {
      texts.append((.enumeration(enumeration.identifier), enumeration.title?.key))
      for value in enumeration.cases {
        texts.append(
          (
            .enumerationCase(enumeration: enumeration.identifier, value.identifier),
            value.title?.key
          ))
      }
    }
    for (number, shortcut) in metadata.shortcuts.enumerated() {
      texts.append((.shortcut(number), shortcut.title?.key))
    }
    return texts.compactMap { item, text in text.map { (item, $0) } }
  }
}
