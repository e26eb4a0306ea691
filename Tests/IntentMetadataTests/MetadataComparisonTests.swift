import IntentMetadata
import IntentWire
import Testing

@Suite struct MetadataComparisonTests {
  private func changes(_ old: AppMetadata, _ new: AppMetadata) -> [String] {
    MetadataComparison.changes(from: old, to: new)
      .map { "\($0.isBreaking ? "!" : "") \($0.kind.rawValue): \($0.message)" }
  }

  @Test(arguments: [Samples.current, Samples.early])
  func theSameIsTheSame(_ text: String) throws {
    let metadata = try Samples.metadata(text)
    #expect(changes(metadata, metadata) == [])
  }

  @Test func intentsAndParameters() {
    let old = Make.app(intents: [
      Make.intent("Gone"),
      Make.intent(
        "A", output: .primitive(.string),
        parameters: [
          Make.parameter("old", title: "Name"), Make.parameter("dropped", title: "Dropped"),
          Make.parameter("typed", .primitive(.int)), Make.parameter("loose", isOptional: true),
          Make.parameter("standard", standard: ["string": ["wrapper": "a"]]),
        ]),
    ])
    let new = Make.app(intents: [
      Make.intent("New"),
      Make.intent(
        "A", title: "Other", isDiscoverable: false, opensApp: true, output: .primitive(.int),
        parameters: [
          Make.parameter("new", title: "Name"), Make.parameter("typed", .primitive(.double)),
          Make.parameter("loose"), Make.parameter("needed", title: "Needed"),
          Make.parameter("extra", isOptional: true),
          Make.parameter("standard", standard: ["string": ["wrapper": "b"]]),
        ]),
    ])
    #expect(
      changes(old, new) == [
        "! renamed: parameter 'old' of intent 'A' is called 'new' now",
        "! removed: parameter 'dropped' of intent 'A' is gone",
        "! added: parameter 'needed' of intent 'A' is new and required",
        "! changed: the type of parameter 'typed' of intent 'A' was Int, is Double",
        "! changed: parameter 'loose' of intent 'A' is required now",
        "! changed: the result of intent 'A' was String, is Int",
        "! removed: intent 'Gone' is gone",
        " added: parameter 'extra' of intent 'A' is new",
        " changed: the default of parameter 'standard' of intent 'A' is another one",
        " changed: the title of intent 'A' was \"Title\", is \"Other\"",
        " changed: intent 'A' is not found in lists any more",
        " changed: intent 'A' opens the app now", " added: intent 'New' is new",
      ])
  }

  @Test func entitiesEnumerationsAndShortcuts() {
    let old = Make.app(
      entities: [
        Make.entity("Note", query: "App.NoteQuery", properties: [property("a"), property("b")]),
        Make.entity("Gone", query: nil),
      ],
      queries: [Make.query("NoteQuery", of: "Note")],
      enums: [Make.enumeration("Kind", cases: [("a", "A"), ("b", "B")])],
      shortcuts: [
        Make.shortcut("A", phrases: ["One ${applicationName}", "Two ${applicationName}"]),
        Make.shortcut("B"),
      ])
    let new = Make.app(
      entities: [Make.entity("Note", query: "App.NoteQuery", properties: [property("a")])],
      queries: [Make.query("NoteQuery", of: "Note", capabilities: 2)],
      enums: [Make.enumeration("Kind", cases: [("a", "An A"), ("c", "C")])],
      shortcuts: [
        Make.shortcut("A", phrases: ["One ${applicationName}", "Three ${applicationName}"]),
        Make.shortcut("C"),
      ])
    #expect(
      changes(old, new) == [
        "! removed: entity 'Gone' is gone", "! removed: property 'b' of entity 'Note' is gone",
        "! changed: query 'NoteQuery' does not search for texts any more",
        "! removed: case 'b' of enumeration 'Kind' is gone",
        "! removed: the phrase \"Two ${applicationName}\" of intent 'A' is gone",
        "! removed: the App Shortcut of intent 'B' is gone",
        " changed: the title of case 'a' of enumeration 'Kind' was \"A\", is \"An A\"",
        " added: case 'c' of enumeration 'Kind' is new",
        " added: the phrase \"Three ${applicationName}\" of intent 'A' is new",
        " added: the App Shortcut of intent 'C' is new",
      ])
  }

  /// What is new in one direction is gone in the other.
  @Test func theOtherWayRoundIsTheMirror() throws {
    let current = try Samples.metadata(Samples.current)
    let early = try Samples.metadata(Samples.early)
    let there = MetadataComparison.changes(from: early, to: current)
    let back = MetadataComparison.changes(from: current, to: early)
    #expect(
      Set(there.filter { $0.kind == .added }.map(\.item))
        == Set(back.filter { $0.kind == .removed }.map(\.item)))
    #expect(!there.isEmpty)
  }

  private func property(_ name: String) -> WireJSON {
    [
      "identifier": .string(name), "title": Make.text("Title"), "isOptional": false,
      "valueType": MetadataValueType(.primitive(.string)).json,
    ]
  }
}

@Suite struct RegistrationDifferenceTests {
  @Test func eachDifferenceIsNamed() {
    let metadata = Make.app(
      intents: [
        Make.intent("A", parameters: [Make.parameter("x"), Make.parameter("y")]),
        Make.intent("OnlyDeclared"),
      ],
      entities: [Make.entity("Note", query: nil)],
      enums: [Make.enumeration("Kind", cases: [("a", "A"), ("b", "B")])],
      shortcuts: [Make.shortcut("A")])
    let app = AppDescription(
      bundleIdentifier: "org.example.app", compiler: "Swift",
      intents: [
        .init(
          identifier: "A", title: "Other", isDiscoverable: false, opensApp: false,
          parameters: [.init(name: "x", title: "", type: .string)]),
        .init(
          identifier: "OnlyLive", title: "T", isDiscoverable: true, opensApp: false,
          parameters: []),
      ],
      enumerations: [.init(identifier: "Kind", title: "Kind", cases: ["a", "c"])],
      shortcuts: [.init(intent: "A", title: "", image: nil, phrases: ["x"])])
    #expect(
      RegistrationDifference.all(declared: metadata, registered: app).map(\.message) == [
        "parameter 'y' of intent 'A' is declared, and the running app does not have it",
        "intent 'A' is discoverable in the declaration only",
        "intent 'OnlyDeclared' is declared, and the running app does not have it",
        "intent 'OnlyLive' is not declared, and the running app has it",
        "entity 'Note' is declared, and the running app does not have it",
        "case 'b' of enumeration 'Kind' is declared, and the running app does not have it",
        "case 'c' of enumeration 'Kind' is not declared, and the running app has it",
        "the App Shortcut of intent 'A' with its phrases is declared, and the running app does not "
          + "have it",
        "the App Shortcut of intent 'A' with its phrases is not declared, and the running app "
          + "has it",
      ])
  }
}

@Suite struct MetadataExpectationTests {
  @Test(arguments: [Samples.current, Samples.early])
  func metadataMeetsItsOwnExpectation(_ text: String) throws {
    let metadata = try Samples.metadata(text)
    let expectation = MetadataExpectation(apps: ["app": .init(metadata)])
    let read = try MetadataExpectation(reading: expectation.json.bytes)
    #expect(read == expectation)
    #expect(read.differences(of: "app", in: metadata) == [])
  }

  @Test func whatIsMissingAndWhatIsMore() throws {
    let expectation = MetadataExpectation(apps: [
      "app": .init(try Samples.metadata(Samples.current))
    ])
    let found = Make.app(
      intents: [
        Make.intent("OpenNote", parameters: [Make.parameter("note")]), Make.intent("Extra"),
      ],
      shortcuts: [Make.shortcut("OpenNote", phrases: ["Show ${applicationName}"])])
    let differences = expectation.differences(of: "app", in: found)
    #expect(
      differences.map { "\($0.isMissing ? "missing" : "more"): \($0.message)" } == [
        "missing: intent 'CreateNote'", "more: intent 'Extra'",
        "missing: parameter 'target' of intent 'OpenNote'",
        "more: parameter 'note' of intent 'OpenNote'", "missing: entity 'NoteEntity'",
        "missing: enumeration 'NoteColor'",
        "missing: the phrase \"Open ${target} in ${applicationName}\" of intent 'OpenNote'",
        "more: the phrase \"Show ${applicationName}\" of intent 'OpenNote'",
      ])
  }

  @Test(arguments: [
    ("{", MetadataError.Code.invalidJSON), ("{}", .invalidShape),
    (#"{"format":"2.0","apps":{}}"#, .newerVersion),
    (#"{"format":"1.0","apps":{"a":{"intents":[]}}}"#, .invalidShape),
    (#"{"format":"1.0","apps":{"a":{"intents":{"A":[1]}}}}"#, .invalidShape),
  ])
  func otherFilesAreRefused(_ text: String, _ code: MetadataError.Code) {
    let error = #expect(throws: MetadataError.self) {
      try MetadataExpectation(reading: Array(text.utf8))
    }
    #expect(error?.code == code)
  }

  @Test func newerMinorVersionsAreRead() throws {
    let text = #"{"format":"1.7","more":1,"apps":{"a":{"intents":{"A":["x"]},"more":[]}}}"#
    let expectation = try MetadataExpectation(reading: Array(text.utf8))
    #expect(expectation.apps["a"]?.intents == ["A": ["x"]])
  }
}
