import IntentMetadata
import IntentWire
import Testing

/// The compiler's values for a few types, in the form of Swift 6.3.
private let values = #"""
  [{"typeName":"App.Paint","mangledTypeName":"3App5PaintV","kind":"struct",
    "file":"/src/App/Sources/App/Paint.swift","line":5,
    "conformances":["AppIntents.AppIntent","Swift.Sendable"],
    "associatedTypeAliases":[{"typeAliasName":"PerformResult",
     "substitutedTypeName":"some AppIntents.ProvidesDialog & AppIntents.ReturnsValue<App.Note>",
     "opaqueTypeProtocolRequirements":["AppIntents.ProvidesDialog","AppIntents.ReturnsValue"],
     "opaqueTypeSameTypeRequirements":[{"typeAliasName":"AppIntents.IntentResult.Value",
      "substitutedTypeName":"Swift.Array<App.Note>"}]}],
    "properties":[
     {"label":"_color","type":"AppIntents.IntentParameter<App.Color>","isStatic":"false","line":8,
      "valueKind":"InitCall","value":{"type":"","arguments":[
       {"label":"title","type":"","valueKind":"RawLiteral","value":"Color"},
       {"label":"default","type":"App.Color","valueKind":"Enum","value":{"name":"blue"}}]}},
     {"label":"_times","type":"AppIntents.IntentParameter<Swift.Optional<Swift.Int>>",
      "isStatic":"false","line":9,"valueKind":"InitCall","value":{"type":"","arguments":[
       {"label":"title","type":"","valueKind":"Runtime"},
       {"label":"inclusiveRange","type":"","valueKind":"Tuple","value":[
        {"valueKind":"RawLiteral","value":"0"},{"valueKind":"RawLiteral","value":"1_000"}]}]}},
     {"label":"_odd","type":"AppIntents.IntentParameter<App.Unknown>","isStatic":"false","line":10,
      "valueKind":"InitCall","value":{"type":"","arguments":[]}},
     {"label":"title","type":"AppIntents.LocalizedStringResource","isStatic":"true","line":6,
      "valueKind":"InitCall","value":{"type":"","arguments":[
       {"label":"","type":"","valueKind":"RawLiteral","value":"paint.title"},
       {"label":"defaultValue","type":"","valueKind":"RawLiteral","value":"Paint"}]}},
     {"label":"openAppWhenRun","type":"Swift.Bool","isStatic":"true","line":7,
      "valueKind":"RawLiteral","value":"true"},
     {"label":"parameterSummary","type":"","isStatic":"true","line":11,"valueKind":"Builder",
      "value":{"type":"","members":[{"kind":"buildExpression","element":{"valueKind":"InitCall",
       "value":{"type":"AppIntents.IntentParameterSummary<App.Paint>","arguments":[
        {"label":"","type":"","valueKind":"InterpolatedStringLiteral","value":{"segments":[
         {"valueKind":"RawLiteral","value":"Paint in "},
         {"valueKind":"KeyPath","value":{"path":"$color"}}]}},
        {"label":"","type":"","valueKind":"Builder","value":{"type":"","members":[
         {"kind":"buildExpression","element":{"valueKind":"KeyPath",
          "value":{"path":"$times"}}}]}}]}}}]}}],
    "availabilityAttributes":[{"platform":"iOS","introducedVersion":"17.0"}]},
   {"typeName":"App.Color","mangledTypeName":"3App5ColorO","kind":"enum",
    "file":"/src/App/Sources/App/Color.swift","line":2,"conformances":["AppIntents.AppEnum"],
    "properties":[
     {"label":"typeDisplayRepresentation","type":"","isStatic":"true","line":3,
      "valueKind":"RawLiteral","value":"Color"},
     {"label":"caseDisplayRepresentations","type":"","isStatic":"true","line":4,
      "valueKind":"Dictionary","value":[
       {"key":{"valueKind":"Enum","value":{"name":"blue"}},
        "value":{"valueKind":"RawLiteral","value":"Blue"}}]}],
    "cases":[{"name":"red","rawValue":"red"},{"name":"blue","rawValue":"BLUE"}]},
   {"typeName":"App.Note","mangledTypeName":"3App4NoteV","kind":"struct",
    "file":"/src/App/Sources/App/Note.swift","line":1,
    "conformances":["AppIntents.AppEntity","AppIntents.IndexedEntity"],
    "associatedTypeAliases":[{"typeAliasName":"DefaultQuery",
     "substitutedTypeName":"App.Note.Query"}],
    "properties":[
     {"label":"_name","type":"AppIntents.EntityProperty<Swift.String>","isStatic":"false","line":3,
      "valueKind":"InitCall","value":{"type":"","arguments":[
       {"label":"title","type":"","valueKind":"RawLiteral","value":"Name"}]}},
     {"label":"typeDisplayRepresentation","type":"","isStatic":"true","line":2,
      "valueKind":"InitCall","value":{"type":"","arguments":[
       {"label":"name","type":"","valueKind":"RawLiteral","value":"Note"}]}}]},
   {"typeName":"App.Note.Query","mangledTypeName":"3App4NoteV5QueryV","kind":"struct",
    "file":"/src/App/Sources/App/Note.swift","line":9,
    "conformances":["AppIntents.EntityQuery","AppIntents.EntityStringQuery"],
    "associatedTypeAliases":[{"typeAliasName":"Entity","substitutedTypeName":"App.Note"}],
    "properties":[]},
   {"typeName":"App.Shortcuts","mangledTypeName":"3App9ShortcutsV","kind":"struct",
    "file":"/src/App/Sources/App/Shortcuts.swift","line":1,
    "conformances":["AppIntents.AppShortcutsProvider"],
    "properties":[{"label":"appShortcuts","type":"","isStatic":"true","line":2,
     "valueKind":"Builder","value":{"type":"AppIntents.AppShortcutsBuilder","members":[
      {"kind":"buildExpression","element":{"valueKind":"InitCall","value":{
       "type":"AppIntents.AppShortcut","arguments":[
        {"label":"intent","type":"App.Paint","valueKind":"Runtime"},
        {"label":"phrases","type":"","valueKind":"Array","value":[
         {"valueKind":"InterpolatedStringLiteral","value":{"segments":[
          {"valueKind":"RawLiteral","value":"Paint "},
          {"valueKind":"KeyPath","value":{"path":"$color"}},
          {"valueKind":"RawLiteral","value":" in "},
          {"valueKind":"Enum","value":{"name":"applicationName"}}]}}]},
        {"label":"shortTitle","type":"","valueKind":"RawLiteral","value":"Paint"}]}}},
      {"kind":"buildOptional","ifElements":[{"element":{"valueKind":"InitCall","value":{
       "type":"AppIntents.AppShortcut","arguments":[
        {"label":"intent","type":"App.Paint","valueKind":"InitCall",
         "value":{"type":"App.Paint","arguments":[]}},
        {"label":"phrases","type":"","valueKind":"Runtime"}]}}},{"element":{}}],
       "elseElements":[]}]}}]}]
  """#

@Suite struct MetadataMakerTests {
  private func declared() throws -> DeclaredMetadata {
    MetadataMaker.declared(
      by: [
        MetadataMaker.Module(
          name: "App", isApp: true, types: try ConstType.list(reading: Array(values.utf8)))
      ], version: "1.0.0", folder: "/src/App")
  }

  @Test func metadataHasTheShapesOfTheFormat() throws {
    let metadata = try declared().metadata
    let read = try AppMetadata(reading: metadata.json.bytes)
    #expect(read.json == metadata.json && read.unknownKeys == [:])
  }

  @Test func intents() throws {
    let metadata = try declared().metadata
    let paint = try #require(metadata.intents.first)
    #expect(paint.identifier == "Paint" && paint.typeName == "App.Paint")
    #expect(paint.title?.key == "paint.title" && paint.opensApp && paint.supportedModes == 2)
    #expect(paint.outputType?.description == "[Note]" && paint.providesDialog)
    #expect(paint.availability.map(\.platform) == ["*", "iOS"])
    #expect(paint.summary?.sentences == ["Paint in ${color}"])
    #expect(paint.summary?.parameters == ["color", "times"])
    #expect(paint.parameters.map(\.name) == ["color", "times"])
    #expect(paint.parameters[0].defaultValue == ["string": ["wrapper": "BLUE"]])
    #expect(paint.parameters[1].isOptional && paint.parameters[1].upperBound == 1000)
  }

  @Test func entitiesQueriesAndEnumerations() throws {
    let metadata = try declared().metadata
    let note = try #require(metadata.entities.first)
    #expect(note.title?.key == "Note" && note.isIndexed)
    #expect(note.properties.map(\.title?.key) == ["Name"])
    #expect(metadata.queries.map(\.qualifiedIdentifier) == ["App.Note.Query"])
    #expect(metadata.queries.map(\.isDefault) == [true])
    #expect(metadata.queries.map(\.matchesText) == [true])
    let color = try #require(metadata.enumerations.first)
    #expect(color.cases.map(\.identifier) == ["red", "BLUE"])
    #expect(color.cases.map(\.title?.key) == [nil, "Blue"])
  }

  @Test func shortcuts() throws {
    let metadata = try declared().metadata
    #expect(metadata.shortcutProvider == "3App9ShortcutsV")
    #expect(metadata.shortcuts.map(\.intent) == ["Paint", "Paint"])
    #expect(
      metadata.shortcuts[0].phrases.map(\.key) == ["Paint ${color} in ${applicationName}"])
    #expect(metadata.shortcuts[1].phrases == [])
  }

  @Test func whatIsOnlyKnownAtRunTime() throws {
    let unknowns = try declared().unknowns.map {
      "\($0.location.map { "\($0)" } ?? "") \($0.member) of \($0.item?.name ?? "")"
    }
    #expect(
      unknowns == [
        "Sources/App/Paint.swift:9 title of parameter 'times' of intent 'Paint'",
        "Sources/App/Paint.swift:10 type of parameter 'odd' of intent 'Paint'",
        "Sources/App/Shortcuts.swift:2 phrases of App Shortcut 2",
      ])
  }

  @Test func everyThingHasAPlace() throws {
    let declared = try declared()
    let items: [MetadataItem] = [
      .intent("Paint"), .parameter(intent: "Paint", "color"), .entity("Note"),
      .property(entity: "Note", "name"), .query("Query"), .enumeration("Color"),
      .enumerationCase(enumeration: "Color", "BLUE"), .shortcut(0), .phrase(shortcut: 0, 0),
      .provider("App.Shortcuts"),
    ]
    for item in items { #expect(declared.locations[item] != nil, "\(item.name)") }
    #expect(
      declared.locations[.parameter(intent: "Paint", "color")]
        == SourceLocation(file: "Sources/App/Paint.swift", line: 8))
  }

  /// Of libraries everything but the shortcuts counts; of two with one name the later one.
  @Test func severalModules() throws {
    let types = try ConstType.list(reading: Array(values.utf8))
    let declared = MetadataMaker.declared(
      by: [
        MetadataMaker.Module(name: "Kit", isApp: false, types: types),
        MetadataMaker.Module(name: "App", isApp: true, types: []),
        MetadataMaker.Module(
          name: "Other", isApp: false, types: types.filter { $0.shortName == "Paint" }),
      ], version: "1.0.0", folder: "/src/App")
    #expect(declared.metadata.shortcuts.isEmpty && declared.metadata.shortcutProvider == nil)
    #expect(declared.providers.map(\.isOfApp) == [false])
    #expect(declared.duplicates.map(\.item) == [.intent("Paint")])
    #expect(declared.metadata.intents.count == 1)
  }

  @Test(arguments: ["{", "{}", "[{}]"])
  func otherValuesAreRefused(_ text: String) {
    #expect(throws: MetadataError.self) { try ConstType.list(reading: Array(text.utf8)) }
  }
}
