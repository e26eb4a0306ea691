import AppIntentsTesting
import XCTest

/// Tests whose first attempt leaves something behind and fails; what the second one does depends on
/// what it finds. Only when somebody asks for them, with a folder for the numbers of attempts.
final class SecondAttemptTests: XCTestCase {
  let app = IntentDefinitions(bundleIdentifier: "com.example.TestApp")
  private var attempt = 0
  private var marker: URL {
    FileManager.default.urls(for: .applicationSupportDirectory, in: .userDomainMask)[0]
      .appendingPathComponent("marker")
  }

  override func setUp() async throws {
    guard let folder = ProcessInfo.processInfo.environment["CARREL_TEST_COUNTERS"] else {
      throw XCTSkip("nobody asked for it")
    }
    let counter = URL(fileURLWithPath: folder).appendingPathComponent(name)
    attempt = (Int((try? String(contentsOf: counter, encoding: .utf8)) ?? "") ?? 0) + 1
    try "\(attempt)".write(to: counter, atomically: true, encoding: .utf8)
  }

  /// Leaves the marker, a result file, a note in the app's memory and an entry of the index; whether
  /// any of them was there before.
  private func leaveTraces() async throws -> Bool {
    let notes = app.entities["NoteEntity"]
    let indexed = try await notes.spotlightQuery("trace")
    let isMarked = FileManager.default.fileExists(atPath: marker.path)
    let found =
      try await app.intents["LeaveTraces"].makeIntent(file: "result-\(attempt).txt").run().value
      as [String]
    let now = try await notes.spotlightQuery("trace")
    XCTAssertEqual(now.count, indexed.count + 1)
    try FileManager.default.createDirectory(
      at: marker.deletingLastPathComponent(), withIntermediateDirectories: true)
    try "\(attempt)".write(to: marker, atomically: true, encoding: .utf8)
    print("attempt \(attempt) found \(indexed.count) \(isMarked) \(found)")
    return isMarked || !found.isEmpty || !indexed.isEmpty
  }

  /// Passes at the second attempt when nothing is left of the first one.
  func testNeedsAFreshStart() async throws {
    let isThere = try await leaveTraces()
    if attempt == 1 { return XCTFail("the first attempt") }
    XCTAssertFalse(isThere)
  }

  /// Passes at the second attempt when something is left of the first one.
  func testNeedsTraces() async throws {
    let isThere = try await leaveTraces()
    if attempt == 1 { return XCTFail("the first attempt") }
    XCTAssertTrue(isThere)
  }
}
