import Testing
import XCTest

/// Nothing is wrong with these; the class that comes next cannot be set up.
final class Suite1XCTests: XCTestCase {
  func testPasses() {}
}

final class Suite2SetUpCrashesXCTests: XCTestCase {
  override class func setUp() {
    print("the database is not there")
    fatalError("cannot set up the class")
  }

  func test1() {}
  func test2() {}
}

final class Suite3TearDownCrashesXCTests: XCTestCase {
  override class func tearDown() {
    print("the database is still in use")
    fatalError("cannot tear down the class")
  }

  func test1() {}
  func test2() {}
}

final class Suite4XCTests: XCTestCase {
  func testPasses() {}
}

/// A trait whose scope cannot be entered.
private struct CrashingTrait: SuiteTrait, TestScoping {
  func provideScope(
    for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
  ) async throws {
    print("the trait finds nothing")
    fatalError("cannot provide the scope")
  }
}

@Suite struct SuiteScopeTests {
  @Test func passes() {}

  @Suite(CrashingTrait()) struct Crashing {
    @Test func neverStarts() {}
  }
}
