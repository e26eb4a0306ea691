import XCTest

/// Test cases whose names are free text, as frameworks on top of XCTest make them.
public final class FreeTextCase: XCTestCase {
  public static var allTests: [(String, (FreeTextCase) -> () throws -> Void)] {
    [
      ("a, b", { $0.passes }),
      ("a", { $0.fails }),
      ("twice", { $0.passes }),
      ("works. right?", { $0.passes }),
      ("x/y", { $0.failsToo }),
      ("plain", { $0.passes }),
      ("zero\u{0}byte", { $0.passes }),
      ("twice", { $0.failsTheSecondTime }),
      ("café", { $0.passes }),
      ("cafe\u{301}", { $0.failsToo }),
      ("again, twice", { $0.passes }),
      ("again, twice", { $0.failsTheSecondTime }),
      ("last", { $0.passes }),
    ]
  }

  func passes() {}

  func fails() {
    XCTFail("the one named a")
  }

  func failsTheSecondTime() {
    XCTFail("the second one of the same name")
  }

  func failsToo() {
    XCTFail("the one with a slash")
  }
}

/// A class that no other file can name.
private final class HiddenCase: XCTestCase {
  static var allTests: [(String, (HiddenCase) -> () throws -> Void)] {
    [("testPasses", { $0.testPasses }), ("testFails", { $0.testFails })]
  }

  func testPasses() {}
  func testFails() { XCTFail("hidden") }
}

public func hiddenTests() -> XCTestCaseEntry { testCase(HiddenCase.allTests) }
