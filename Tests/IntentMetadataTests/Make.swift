import IntentMetadata
import IntentWire

/// Makes metadata for tests of rules and comparisons.
enum Make {
  static func app(
    intents: [WireJSON] = [], entities: [WireJSON] = [], queries: [WireJSON] = [],
    enums: [WireJSON] = [], shortcuts: [WireJSON] = []
  ) -> AppMetadata {
    let named = { (nodes: [WireJSON], key: String) -> WireJSON in
      .object(nodes.map { WireJSON.Member($0[key]?.string ?? "", $0) })
    }
    let json: WireJSON = [
      "actions": named(intents, "identifier"), "entities": named(entities, "typeName"),
      "queries": named(queries, "identifier"), "enums": .array(enums),
      "autoShortcuts": .array(shortcuts), "version": 1,
    ]
    guard let metadata = try? AppMetadata(json: json) else { fatalError("wrong shapes") }
    return metadata
  }

  static func intent(
    _ identifier: String, title: String? = "Title", description: String? = "What it does",
    isDiscoverable: Bool = true, opensApp: Bool = false, output: MetadataValueType.Kind? = nil,
    parameters: [WireJSON] = [], summary: [String]? = nil
  ) -> WireJSON {
    var members = [
      WireJSON.Member("identifier", .string(identifier)),
      WireJSON.Member("isDiscoverable", .bool(isDiscoverable)),
      WireJSON.Member("openAppWhenRun", .bool(opensApp)),
      WireJSON.Member("parameters", .array(parameters)),
    ]
    if let title { members.append(WireJSON.Member("title", text(title))) }
    if let description {
      members.append(
        WireJSON.Member("descriptionMetadata", ["descriptionText": text(description)]))
    }
    if let output {
      members.append(WireJSON.Member("outputType", MetadataValueType(output).json))
    }
    if let summary {
      members.append(
        WireJSON.Member(
          "actionConfiguration",
          [
            "actionSummary": [
              "wrapper": [
                "summaryString": [
                  "formatString": "Do it",
                  "parameterIdentifiers": .array(summary.map { .string($0) }),
                ], "otherParameterIdentifiers": [],
              ]
            ]
          ]))
    }
    return .object(members)
  }

  static func parameter(
    _ name: String, _ type: MetadataValueType.Kind = .primitive(.string),
    title: String? = "Title", isOptional: Bool = false, standard: WireJSON? = nil
  ) -> WireJSON {
    var members = [
      WireJSON.Member("name", .string(name)), WireJSON.Member("isOptional", .bool(isOptional)),
      WireJSON.Member("valueType", MetadataValueType(type).json),
      WireJSON.Member(
        "typeSpecificMetadata",
        standard.map { ["LNValueTypeSpecificMetadataKeyDefaultValue", $0] } ?? []),
    ]
    if let title { members.append(WireJSON.Member("title", text(title))) }
    return .object(members)
  }

  static func entity(
    _ name: String, title: String? = "Thing", query: String?, properties: [WireJSON] = []
  ) -> WireJSON {
    var members = [
      WireJSON.Member("typeName", .string(name)), WireJSON.Member("transient", false),
      WireJSON.Member("properties", .array(properties)),
    ]
    if let title { members.append(WireJSON.Member("displayTypeName", text(title))) }
    if let query { members.append(WireJSON.Member("defaultQueryIdentifier", .string(query))) }
    return .object(members)
  }

  static func query(_ name: String, of entity: String, capabilities: Int64 = 6) -> WireJSON {
    [
      "identifier": .string(name), "fullyQualifiedIdentifier": .string("App." + name),
      "entityType": .string(entity), "capabilities": .int(capabilities),
    ]
  }

  static func enumeration(
    _ name: String, title: String? = "Kind", cases: [(String, String?)]
  ) -> WireJSON {
    var members = [
      WireJSON.Member("identifier", .string(name)),
      WireJSON.Member(
        "cases",
        .array(
          cases.map { name, title in
            [
              "identifier": .string(name),
              "displayRepresentation": title.map { ["title": text($0)] } ?? [:],
            ]
          })),
    ]
    if let title { members.append(WireJSON.Member("displayTypeName", text(title))) }
    return .object(members)
  }

  static func shortcut(
    _ intent: String, title: String? = "Short", phrases: [String] = ["Do ${applicationName}"]
  ) -> WireJSON {
    var members = [
      WireJSON.Member("actionIdentifier", .string(intent)),
      WireJSON.Member("phraseTemplates", .array(phrases.map { text($0) })),
    ]
    if let title { members.append(WireJSON.Member("shortTitle", text(title))) }
    return .object(members)
  }

  static func text(_ key: String) -> WireJSON { MetadataText(key).json }
}
