import XCTest

/// A class with ten thousand tests that do nothing; the list is made when the program runs.
public final class PlannedCase: XCTestCase {
  func nothing() {}

  public static var allTests: [(String, (PlannedCase) -> () throws -> Void)] {
    (0..<10_000).map { number in ("test\(number)", { test in test.nothing }) }
  }
}
