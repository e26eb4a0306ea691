import AppIntentsTesting
import Testing

@Suite struct ShopTests {
  let shop = IntentDefinitions(bundleIdentifier: "org.example.shop")

  @Test func reorders() async throws {
    try await shop.intents["ReorderIntent"].makeIntent().run()
    Issue.record("the bundle says what the app has registered")
  }

  @Test(.disabled("only its source counts")) func mistypes() async throws {
    try await shop.intents["ReorderIntnt"].makeIntent().run()  // here: mistyped
    // carrel:disable name-not-registered: no app has it on purpose
    try await shop.intents["Nothing"].makeIntent().run()
  }
}
