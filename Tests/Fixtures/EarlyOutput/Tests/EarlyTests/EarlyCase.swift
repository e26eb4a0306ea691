import XCTest

/// Tests of an executable that prints before it runs them.
public final class EarlyCase: XCTestCase {
  public static var allTests: [(String, (EarlyCase) -> () throws -> Void)] {
    [("one", { $0.testOne }), ("two", { $0.testTwo }), ("three", { $0.testThree })]
  }

  func testOne() {}
  func testTwo() {}
  func testThree() {}
}
