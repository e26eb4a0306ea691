import Testing
import XCTest

/// Has the same name as a class of the other target.
final class BasicTests: XCTestCase {
  func testBasic() {
    print("output of the second target's class")
    XCTFail("second target, class")
  }
}

/// A second class with the same method.
final class OtherTests: XCTestCase {
  func testBasic() {
    print("output of the second target's other class")
    XCTFail("second target, other class")
  }
}

/// Has the same name as a suite of the other target.
@Suite struct BasicSuite {
  @Test func basic() {
    print("output of the second target's suite")
    Issue.record("second target, suite")
  }
}
