import Foundation
import Testing
import XCTest

/// The first test ends the process with a status that looks like success; the second one fails.
final class ExitXCTests: XCTestCase {
  func test1ExitsZero() {
    exit(0)
  }

  func test2Fails() {
    XCTFail("would have been lost")
  }

  func test3ExitsThree() {
    exit(3)
  }

  func test4Passes() {}
}

@Suite struct ExitTests {
  @Test func exitsZero() {
    exit(0)
  }

  @Test func exitsThree() {
    exit(3)
  }

  @Test func fails() {
    Issue.record("would have been lost")
  }

  @Test func passes() {}
}
