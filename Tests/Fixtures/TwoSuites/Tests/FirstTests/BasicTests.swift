import Testing
import XCTest

/// Has the same name as a class of the other target.
final class BasicTests: XCTestCase {
  func testBasic() {
    print("output of the first target's class")
    XCTFail("first target, class")
  }
}

/// A second class with the same method.
final class OtherTests: XCTestCase {
  func testBasic() {
    print("output of the first target's other class")
    XCTFail("first target, other class")
  }
}

/// Has the same name as a suite of the other target.
@Suite struct BasicSuite {
  @Test func basic() {
    print("output of the first target's suite")
    Issue.record("first target, suite")
  }
}
