import XCTest

/// A family of variants: the subclasses change the parameter and inherit the test.
class InheritedBaseXCTests: XCTestCase {
  var factor: Int { 1 }

  func testProduct() {
    XCTAssertEqual(factor * 2, 2 * factor)
  }
}

final class InheritedTwoXCTests: InheritedBaseXCTests {
  override var factor: Int { 2 }
}

final class InheritedThreeXCTests: InheritedBaseXCTests {
  override var factor: Int { 3 }
}
