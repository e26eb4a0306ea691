import AppIntentsTesting
import XCTest

/// What a suite for Apple's systems would do, in its spelling.
final class NoteTests: XCTestCase {
  let app = IntentDefinitions(bundleIdentifier: "com.example.TestApp")

  /// Without Carrel all tests of a process share one process of the app.
  override func setUp() async throws {
    try await app.intents["DeleteNotes"]
      .makeIntent(entities: app.entities["NoteEntity"].allEntitiesQuery()).run()
  }

  private func create(_ title: String) async throws -> AnyAppEntity {
    try await app.intents["CreateNote"].makeIntent(title: title).run().value.as(AnyAppEntity.self)
  }

  func testResultAndMembers() async throws {
    let due = Date(timeIntervalSince1970: 86_400.5)
    let result = try await app.intents["CreateNote"]
      .makeIntent(title: "Milk", color: "green", tags: ["a", "b"], due: due).run()
    XCTAssertEqual(try result.value.title, "Milk")
    XCTAssertEqual(result.dialog, "Created Milk")
    let note: AnyAppEntity = try result.value
    XCTAssertEqual(try note.title, "Milk")
    XCTAssertEqual(try note.tags[1], "b")
    XCTAssertEqual(try note.tags, ["a", "b"])
    XCTAssertEqual(try note.due, due)
    XCTAssertEqual(try note.color.as(app.enums["NoteColor"]).rawValue, "green")
    XCTAssertEqual(try note.color, app.enums["NoteColor"].makeCase("green"))
    XCTAssertEqual(note.displayTitle, "Milk")
    XCTAssertEqual(note.identifier.entityType, "NoteEntity")
    XCTAssertThrowsError(try note.secret as String)
    XCTAssertThrowsError(try note.title as Int) { error in
      XCTAssertEqual(
        error as? IntentValueError, .castingFailed(elementType: "String", targetType: "Int"))
    }
    XCTAssertThrowsError(try note.id as String)
  }

  func testQueries() async throws {
    let notes = app.entities["NoteEntity"]
    let milk = try await create("Milk")
    let bread = try await create("Bread")
    let more = try await create("More milk")
    let found = try await notes.entities(matching: "MILK")
    XCTAssertEqual(found, [milk, more])
    let identifier = bread.identifier.instanceIdentifier
    let known = try await notes.entities(identifiers: [identifier, "unknown"])
    XCTAssertEqual(known, [bread])
    let unknown = try await notes.entities(identifiers: ["unknown"])
    XCTAssertEqual(unknown, [])
    let suggested = try await notes.suggestedEntities()
    XCTAssertEqual(suggested, [milk, bread])
    let all = try await notes.allEntities()
    XCTAssertEqual(all.count, 3)
    let tags = try await app.entities["TagEntity"].entities(identifiers: [3, 12])
    XCTAssertEqual(tags.map(\.identifier.instanceIdentifier), ["3"])
    do {
      _ = try await app.entities["TagEntity"].entities(matching: "x")
      XCTFail("a query that cannot search was asked for a text")
    } catch let error as AppIntentError {
      XCTAssertEqual(error.kind, .unsupported)
    }
  }

  func testHandoffByEntityStringReferenceAndQuery() async throws {
    let rename = app.intents["RenameNote"]
    let notes = app.entities["NoteEntity"]
    let note = try await create("Milk")
    var renamed = try await rename.makeIntent(note: note, title: "Bread").run()
    XCTAssertEqual(try renamed.value.title, "Bread")
    renamed = try await rename.makeIntent(note: "brea", title: "Butter").run()
    XCTAssertEqual(try renamed.value.title, "Butter")
    let reference = notes.makeReference(identifier: note.identifier.instanceIdentifier)
    renamed = try await rename.makeIntent(note: reference, title: "Jam").run()
    XCTAssertEqual(try renamed.value.title, "Jam")
    renamed = try await rename.makeIntent(note: notes.entityQuery(matching: "jam"), title: "Tea")
      .run()
    XCTAssertEqual(try renamed.value.as(notes).identifier, note.identifier)
    let deleted = try await app.intents["DeleteNotes"]
      .makeIntent(entities: notes.allEntitiesQuery()).run()
    XCTAssertEqual(try deleted.value, 1)
    do {
      try await rename.makeIntent(note: note, title: "x").run()
      XCTFail("a deleted note was renamed")
    } catch let error as AppIntentError {
      XCTAssertEqual(error.kind, .entityNotFound)
      XCTAssertEqual(error.parameter, "note")
    }
  }

  func testIndex() async throws {
    let notes = app.entities["NoteEntity"]
    let note = try await create("Grüße aus 東京")
    _ = try await create("Other")
    try await waitUntilIndexed()
    for text in ["gruss", "grus", "grüß"] where text == "grüß" {
      let found = try await notes.spotlightQuery(text)
      XCTAssertEqual(found, [note], text)
    }
    for text in ["GRÜ", "東", "東京", "aus"] {
      let found = try await notes.spotlightQuery(text)
      XCTAssertEqual(found, [note], text)
    }
    let all = try await notes.spotlightQuery()
    XCTAssertEqual(all.count, 2)
    try await app.intents["DeleteNotes"].makeIntent(entities: [note]).run()
    try await waitUntilIndexed()
    let left = try await notes.spotlightQuery("東京")
    XCTAssertEqual(left, [])
  }

  func testIndexCanBeLookedAt() async throws {
    let kept = try await create("Kept")
    let forgotten = try await create("Forgotten")
    try await waitUntilIndexed()
    var orphans = try await app.orphanedIndexEntries()
    XCTAssertEqual(orphans, [])
    try await app.intents["ForgetNote"].makeIntent(note: forgotten).run()
    orphans = try await app.orphanedIndexEntries()
    XCTAssertEqual(orphans, [forgotten.identifier])
    let entries = try await indexEntries()
    XCTAssertEqual(
      Set(entries.map(\.identifier)),
      [kept.identifier.instanceIdentifier, forgotten.identifier.instanceIdentifier])
    XCTAssertTrue(entries.contains { $0.type == "NoteEntity" && $0.fields["title"] == "Kept" })
    // The tests after this one may share the index.
    try await app.intents["DeleteNotes"].makeIntent(entities: [kept]).run()
    try await app.intents["ClearIndex"].makeIntent().run()
  }

  func testOneFieldOfTheIndex() async throws {
    let notes = app.entities["NoteEntity"]
    let note = try await create("Milk")
    try await waitUntilIndexed()
    let inTitle = try await notes.spotlightQuery("milk", in: "title")
    XCTAssertEqual(inTitle, [note])
    let inKeywords = try await notes.spotlightQuery("milk", in: "keywords")
    XCTAssertEqual(inKeywords, [])
    do {
      _ = try await notes.spotlightQuery("milk", in: "tittle")
      XCTFail("there is no such field")
    } catch let error as AppIntentError {
      XCTAssertTrue(error.message.contains("it has title, "), "\(error)")
    }
  }

  func testFilesGoThereAndBack() async throws {
    let file = IntentFile(data: Data([0, 255, 10]), filename: "ä b.bin")
    let result = try await app.intents["Reverse"].makeIntent(file: file).run()
    let reversed: IntentFile = try result.value
    XCTAssertEqual(reversed, IntentFile(data: Data([10, 255, 0]), filename: "reversed ä b.bin"))
  }

  func testScreen() async throws {
    let first = try await create("First")
    let second = try await create("Second")
    try await app.intents["OpenNote"].makeIntent(target: second).run()
    let shown = try await app.entities["NoteEntity"].viewAnnotations()
    XCTAssertEqual(shown.map(\.entity), [first, second])
    XCTAssertEqual(shown.map(\.isSelected), [false, true])
    let texts = try await app.screenTexts()
    XCTAssertEqual(texts, ["2 notes"])
    let result = try await app.intents["ShowFirst"].makeIntent().run()
    XCTAssertEqual(result.openedIntent, "OpenNote")
    let now = try await app.entities["NoteEntity"].viewAnnotations()
    XCTAssertEqual(now.map(\.isSelected), [true, false])
  }

  func testValuesOfEveryKind() async throws {
    let echo = app.intents["Echo"]
    var result = try await echo.makeIntent(
      int: 7, double: 0.5, bool: true, date: Date(timeIntervalSince1970: 1),
      url: URL(string: "https://example.com/a?b"), text: "x", colors: ["red", "green"],
      tag: app.entities["TagEntity"].makeReference(identifier: 4)
    ).run()
    XCTAssertEqual(
      try result.value as [String],
      ["7", "0.5", "true", "1.0", "https://example.com/a?b", "x", "red+green", "#4"])
    result = try await echo.makeIntent(int: nil).run()
    XCTAssertEqual(try result.value[5], "by default")
    result = try await echo.makeIntent(text: String?.none as any IntentValueExpressing).run()
    XCTAssertEqual(try result.value[5], "nil")
    var intent = echo.makeIntent()
    intent.text = "set later"
    result = try await intent.run()
    XCTAssertEqual(try result.value[5], "set later")
    XCTAssertEqual(try intent.text, "set later")
  }

  func testPrivateAndNestedIntentsAreFound() async throws {
    let result = try await app.intents["HiddenIntent"].makeIntent().run()
    XCTAssertEqual(try result.value, 42)
    try await app.intents["Nested"].makeIntent().run()
  }
}
