import AppIntentsTesting
import Testing

/// Hosts that are well, beside those that are not.
@Suite struct OtherHostsTests {
  private func call(_ name: String) async throws {
    try await IntentDefinitions(bundleIdentifier: "com.example.\(name)").intents["Call"]
      .makeIntent().run()
  }

  @Test func goodHost() async throws {
    try await call("Good")
    try await call("Good")
  }

  @Test func noHost() {}

  @Test func oneBundleIdentifierForTwo() async throws {
    do {
      try await call("Twin")
      Issue.record("one of two answered")
    } catch let error as AppIntentError {
      #expect(error.message.contains("is the bundle identifier of several executables: "))
      #expect(error.message.contains("/Twin1, ") && error.message.contains("/Twin2"))
    }
  }
}
