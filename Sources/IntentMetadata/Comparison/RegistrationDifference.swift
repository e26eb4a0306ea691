package import IntentWire

/// A difference between what sources or a build declare and what the running app has registered.
package struct RegistrationDifference: Hashable, Sendable {
  package var item: MetadataItem
  /// What it is, without a full stop.
  package var message: String

  package init(_ item: MetadataItem, _ message: String) {
    self.item = item
    self.message = message
  }

  /// Each thing that only one side has, or that both have otherwise.
  ///
  /// - Parameters:
  ///   - metadata: What is declared.
  ///   - app: What the running app answers.
  package static func all(
    declared metadata: AppMetadata, registered app: AppDescription
  ) -> [RegistrationDifference] {
    var differences: [RegistrationDifference] = []
    compare(
      metadata.intents, app.intents, \.identifier, \.identifier, MetadataItem.intent,
      into: &differences
    ) { intent, registered in
      members(intent, registered)
    }
    compare(
      metadata.entities, app.entities, \.typeName, \.identifier, MetadataItem.entity,
      into: &differences
    ) { entity, registered in
      compareNames(
        entity.properties.map(\.identifier), registered.properties.map(\.name)
      ) { .property(entity: entity.typeName, $0) }
    }
    compare(
      metadata.enumerations.filter { !$0.isSystem }, app.enumerations, \.identifier, \.identifier,
      MetadataItem.enumeration, into: &differences
    ) { enumeration, registered in
      compareNames(enumeration.cases.map(\.identifier), registered.cases) {
        .enumerationCase(enumeration: enumeration.identifier, $0)
      }
    }
    differences += shortcuts(metadata, app)
    return differences
  }

  private static func compare<Declared, Registered>(
    _ declared: [Declared], _ registered: [Registered], _ name: (Declared) -> String,
    _ otherName: (Registered) -> String, _ item: (String) -> MetadataItem,
    into differences: inout [RegistrationDifference],
    both: (Declared, Registered) -> [RegistrationDifference]
  ) {
    let answers = Dictionary(
      registered.map { (otherName($0), $0) }, uniquingKeysWith: { first, _ in first })
    let names = Set(declared.map(name))
    for node in declared {
      if let answer = answers[name(node)] {
        differences += both(node, answer)
      } else {
        differences.append(onlyDeclared(item(name(node))))
      }
    }
    for node in registered where !names.contains(otherName(node)) {
      differences.append(onlyRegistered(item(otherName(node))))
    }
  }

  private static func members(
    _ intent: MetadataIntent, _ registered: AppDescription.Intent
  ) -> [RegistrationDifference] {
    let item = MetadataItem.intent(intent.identifier)
    var differences = compareNames(
      intent.parameters.map(\.name), registered.parameters.map(\.name)
    ) { .parameter(intent: intent.identifier, $0) }
    for (what, first, second) in [
      ("is discoverable", intent.isDiscoverable, registered.isDiscoverable),
      ("opens the app", intent.opensApp, registered.opensApp),
    ] where first != second {
      differences.append(
        RegistrationDifference(
          item, "\(item.name) \(what) in the \(first ? "declaration" : "running app") only"))
    }
    // Titles are not compared: the running app has them in the language of its surroundings.
    return differences
  }

  private static func compareNames(
    _ declared: [String], _ registered: [String], item: (String) -> MetadataItem
  ) -> [RegistrationDifference] {
    let (first, second) = (Set(declared), Set(registered))
    return declared.filter { !second.contains($0) }.map { onlyDeclared(item($0)) }
      + registered.filter { !first.contains($0) }.map { onlyRegistered(item($0)) }
  }

  private static func shortcuts(
    _ metadata: AppMetadata, _ app: AppDescription
  ) -> [RegistrationDifference] {
    let declared = metadata.shortcuts.map { "\($0.intent): \($0.phrases.map(\.key))" }
    let registered = app.shortcuts.map { "\($0.intent): \($0.phrases)" }
    var differences: [RegistrationDifference] = []
    for (index, shortcut) in metadata.shortcuts.enumerated()
    where !registered.contains(declared[index]) {
      differences.append(
        RegistrationDifference(
          .shortcut(index),
          "the App Shortcut of intent '\(shortcut.intent)' with its phrases is declared, and the "
            + "running app does not have it"))
    }
    for (index, shortcut) in app.shortcuts.enumerated() where !declared.contains(registered[index])
    {
      differences.append(
        RegistrationDifference(
          .shortcut(index),
          "the App Shortcut of intent '\(shortcut.intent)' with its phrases is not declared, and "
            + "the "
            + "running app has it"))
    }
    return differences
  }

  private static func onlyDeclared(_ item: MetadataItem) -> RegistrationDifference {
    RegistrationDifference(
      item, "\(item.name) is declared, and the running app does not have it")
  }

  private static func onlyRegistered(_ item: MetadataItem) -> RegistrationDifference {
    RegistrationDifference(
      item, "\(item.name) is not declared, and the running app has it")
  }
}
