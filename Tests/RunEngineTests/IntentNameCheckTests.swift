import IntentMetadata
import IntentSystem
import IntentWire
import RunModel
import SystemFiles
import TestSupport
import Testing

@testable import RunEngine

@Suite struct IntentNameCheckTests {
  private static func app(_ bundle: String, intents: [String]) -> AppDescription {
    AppDescription(
      bundleIdentifier: bundle, compiler: "",
      intents: intents.map {
        AppDescription.Intent(
          identifier: $0, title: $0, isDiscoverable: true, opensApp: false, parameters: [])
      },
      entities: [
        AppDescription.Entity(
          identifier: "NoteEntity", title: "Note", properties: [], canMatch: true, canList: true,
          isIndexed: false)
      ],
      enumerations: [], shortcuts: [])
  }

  private static let apps = [
    app("org.example.notes", intents: ["CreateNote", "DeleteNotes"]),
    app("org.example.other", intents: ["Open"]),
  ]

  private func messages(_ source: String, isComplete: Bool = true) -> [String] {
    let check = IntentNameCheck(apps: Self.apps, isComplete: isComplete)
    return check.problems(
      in: Array(("import AppIntentsTesting\n" + source).utf8), file: "Tests/T.swift"
    ).map { problem in
      #expect(problem.severity == .warning && problem.code == .nameNotRegistered)
      return problem.message
    }
  }

  private static let source = #"""
    let app = IntentDefinitions(bundleIdentifier: "org.example.notes")
    let any = IntentDefinitions(bundleIdentifier: bundle)
    app.intents["CreateNote"]; app.intents["CreateNotee"]; app.intents["Open"]
    any.intents["Open"]; any.intents["Opne"]; any.entities["Xyzzy"]; app.enums["Color"]
    let away = IntentDefinitions(bundleIdentifier: "org.example.note"); away.intents["Open"]
    """#

  @Test func unknownNamesHavePlaceAndAdvice() {
    #expect(
      messages(Self.source) == [
        "Tests/T.swift:4: org.example.notes has not registered an intent 'CreateNotee'; did you "
          + "mean 'CreateNote'?",
        "Tests/T.swift:4: org.example.notes has not registered an intent 'Open'",
        "Tests/T.swift:5: no app has registered an intent 'Opne'",
        "Tests/T.swift:5: no app has registered an entity 'Xyzzy'",
        "Tests/T.swift:5: no app has registered an enum 'Color'",
        "Tests/T.swift:6: no app of the package is 'org.example.note'; did you mean "
          + "'org.example.notes' or 'org.example.other'?",
      ])
  }

  /// An app that does not say what it offers may have any name.
  @Test func appsThatCannotBeAsked() {
    #expect(messages(Self.source, isComplete: false).count == 2)
  }

  @Test func sourcesOfModules() throws {
    let folder = try TemporaryFolder(name: "Päckchen x")
    let source = folder.path(of: "Tests/T.swift")
    try makeFolders(folder.path(of: "Tests"))
    try makeFolders(folder.path(of: "products/NoteTests.build"))
    let calls = (0..<60).map { "app.intents[\"Unknown\($0)\"]\n" }.joined()
    try writeSmallFile(source, Array("import AppIntentsTesting\n\(calls)".utf8))
    try writeSmallFile(
      folder.path(of: "products/NoteTests.build/sources"),
      Array("'\(source)'\n'\(folder.path)/gone.swift'\n".utf8))
    func problems(_ apps: [AppDescription]) -> [RunProblem] {
      IntentNameCheck(apps: apps, isComplete: true).problems(
        inModules: ["NoteTests", "Other"], products: folder.path(of: "products"),
        package: folder.path)
    }
    let found = problems(Self.apps)
    #expect(found.first?.message == "Tests/T.swift:2: no app has registered an intent 'Unknown0'")
    #expect(found.count == 51 && found.last?.message == "10 more names in tests are not registered")
    // Without any app each call says so.
    #expect(problems([]) == [])
  }
}

@Suite struct RunMetadataTests {
  private struct Failure: Error, CustomStringConvertible {
    var description: String { "it does not build" }
  }

  private let app = InstalledApp(
    description: AppDescription(
      bundleIdentifier: "org.example.notes", compiler: "", intents: [], entities: [],
      enumerations: [], shortcuts: []),
    executable: "/products/Notes")

  @Test func failuresAreProblemsOfTheRun() {
    let metadata = RunMetadata(of: [app]) { throw Failure() }
    #expect(metadata.declared.isEmpty)
    #expect(metadata.problems.map(\.code) == [.metadataMissing])
    #expect(
      metadata.problems[0].message == "the apps' metadata could not be extracted: it does not build"
    )
    let none = RunMetadata(of: [app]) { MetadataExtraction.Outcome() }
    #expect(none.problems.map(\.code) == [.metadataMissing])
  }

  @Test func differencesHaveTheirPlace() throws {
    let json = #"{"actions":{"Create":{"identifier":"Create"}},"version":1}"#
    let declared = DeclaredMetadata(
      try AppMetadata(reading: Array(json.utf8)),
      locations: [.intent("Create"): SourceLocation(file: "Sources/A.swift", line: 3)])
    let metadata = RunMetadata(of: [app]) {
      var outcome = MetadataExtraction.Outcome()
      outcome.apps = [MetadataExtraction.App(name: "Notes", declared: declared)]
      return outcome
    }
    #expect(metadata.declared == ["org.example.notes": Array(json.utf8)])
    #expect(metadata.problems.map(\.code) == [.registrationDiffers])
    #expect(
      metadata.problems[0].message
        == "Sources/A.swift:3: org.example.notes: intent 'Create' is declared, and the running app "
        + "does not have it")
  }
}
