import AppIntentsTesting
import XCTest

/// The app's intents, called from another process as the system would call them. The same sources
/// run in Xcode against a simulator.
final class NotesIntentTests: XCTestCase {
  let app = IntentDefinitions(bundleIdentifier: "com.example.Notes")
  var notes: AppEntityDefinition { app.entities["NoteEntity"] }

  /// `carrel run` gives each test an app of its own. Elsewhere the tests share one.
  override func setUp() async throws {
    if FixtureToken.current == nil { try await app.intents["ResetNotes"].makeIntent().run() }
  }

  @discardableResult
  private func create(_ title: String, text: String = "") async throws -> AnyAppEntity {
    try await app.intents["CreateNote"].makeIntent(title: title, text: text).run()
      .value.as(AnyAppEntity.self)
  }

  /// Asks again until the answer is as it should be, for at most two seconds: an index answers
  /// later than it is written.
  private func poll<Value>(
    _ question: () async throws -> Value, until isRight: (Value) -> Bool
  ) async throws -> Value {
    let end = ContinuousClock.now + .seconds(2)
    var answer = try await question()
    while !isRight(answer), ContinuousClock.now < end {
      try await Task.sleep(for: .milliseconds(5))
      answer = try await question()
    }
    return answer
  }

  func testCreatingGivesTheNote() async throws {
    let result = try await app.intents["CreateNote"]
      .makeIntent(title: "Groceries", text: "Milk and honey", tags: ["shopping"]).run()
    XCTAssertEqual(try result.value.title, "Groceries")
    XCTAssertEqual(try result.value.text, "Milk and honey")
    XCTAssertEqual(try result.value.tags[0], "shopping")
  }

  func testNotesAreFoundByText() async throws {
    let groceries = try await create("Groceries", text: "Milk and honey")
    try await create("Ideas")
    let found = try await notes.entities(matching: "MILK")
    XCTAssertEqual(found, [groceries])
    let none = try await notes.entities(matching: "no such word")
    XCTAssertEqual(none, [])
  }

  func testNewestNotesAreSuggestedFirst() async throws {
    for title in ["a", "b", "c", "d"] { try await create(title) }
    let suggested = try await notes.suggestedEntities()
    XCTAssertEqual(try suggested.map { try $0.title as String }, ["d", "c", "b"])
  }

  func testIdentifiersSurviveRenamingAndEndWithTheNote() async throws {
    let note = try await create("Draft")
    let id = note.identifier.instanceIdentifier
    try await app.intents["RenameNote"].makeIntent(note: note, title: "Final").run()
    let renamed = try await notes.entities(identifiers: [id])
    XCTAssertEqual(try renamed.map { try $0.title as String }, ["Final"])
    try await app.intents["DeleteNotes"].makeIntent(entities: [note]).run()
    let deleted = try await notes.entities(identifiers: [id])
    XCTAssertEqual(deleted, [])
  }

  func testCreatedNoteIsHandedToRename() async throws {
    let created = try await app.intents["CreateNote"].makeIntent(title: "Draft").run()
    let note: AnyAppEntity = try created.value
    let renamed = try await app.intents["RenameNote"].makeIntent(note: note, title: "Final").run()
    XCTAssertEqual(try renamed.value.title, "Final")
    XCTAssertEqual(try renamed.value.as(notes).identifier, note.identifier)
  }

  func testRenamingADeletedNoteIsAnError() async throws {
    let note = try await create("Draft")
    try await app.intents["DeleteNotes"].makeIntent(entities: [note]).run()
    do {
      try await app.intents["RenameNote"].makeIntent(note: note, title: "Final").run()
      XCTFail("a note that is gone was renamed")
    } catch {
      XCTAssertTrue("\(error)".contains("NoteEntity"), "\(error)")
    }
  }

  func testSignedOutAppRefusesToCreate() async throws {
    try await app.intents["SignOut"].makeIntent().run()
    do {
      try await create("Groceries")
      XCTFail("a note was created without a session")
    } catch {
      XCTAssertTrue("\(error)".contains("signedOut"), "\(error)")
      XCTAssertEqual(error.localizedDescription, "Sign in to change your notes.")
    }
    let found = try await notes.entities(matching: "Groceries")
    XCTAssertEqual(found, [])
  }

  func testRetryMakesNoSecondNote() async throws {
    let intent = app.intents["CreateNote"].makeIntent(title: "Groceries", request: "request-1")
    let first = try await intent.run()
    let second = try await intent.run()
    XCTAssertEqual(
      try first.value.as(notes).identifier, try second.value.as(notes).identifier)
    let found = try await notes.entities(matching: "Groceries")
    XCTAssertEqual(found.count, 1)
  }

  func testCreatedNoteIsInTheIndex() async throws {
    let note = try await create("東京の計画", text: "Überraschung für Ann")
    for words in ["東京", "uberraschung", "ann"] {
      let found = try await poll({ try await notes.spotlightQuery(words) }) { !$0.isEmpty }
      XCTAssertEqual(found, [note], words)
    }
  }

  func testDeletedNoteLeavesTheIndex() async throws {
    let note = try await create("Groceries")
    try await waitUntilIndexed()
    try await app.intents["DeleteNotes"].makeIntent(entities: [note]).run()
    try await waitUntilIndexed()
    let found = try await notes.spotlightQuery("groceries")
    XCTAssertEqual(found, [])
  }

  func testOpenedNoteIsSelectedOnTheScreen() async throws {
    try await create("First")
    let second = try await create("Second")
    try await app.intents["OpenNote"].makeIntent(target: second).run()
    let shown = try await poll({ try await notes.viewAnnotations() }) { annotations in
      annotations.contains { $0.isSelected }
    }
    XCTAssertEqual(shown.filter(\.isSelected).map(\.entity), [second])
  }

  func testCaptureAsksForItsText() async throws {
    do {
      try await app.intents["CaptureText"].makeIntent().run()
      XCTFail("a note without a text was captured")
    } catch let error as AppIntentError {
      XCTAssertEqual(error.kind, .needsValue)
      XCTAssertEqual(error.parameter, "text")
    }
    let captured = try await app.intents["CaptureText"].makeIntent(text: "Call Ann").run()
    XCTAssertEqual(try captured.value.text, "Call Ann")
  }

  /// `carrel run` calls the seed intent that carrel.json names; `swift test` does not.
  func testSeedIsThere() async throws {
    try XCTSkipIf(FixtureToken.current == nil, "only an orchestrator seeds the notebook")
    let seeded = try await notes.entities(matching: "made for ")
    XCTAssertEqual(try seeded.map { try $0.title as String }, ["Seed 1", "Seed 2", "Seed 3"])
    let indexed = try await notes.spotlightQuery("seed")
    XCTAssertEqual(indexed.count, 3)
  }

  /// Fails on purpose, so that there is a failure to look at: the bundle has the calls, what the
  /// app wrote, its notebook and the index, and the failure comes back when it is reproduced.
  func testCapturedNoteHasATitleOfItsOwn() async throws {
    let captured = try await app.intents["CaptureText"].makeIntent(text: "Call Ann").run()
    XCTAssertEqual(
      try captured.value.title, "Call Ann",
      "this example fails on purpose: every captured note has the same title")
  }
}
