import AppIntentsTesting
import XCTest

/// What one test's app stores is not there for another test. `swift test` gives all one app, so
/// only an orchestrator can keep that promise.
final class StorageTests: XCTestCase {
  let app = IntentDefinitions(bundleIdentifier: "com.example.TestApp")

  override func setUp() async throws {
    try XCTSkipIf(FixtureToken.current == nil, "the tests share an app")
  }

  private func store() async throws {
    let counts = try await app.intents["WriteDefaults"].makeIntent(count: 200).run()
    XCTAssertEqual(try counts.value as [Int], [0, 200])
    let rows = try await app.intents["Remember"].makeIntent(text: "a").run()
    XCTAssertEqual(try rows.value, 1)
  }

  func testFirst() async throws { try await store() }
  func testSecond() async throws { try await store() }
  func testThird() async throws { try await store() }
  func testFourth() async throws { try await store() }
}
