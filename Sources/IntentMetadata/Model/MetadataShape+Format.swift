extension MetadataShape {
  /// `extract.actionsdata`, version 1.
  static let document: MetadataShape = .object([
    "actions": .names(action), "entities": .names(entity), "queries": .names(query),
    "enums": .list(enumeration), "autoShortcuts": .list(shortcut),
    "autoShortcutProviderMangledName": .string, "negativePhrases": .list(negativePhrase),
    "assistantEntities": .list(.any), "assistantIntents": .list(.any),
    "assistantIntentNegativePhrases": .list(.any), "shortcutTileColor": .integer,
    "generator": .object(["name": .string, "version": .string]), "version": .integer,
  ])

  /// A text, and the ones that mean the same.
  static let text: MetadataShape = .object(["key": .string, "alternatives": .list(.string)])

  private static let typeNames: [String: MetadataShape] = [
    "fullyQualifiedTypeName": .string, "mangledTypeName": .string, "mangledTypeNameV2": .string,
    "mangledTypeNameByBundleIdentifier": .names(.any),
    "mangledTypeNameByBundleIdentifierV2": .names(.any),
  ]

  private static let common: [String: MetadataShape] = [
    "availabilityAnnotations": .names(
      .object([
        "introducedVersion": .string, "obsoletedVersion": .string, "deprecatedVersion": .string,
      ])),
    "effectiveBundleIdentifiers": .list(.any), "requiredCapabilities": .list(.any),
    "assistantDefinedSchemas": .list(.any), "assistantDefinedSchemaTraits": .list(.any),
    "systemProtocolMetadata": .pairs, "systemProtocolMetadataV2": .pairs,
    "typeSpecificMetadata": .pairs,
    "visibilityMetadata": .object(["isDiscoverable": .bool, "assistantOnly": .bool]),
  ].merging(typeNames) { first, _ in first }

  private static func node(_ keys: [String: MetadataShape]) -> MetadataShape {
    .object(keys.merging(common) { own, _ in own })
  }

  private static let action = node([
    "identifier": .string, "title": text,
    "descriptionMetadata": .object([
      "descriptionText": text, "categoryName": .object(["title": text]),
      "searchKeywords": .list(.any), "resultValueName": text,
    ]),
    "isDiscoverable": .bool, "openAppWhenRun": .bool, "supportedModes": .integer,
    "authenticationPolicy": .integer, "isAuthPolExplicit": .bool, "presentationStyle": .integer,
    "outputFlags": .integer, "outputType": valueType, "parameters": .list(parameter),
    "actionConfiguration": .any, "systemProtocols": .list(.string),
    "deprecationMetadata": .object([
      "messageText": .any, "replacedByIntentIdentifier": .string,
    ]),
  ])

  private static let parameter: MetadataShape = .object([
    "name": .string, "title": text, "parameterDescription": text, "isOptional": .bool,
    "isInput": .bool, "valueType": valueType,
    "resolvableInputTypes": .list(.object(["kindValue": .integer, "valueType": valueType])),
    "capabilities": .integer, "dynamicOptionsSupport": .integer,
    "inputConnectionBehavior": .integer, "typeSpecificMetadata": .pairs,
  ])

  private static let entity = node([
    "typeName": .string, "displayTypeName": text, "numericFormatTypeName": text,
    "defaultQueryIdentifier": .string, "transient": .bool,
    "properties": .list(
      .object([
        "identifier": .string, "title": text, "isOptional": .bool, "valueType": valueType,
        "capabilities": .integer, "typeSpecificMetadata": .pairs,
      ])),
    "entitySyncMetadata": .object(["entitySyncType": .integer]),
  ])

  private static let query = node([
    "identifier": .string, "fullyQualifiedIdentifier": .string, "queryType": .string,
    "entityType": .string, "resultValueType": valueType, "defaultQueryForEntity": .bool,
    "capabilities": .integer, "parameters": .list(.any), "sortingOptions": .list(.any),
  ])

  private static let enumeration = node([
    "identifier": .string, "displayTypeName": text, "isSystem": .bool,
    "cases": .list(
      .object([
        "identifier": .string,
        "displayRepresentation": .object([
          "title": text, "subtitle": text, "synonyms": .list(text), "image": .any,
        ]),
      ])),
  ])

  private static let shortcut: MetadataShape = .object([
    "actionIdentifier": .string, "phraseTemplates": .list(text), "shortTitle": text,
    "systemImageName": .string, "availabilityAnnotations": .names(.any),
    "parameterPresentation": .any,
  ])

  private static let negativePhrase: MetadataShape = .object(["phrase": text])

  /// The types of values; those that hold others are not looked into, a type may be in itself.
  static let valueType: MetadataShape = .union([
    "primitive": .object(["typeIdentifier": .integer]),
    "intents": .object(["typeIdentifier": .integer]),
    "entity": .object(["typeName": .string, "codable": .any]),
    "linkEnumeration": .object(["identifier": .string]),
    "measurement": .object(["unitType": .integer]), "array": .any, "searchCriteria": .any,
  ])
}
