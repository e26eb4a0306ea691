import XCTest

/// One test for each way in which an XCTest can end by itself.
final class BasicXCTests: XCTestCase {
  func testPasses() {
    XCTAssertEqual(2 + 2, 4)
  }

  func testFails() {
    XCTAssertEqual(2 + 2, 5, "arithmetic is off")  // here: BasicXCTests.testFails
  }

  func testFailsTwice() {
    XCTFail("first of two")  // here: BasicXCTests.testFailsTwice/1
    XCTFail("second of two")  // here: BasicXCTests.testFailsTwice/2
  }

  func testFailsWithManyLines() {
    XCTFail("line one\nline two: error: not a new failure\nTest Case 'x.y' passed (0.0 seconds)")
  }

  func testThrows() throws {
    throw FixtureError(text: "thrown on purpose")
  }

  func testAsyncFails() async {
    await Task.yield()
    XCTFail("failed after a suspension")
  }

  func testSkips() throws {
    throw XCTSkip("needs a printer")  // here: BasicXCTests.testSkips
  }

  func testSkipsIf() throws {
    try XCTSkipIf(true, "only on weekends")
  }

  func testSkipsUnless() throws {
    try XCTSkipUnless(false)
  }
}

/// The set-up decides that nothing can run.
final class SetUpXCTests: XCTestCase {
  override func setUpWithError() throws {
    if name.contains("testSkippedBySetUp") { throw XCTSkip("the set-up found no database") }
    if name.contains("testFailedBySetUp") { throw FixtureError(text: "the set-up broke") }
  }

  func testSkippedBySetUp() {
    XCTFail("must not run")
  }

  func testFailedBySetUp() {
    XCTFail("must not run either")
  }

  func testRuns() {}
}

/// An error whose description is its text.
struct FixtureError: Error, CustomStringConvertible {
  var text: String
  var description: String { text }
}
