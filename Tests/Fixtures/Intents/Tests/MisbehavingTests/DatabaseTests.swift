import AppIntentsTesting
import XCTest

/// The app writes to a database at its start and waits for nobody. Only when somebody asks for it.
final class DatabaseTests: XCTestCase {
  let app = IntentDefinitions(bundleIdentifier: "com.example.TestApp")

  override func setUp() async throws {
    let asked = ProcessInfo.processInfo.environment["CARREL_TEST_CASE"]
    try XCTSkipUnless(asked == "holdsDatabase", "nobody asked for it")
  }

  private func start() async throws {
    let answer = try await app.intents["StartedDatabase"].makeIntent().run().value as [String]
    XCTAssertEqual(answer.last, "")
    print("inode: \(answer[0])")
  }

  func testFirst() async throws { try await start() }
  func testSecond() async throws { try await start() }
  func testThird() async throws { try await start() }
  func testFourth() async throws { try await start() }
  func testFifth() async throws { try await start() }
  func testSixth() async throws { try await start() }
  func testSeventh() async throws { try await start() }
  func testEighth() async throws { try await start() }
}
