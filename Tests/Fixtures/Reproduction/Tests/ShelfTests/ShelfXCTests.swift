import AppIntentsTesting
import XCTest

/// Failures that an app is the cause of.
final class ShelfXCTests: XCTestCase {
  let app = IntentDefinitions(bundleIdentifier: "com.example.Shelf")

  /// App crash: the process ends while it answers.
  func testCountsThePagesOfNoBook() async throws {
    let pages: Int = try await app.intents["CountPages"].makeIntent().run().value
    XCTAssertEqual(pages, 0)
  }

  /// App that hangs: the call's limit ends it.
  func testSynchronizes() async throws {
    try await app.intents["Synchronize"].makeIntent().run()
  }

  /// Stale index: the entity has another title than its entry.
  func testRenamedBookIsFound() async throws {
    let book: AnyAppEntity = try await app.intents["AddBook"].makeIntent(title: "Emma").run().value
    try await waitUntilIndexed()
    try await app.intents["RenameBook"].makeIntent(book: book, title: "Persuasion").run()
    try await waitUntilIndexed()
    let found = try await app.entities["BookEntity"].spotlightQuery("persuasion")
    let stale = try await indexEntries().compactMap { $0.fields["title"] }
    XCTAssertEqual(found.count, 1, "the index has \(stale)")
  }

  /// Depends on the seed: the number that the app draws.
  func testDrawnBookHasFewPages() async throws {
    let pages: Int = try await app.intents["DrawPages"].makeIntent().run().value
    XCTAssertLessThan(pages, 1_000, "drawn for \(FixtureToken.current ?? "nothing")")
  }
}
