import IntentWire

/// What a ``MetadataMaker`` has collected.
struct MetadataDraft {
  var intents: [String: WireJSON] = [:]
  var entities: [String: WireJSON] = [:]
  var queries: [String: WireJSON] = [:]
  var enumerations: [String: WireJSON] = [:]
  var shortcuts: [WireJSON] = []
  var providerName: String?
  var locations: [MetadataItem: SourceLocation] = [:]
  var unknowns: [DeclaredMetadata.UnknownValue] = []
  var providers: [DeclaredMetadata.Provider] = []
  /// The types by what they are known as, in the order of declaration.
  private var typeNames: [MetadataItem: [String]] = [:]

  /// Notes that a type is known as something, which another may be, too.
  mutating func declare(_ item: MetadataItem, as typeName: String, at location: SourceLocation) {
    typeNames[item, default: []].append(typeName)
    locations[item] = location
  }

  func declared(version: String) -> DeclaredMetadata {
    var members: [WireJSON.Member] = [
      WireJSON.Member("actions", named(intents)), WireJSON.Member("assistantEntities", []),
      WireJSON.Member("assistantIntentNegativePhrases", []),
      WireJSON.Member("assistantIntents", []),
    ]
    if let providerName {
      members.append(WireJSON.Member("autoShortcutProviderMangledName", .string(providerName)))
    }
    members += [
      WireJSON.Member("autoShortcuts", .array(shortcuts)),
      WireJSON.Member("entities", named(entities)),
      WireJSON.Member("enums", .array(enumerations.sorted { $0.key < $1.key }.map(\.value))),
      WireJSON.Member(
        "generator",
        ["name": .string(MetadataMaker.generatorName), "version": .string(version)]),
      WireJSON.Member("negativePhrases", []), WireJSON.Member("queries", named(queries)),
      // What files have whose sources name no color; the numbers of colors are not known.
      WireJSON.Member("shortcutTileColor", 14),
      WireJSON.Member("version", .int(Int64(AppMetadata.version))),
    ]
    return DeclaredMetadata(
      AppMetadata(made: .object(members)), locations: locations, unknowns: unknowns,
      providers: providers,
      duplicates: typeNames.filter { $0.value.count > 1 }.map {
        DeclaredMetadata.Duplicate(item: $0.key, types: $0.value, location: locations[$0.key])
      }.sorted { $0.item.name < $1.item.name })
  }

  private func named(_ nodes: [String: WireJSON]) -> WireJSON {
    .object(nodes.sorted { $0.key < $1.key }.map { WireJSON.Member($0.key, $0.value) })
  }
}
