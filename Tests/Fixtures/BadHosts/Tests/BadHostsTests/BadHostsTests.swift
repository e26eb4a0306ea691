import AppIntentsTesting
import Testing

/// A host that breaks the protocol fails the call that it was to answer, and nothing else.
@Suite(.serialized) struct BadHostsTests {
  @Test(arguments: [
    ("OtherVersion", AppIntentError.Kind.otherVersion), ("Garbage", .appSpeaksOtherwise),
    ("HalfMessage", .appEnded), ("TooLong", .appSpeaksOtherwise),
    ("WrongAnswer", .appSpeaksOtherwise), ("EndsEarly", .appNotStarted),
  ])
  func hostsThatBreakTheProtocol(name: String, kind: AppIntentError.Kind) async throws {
    let bad = IntentDefinitions(bundleIdentifier: "com.example.\(name)")
    for _ in 1...2 {
      do {
        try await bad.intents["Call"].makeIntent().run()
        Issue.record("\(name) answered")
      } catch let error as AppIntentError {
        #expect(error.kind == kind, "\(error)")
        #expect(error.log?.contains("\(name) was started") == true, "\(error)")
      }
    }
  }
}
