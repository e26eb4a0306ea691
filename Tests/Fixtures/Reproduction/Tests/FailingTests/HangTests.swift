import Testing
import XCTest

/// Tests that do not end.
final class HangXCTests: XCTestCase {
  func testComputesWithoutEnd() {
    var number = 27
    while number != 0 { number = number % 2 == 0 ? number / 2 : 3 * number + 1 }
  }
}

@Suite struct HangTests {
  @Test func isNeverResumed() async {
    await withUnsafeContinuation { (_: UnsafeContinuation<Void, Never>) in }
  }
}
