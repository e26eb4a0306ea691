import IntentMetadata
import IntentWire
import Testing

@Suite struct MetadataCheckTests {
  /// Rules and messages of what is found.
  private func found(
    _ declared: DeclaredMetadata, _ surroundings: MetadataSurroundings = MetadataSurroundings()
  ) -> [String] {
    MetadataCheck.findings(in: declared, surroundings: surroundings).findings
      .map { "\($0.rule.rawValue): \($0.message)" }
  }

  private func found(_ metadata: AppMetadata) -> [String] { found(DeclaredMetadata(metadata)) }

  @Test func nothingIsWrongWithAGoodApp() {
    let metadata = Make.app(
      intents: [
        Make.intent(
          "Open", parameters: [Make.parameter("target", .entity("Note"))], summary: ["target"]),
        Make.intent(
          "Paint",
          parameters: [
            Make.parameter("color", .enumeration("Color")),
            Make.parameter("times", .primitive(.int), standard: ["int": ["wrapper": 1]]),
          ]),
      ],
      entities: [Make.entity("Note", query: "App.NoteQuery")],
      queries: [Make.query("NoteQuery", of: "Note")],
      enums: [Make.enumeration("Color", cases: [("red", "Red")])],
      shortcuts: [
        Make.shortcut("Open", phrases: ["Open ${target} in ${applicationName}"]),
        Make.shortcut("Paint", phrases: ["Paint ${color} with ${applicationName}"]),
      ])
    #expect(found(metadata) == [])
  }

  @Test func phrases() {
    let metadata = Make.app(
      intents: [
        Make.intent(
          "Open",
          parameters: [
            Make.parameter("note", .entity("Note"), isOptional: true),
            Make.parameter("text", isOptional: true),
          ])
      ],
      entities: [Make.entity("Note", query: "App.NoteQuery")],
      queries: [Make.query("NoteQuery", of: "Note")],
      shortcuts: [
        Make.shortcut(
          "Open",
          phrases: [
            "Open it", "${note} and ${text} in ${applicationName}",
            "Write ${text} in ${applicationName}", "${other} in ${applicationName}",
          ])
      ])
    #expect(
      Set(found(metadata)) == [
        "phrase-without-application-name: the phrase \"Open it\" does not name the app",
        "several-parameters-in-phrase: the phrase \"${note} and ${text} in ${applicationName}\" "
          + "has "
          + "2 parameters",
        "phrase-parameter-type: the phrase \"${note} and ${text} in ${applicationName}\" has "
          + "'text', "
          + "a value of type String",
        "phrase-parameter-type: the phrase \"Write ${text} in ${applicationName}\" has 'text', a "
          + "value of type String",
        "unknown-phrase-parameter: the phrase \"${other} in ${applicationName}\" has 'other', "
          + "which "
          + "'Open' does not have",
      ])
  }

  @Test func numbersOfShortcutsAndPhrases() {
    let intents = (0..<11).map { Make.intent("I\($0)") }
    let shortcuts = (0..<11).map { Make.shortcut("I\($0)") }
    #expect(found(Make.app(intents: intents, shortcuts: Array(shortcuts.dropLast()))) == [])
    #expect(
      found(Make.app(intents: intents, shortcuts: shortcuts)) == [
        "too-many-shortcuts: the app has 11 App Shortcuts, 10 are allowed"
      ])

    let cases = (0..<250).map { ("c\($0)", Optional("Case \($0)")) }
    let app = { (phrases: Int) in
      Make.app(
        intents: [Make.intent("A", parameters: [Make.parameter("k", .enumeration("Kind"))])],
        enums: [Make.enumeration("Kind", cases: cases)],
        shortcuts: [
          Make.shortcut(
            "A", phrases: (0..<phrases).map { "\($0) ${k} in ${applicationName}" })
        ])
    }
    #expect(found(app(4)) == [])
    #expect(
      found(app(5)) == ["too-many-phrases: the app has 1250 phrases, 1000 are allowed"])
  }

  @Test func shortcutsAndTheirIntents() {
    let metadata = Make.app(
      intents: [
        Make.intent("Hidden", isDiscoverable: false),
        Make.intent("Needs", parameters: [Make.parameter("text")]),
      ],
      shortcuts: [
        Make.shortcut("Hidden"), Make.shortcut("Gone"), Make.shortcut("Needs", title: "Write"),
      ])
    #expect(
      found(metadata) == [
        "unknown-shortcut-intent: App Shortcut 'Short' is of the intent 'Gone', which is not there",
        "hidden-intent-in-shortcut: App Shortcut 'Short' is of the intent 'Hidden', which is not "
          + "discoverable",
        "required-parameter-in-shortcut: App Shortcut 'Write' does not say what 'text' of "
          + "'Needs' is",
      ])
  }

  @Test func entitiesAndQueries() {
    let metadata = Make.app(
      intents: [Make.intent("A", parameters: [Make.parameter("x", .entity("Byte"))])],
      entities: [
        Make.entity("None", query: nil), Make.entity("Lost", query: "App.LostQuery"),
        Make.entity("Byte", query: "App.ByteQuery"),
      ],
      queries: [Make.query("ByteQuery", of: "Byte", capabilities: 2)])
    #expect(
      found(metadata) == [
        "entity-without-query: entity 'Lost' has the query 'App.LostQuery', which is not there",
        "entity-without-query: entity 'None' has no query",
        "query-without-text-search: parameter 'x' of intent 'A' is an entity 'Byte', whose query "
          + "'ByteQuery' does not search for a text",
      ])
  }

  @Test func titlesDescriptionsAndSummaries() {
    let metadata = Make.app(
      intents: [
        Make.intent(
          "A", title: nil, description: nil,
          parameters: [Make.parameter("x", title: nil), Make.parameter("y")], summary: ["x"])
      ],
      enums: [Make.enumeration("Kind", title: nil, cases: [("a", nil)])])
    #expect(
      found(metadata) == [
        "missing-title: case 'a' of enumeration 'Kind' has no title",
        "missing-title: enumeration 'Kind' has no display name",
        "missing-title: intent 'A' has no title",
        "missing-title: parameter 'x' of intent 'A' has no title",
        "parameter-not-in-summary: parameter 'y' of intent 'A' is not in its summary",
        "missing-description: intent 'A' has no description",
      ])
  }

  @Test func surroundingsCount() {
    let metadata = Make.app(
      intents: [
        Make.intent("SeedNotes", isDiscoverable: false),
        Make.intent("Show", title: "show.title", opensApp: true),
      ])
    var surroundings = MetadataSurroundings()
    #expect(found(DeclaredMetadata(metadata), surroundings) == [])
    surroundings.isExtension = true
    surroundings.isRelease = true
    surroundings.strings = ["en": ["Title", "What it does"], "de": ["Title"]]
    #expect(
      found(DeclaredMetadata(metadata), surroundings) == [
        "opens-app-in-extension: intent 'Show' of an extension opens the app when it is run",
        "debug-intent-in-release: intent 'SeedNotes' looks like one for tests, and is in a release "
          + "product",
        "unresolved-localization-key: \"What it does\" of intent 'SeedNotes' is missing in de",
        "unresolved-localization-key: \"What it does\" of intent 'Show' is missing in de",
        "unresolved-localization-key: \"show.title\" of intent 'Show' is in no string table",
      ])
  }

  @Test func whatOnlySourcesTell() {
    let metadata = Make.app(
      intents: [Make.intent("A", title: nil)], shortcuts: [Make.shortcut("A", phrases: [])])
    let place = SourceLocation(file: "Sources/App/A.swift", line: 7)
    let declared = DeclaredMetadata(
      metadata, locations: [.provider("Kit.Other"): place],
      unknowns: [
        .init(item: .shortcut(0), member: "phrases", location: place),
        .init(item: .intent("A"), member: "title", location: place),
        .init(item: .parameter(intent: "A", "x"), member: "type", location: place),
      ],
      providers: [
        .init(name: "App.One", isOfApp: true), .init(name: "App.Two", isOfApp: true),
        .init(name: "Kit.Other", isOfApp: false),
      ],
      duplicates: [
        .init(item: .intent("A"), types: ["App.A", "Kit.A"], location: place)
      ])
    let findings = MetadataCheck.findings(in: declared).findings
    #expect(
      findings.map { "\($0.location.map { "\($0)" } ?? "") \($0.rule.rawValue): \($0.message)" }
        == [
          " several-providers: the app has 2 providers of App Shortcuts: 'App.One', 'App.Two'",
          "Sources/App/A.swift:7 duplicate-name: 2 types are intent 'A': App.A, Kit.A",
          "Sources/App/A.swift:7 phrases-not-literal: the phrases of App Shortcut 'Short' are not "
            + "literals",
          "Sources/App/A.swift:7 provider-in-library: 'Kit.Other' provides App Shortcuts, and is "
            + "not in "
            + "the app's own module",
          "Sources/App/A.swift:7 text-not-literal: 'title' of intent 'A' is no literal",
          "Sources/App/A.swift:7 unknown-type: the type of parameter 'x' of intent 'A' is unknown",
        ])
  }

  /// By name alone, or when people cannot find it.
  @Test func intentsForTests() {
    let declared = DeclaredMetadata(
      Make.app(intents: [
        Make.intent("DebugDump"), Make.intent("DumpUITestIntent"), Make.intent("PlantSeeds"),
        Make.intent("SeedNotes", isDiscoverable: false), Make.intent("Undebuggable"),
        Make.intent("Hidden", title: "Reset for Test", isDiscoverable: false),
      ]))
    var surroundings = MetadataSurroundings()
    #expect(MetadataCheck.findings(in: declared, surroundings: surroundings).findings == [])
    surroundings.isRelease = true
    let found = MetadataCheck.findings(in: declared, surroundings: surroundings).findings
    #expect(found.allSatisfy { $0.rule == .debugIntentInRelease })
    #expect(
      found.compactMap(\.item) == [
        .intent("DebugDump"), .intent("DumpUITestIntent"), .intent("Hidden"), .intent("SeedNotes"),
      ])
  }

  @Test func settingsAndBaselines() {
    let declared = DeclaredMetadata(Make.app(intents: [Make.intent("A", title: nil)]))
    var settings = MetadataRuleSettings()
    let first = MetadataCheck.findings(in: declared, settings: settings).findings
    #expect(first.map(\.severity) == [.error])
    settings.severities = [.missingTitle: .warning]
    #expect(
      MetadataCheck.findings(in: declared, settings: settings).findings.map(\.severity) == [
        .warning
      ])
    settings.severities = [.missingTitle: .off]
    #expect(MetadataCheck.findings(in: declared, settings: settings).findings == [])
    settings = MetadataRuleSettings()
    settings.baseline = Set(first.map(\.fingerprint))
    let second = MetadataCheck.findings(in: declared, settings: settings)
    #expect(second.findings == [] && second.known == 1)
  }

  /// A rule that nobody explains helps nobody.
  @Test(arguments: MetadataRule.allCases)
  func rulesAreExplained(_ rule: MetadataRule) {
    #expect(rule.explanation.hasSuffix(".") && rule.explanation.count > 30)
    #expect(!rule.fix.isEmpty && !rule.fix.hasSuffix("."))
    #expect(rule.rawValue.allSatisfy { $0.isLowercase || $0 == "-" })
  }
}
