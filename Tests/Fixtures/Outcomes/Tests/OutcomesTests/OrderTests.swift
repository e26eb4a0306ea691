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
