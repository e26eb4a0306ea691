package import AppIntents
package import IntentWire

/// What an app's executable offers: every intent, entity, enumeration and shortcut provider in it.
package struct AppRegistry: Sendable {
  package var intents: [String: any AppIntent.Type] = [:]
  package var entities: [String: any AppEntity.Type] = [:]
  package var enumerations: [String: any AppEnum.Type] = [:]
  package var providers: [any AppShortcutsProvider.Type] = []
  /// Names that several types have; the first in the executable is taken.
  package var duplicates: [String] = []

  /// Finds everything in this executable.
  package static func ofThisExecutable() -> AppRegistry {
    var registry = AppRegistry()
    let records = ConformanceRecords()
    for type in records.intents { registry.add(type, type.persistentIdentifier, \.intents) }
    for type in records.entities { registry.add(type, type.persistentIdentifier, \.entities) }
    for type in records.enumerations {
      registry.add(type, type.persistentIdentifier, \.enumerations)
    }
    registry.providers = records.shortcutsProviders
    return registry
  }

  private mutating func add<T>(
    _ type: T, _ name: String, _ path: WritableKeyPath<AppRegistry, [String: T]>
  ) {
    if self[keyPath: path][name] == nil {
      self[keyPath: path][name] = type
    } else {
      duplicates.append(name)
    }
  }

  /// The description that the app gives of itself.
  package func description(bundleIdentifier: String) -> AppDescription {
    AppDescription(
      bundleIdentifier: bundleIdentifier, compiler: compilerVersion,
      intents: intents.values.map { describe($0) }.sorted { $0.identifier < $1.identifier },
      entities: entities.values.map { describe($0) }.sorted { $0.identifier < $1.identifier },
      enumerations: enumerations.values.map { describe($0) }
        .sorted { $0.identifier < $1.identifier },
      shortcuts: providers.flatMap { $0.appShortcuts.map { describe($0) } })
  }

  private func describe<Intent: AppIntent>(_ type: Intent.Type) -> AppDescription.Intent {
    AppDescription.Intent(
      identifier: type.persistentIdentifier, title: type.title.defaultValue,
      isDiscoverable: type.isDiscoverable, opensApp: type.openAppWhenRun,
      parameters: AppIntents.parameters(of: type.init()).map {
        AppDescription.Member(
          name: $0.name, title: $0.parameter._title, type: $0.parameter._type,
          hasDefault: $0.parameter._hasDefault, range: $0.parameter._range)
      })
  }

  private func describe<Entity: AppEntity>(_ type: Entity.Type) -> AppDescription.Entity {
    let query = type.defaultQuery
    return AppDescription.Entity(
      identifier: type.persistentIdentifier,
      title: type.typeDisplayRepresentation.name.defaultValue,
      properties: propertyTypes(of: type).map {
        AppDescription.Member(name: $0.name, title: "", type: $0.type)
      },
      canMatch: query is any EntityStringQuery, canList: query is any EnumerableEntityQuery,
      isIndexed: type is any IndexedEntity.Type)
  }

  private func describe<Enumeration: AppEnum>(
    _ type: Enumeration.Type
  ) -> AppDescription.Enumeration {
    AppDescription.Enumeration(
      identifier: type.persistentIdentifier,
      title: type.typeDisplayRepresentation.name.defaultValue,
      cases: type.allCases.map(\.rawValue.description))
  }

  private func describe(_ shortcut: AppShortcut) -> AppDescription.Shortcut {
    AppDescription.Shortcut(
      intent: type(of: shortcut.intent).persistentIdentifier,
      title: shortcut.shortTitle?.defaultValue ?? "", image: shortcut.systemImageName,
      phrases: shortcut.phraseTemplates)
  }
}

/// The version of the compiler that built this executable, with its patch number.
var compilerVersion: String {
  #if compiler(>=6.4.5)
    "Swift 6.4.5 or newer"
  #elseif compiler(>=6.4.4)
    "Swift 6.4.4"
  #elseif compiler(>=6.4.3)
    "Swift 6.4.3"
  #elseif compiler(>=6.4.2)
    "Swift 6.4.2"
  #elseif compiler(>=6.4.1)
    "Swift 6.4.1"
  #elseif compiler(>=6.4.0)
    "Swift 6.4.0"
  #elseif compiler(>=6.3.5)
    "Swift 6.3.5"
  #elseif compiler(>=6.3.4)
    "Swift 6.3.4"
  #elseif compiler(>=6.3.3)
    "Swift 6.3.3"
  #elseif compiler(>=6.3.2)
    "Swift 6.3.2"
  #elseif compiler(>=6.3.1)
    "Swift 6.3.1"
  #elseif compiler(>=6.3.0)
    "Swift 6.3.0"
  #elseif compiler(>=6.2.5)
    "Swift 6.2.5"
  #elseif compiler(>=6.2.4)
    "Swift 6.2.4"
  #elseif compiler(>=6.2.3)
    "Swift 6.2.3"
  #elseif compiler(>=6.2.2)
    "Swift 6.2.2"
  #elseif compiler(>=6.2.1)
    "Swift 6.2.1"
  #else
    "Swift 6.2.0"
  #endif
}
