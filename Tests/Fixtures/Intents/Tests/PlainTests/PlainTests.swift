import XCTest

/// Tests that call no app share their processes as ever.
final class PlainTests: XCTestCase {
  func testOne() { XCTAssertNil(ProcessInfo.processInfo.environment["CARREL_INTENT_SOCKET"]) }
  func testTwo() {}
  func testThree() {}
}
