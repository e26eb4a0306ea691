import Foundation
import Testing
import XCTest

/// What the optimizer does not know.
private var isBad: Bool { CommandLine.argc > 0 }

/// Tests that end their process.
final class CrashXCTests: XCTestCase {
  func test1UnwrapsNothing() {
    let numbers: [String: Int] = ["one": 1]
    XCTAssertEqual(numbers[isBad ? "two" : "one"]!, 2)
  }

  func test2WritesToNull() {
    let address = UnsafeMutablePointer<Int>(bitPattern: isBad ? 16 : Int(getpid()))
    address?.pointee = 1
  }

  /// A status that looks like success.
  func test3ExitsWithZero() {
    exit(0)
  }

  func test4Passes() {}
}

@Suite(.serialized) struct CrashTests {
  @Test func indexOutOfRange() {
    let numbers = [1, 2, 3]
    #expect(numbers[isBad ? 3 : 2] == 3)
  }

  @Test func aborts() {
    abort()
  }

  @Test func overflowsTheStack() {
    #expect(depth(of: 1) == 0)
  }
}

/// Calls itself without end, and has something to do when a call comes back.
@inline(never) private func depth(of number: Int) -> Int {
  isBad ? depth(of: number + 1) &+ number : number
}
