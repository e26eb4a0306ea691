import Foundation
import Testing
import XCTest

/// What an earlier test of the same process left behind.
nonisolated(unsafe) private var isMarked = false

/// Tests whose verdict depends on what ran before them in the same process.
final class OrderXCTests: XCTestCase {
  func test1LeavesMark() {
    isMarked = true
  }

  func test2FailsAfterMark() {
    XCTAssertFalse(isMarked, "somebody left a mark")
  }

  func test3FailsWithoutMark() {
    XCTAssertTrue(isMarked, "nobody left a mark")
  }

  func test4AlwaysFails() {
    XCTFail("fails in any company")
  }
}

/// Fails with its place in the run, and with what it finds in its home folder.
final class OrderPlaceXCTests: XCTestCase {
  func testTellsItsPlace() throws {
    let environment = ProcessInfo.processInfo.environment
    let place = ["RUN_ID", "WORKER", "WORKERS", "BATCH"].map {
      environment["CARREL_\($0)"] ?? "none"
    }
    let given = environment["OUTCOMES_GIVEN"] ?? "nothing"
    let file = userFolder(.documentDirectory).appendingPathComponent("place.txt")
    let found = (try? String(contentsOf: file, encoding: .utf8)) ?? "nothing"
    try FileManager.default.createDirectory(
      at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
    try "left".write(to: file, atomically: true, encoding: .utf8)
    XCTFail("at \(place.joined(separator: " ")), given \(given), found \(found)")
  }

  /// Counts in the folder that OUTCOMES_COUNTERS names; its message is the same each time.
  func testFailsTwice() throws {
    let folder = try XCTUnwrap(ProcessInfo.processInfo.environment["OUTCOMES_COUNTERS"])
    let earlier = try FileManager.default.contentsOfDirectory(atPath: folder).count
    try "".write(toFile: "\(folder)/\(earlier)", atomically: false, encoding: .utf8)
    XCTAssertTrue(earlier >= 2, "too early")
  }
}
