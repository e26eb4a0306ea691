import AppIntentsTesting
import XCTest

/// Prints times for `ci/bench`, one line `NAME: SECONDS` each.
final class BenchTests: XCTestCase {
  let app = IntentDefinitions(bundleIdentifier: "com.example.Bench")

  private func time(_ body: () async throws -> Void) async rethrows -> Double {
    let start = ContinuousClock.now
    try await body()
    let elapsed = ContinuousClock.now - start
    return Double(elapsed.components.seconds) + Double(elapsed.components.attoseconds) / 1e18
  }

  private func report(_ name: String, _ seconds: [Double]) {
    print("\(name): \(seconds.sorted()[seconds.count / 2])")
  }

  func testRoundTrips() async throws {
    let echo = app.intents["Echo"].makeIntent(text: "the text of a call of the usual length")
    let first = try await time { try await echo.run() }
    report("first answer", [first])
    var seconds: [Double] = []
    for _ in 0..<3000 { seconds.append(try await time { try await echo.run() }) }
    report("round trip", Array(seconds.dropFirst(500)))
  }

  func testIndex() async throws {
    let seconds = try await time {
      try await app.intents["Fill"].makeIntent(count: 10_000).run()
      try await waitUntilIndexed()
    }
    report("10,000 entries", [seconds])
  }
}
