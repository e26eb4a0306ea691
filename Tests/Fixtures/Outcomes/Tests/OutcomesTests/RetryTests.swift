import Foundation
import Testing
import XCTest

/// Tests that know the number of their attempt.
///
/// They count in files of the folder that OUTCOMES_COUNTERS names.
final class RetryXCTests: XCTestCase {
  func testPassesOnThirdAttempt() throws {
    let attempt = try nextAttempt(of: "xctest-third")
    let documents = userFolder(.documentDirectory)
    try FileManager.default.createDirectory(at: documents, withIntermediateDirectories: true)
    let earlier = try FileManager.default.contentsOfDirectory(atPath: documents.path)
    XCTAssertEqual(earlier, [], "found files of an earlier attempt")
    try "written by attempt \(attempt)".write(
      to: documents.appendingPathComponent("attempt-\(attempt).txt"), atomically: true,
      encoding: .utf8)
    print("output of attempt \(attempt)")
    XCTAssertGreaterThanOrEqual(attempt, 3, "attempt \(attempt) is too early")
  }

  func testAlwaysFails() throws {
    XCTFail("attempt \(try nextAttempt(of: "xctest-fails")) failed like the others")
  }

  func testAlwaysCrashes() throws {
    _ = try nextAttempt(of: "xctest-crashes")
    fatalError("crashes each time")
  }

  func testPassesAtOnce() {}
}

@Suite struct RetryTests {
  @Test func passesOnThirdAttempt() throws {
    let attempt = try nextAttempt(of: "testing-third")
    print("output of attempt \(attempt)")
    #expect(attempt >= 3, "too early")
  }

  @Test func passesAtOnce() {}
}

/// Adds one to a counter file and returns its new value, from 1.
private func nextAttempt(of name: String) throws -> Int {
  guard let folder = ProcessInfo.processInfo.environment["OUTCOMES_COUNTERS"] else {
    throw FixtureError(text: "OUTCOMES_COUNTERS is not set")
  }
  let file = URL(fileURLWithPath: folder).appendingPathComponent(name)
  let attempt = (Int((try? String(contentsOf: file, encoding: .utf8)) ?? "") ?? 0) + 1
  try "\(attempt)".write(to: file, atomically: true, encoding: .utf8)
  return attempt
}
