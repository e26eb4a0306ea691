import AppIntentsTesting
import Testing

@Suite struct ShelfTests {
  let app = IntentDefinitions(bundleIdentifier: "com.example.Shelf")

  /// The app throws an error of a type of its own.
  @Test func lendsABook() async throws {
    let book: AnyAppEntity = try await app.intents["AddBook"].makeIntent(title: "Emma").run().value
    try await app.intents["LendBook"].makeIntent(book: book).run()
  }

  /// Stale index: what was written a moment ago cannot be found yet.
  @Test func newBookIsFoundAtOnce() async throws {
    try await app.intents["AddBook"].makeIntent(title: "Emma").run()
    let found = try await app.entities["BookEntity"].spotlightQuery("emma")
    #expect(found.count == 1)
  }
}
