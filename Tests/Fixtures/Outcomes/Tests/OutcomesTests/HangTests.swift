import Foundation
import Testing
import XCTest

/// Tests that never end. Select them only together with a time limit.
final class HangXCTests: XCTestCase {
  func test1Passes() {}

  func test2PrintsAndHangs() {
    print("the last words, not flushed")
    while true { sleep(3600) }
  }

  func test3Passes() {}
}

@Suite struct HangTests {
  @Test func blocks() {
    print("about to block")
    while true { sleep(3600) }
  }

  @Test func neverResumed() async {
    await withUnsafeContinuation { (_: UnsafeContinuation<Void, Never>) in }
  }

  @Test func swallowsCancellation() async {
    while true { try? await Task.sleep(for: .milliseconds(10)) }
  }

  /// Quick tests beside those that hang.
  @Test(arguments: 1...20) func quick(number: Int) {}

  @Test func quickToo() {}
}

/// A test that hangs while a shell and a grandchild, both deaf to SIGTERM, hang with it; the
/// grandchild holds 30 MB.
final class HangTreeXCTests: XCTestCase {
  func testTreeIgnoresTermination() {
    let shell = spawnShell(
      "trap '' TERM; (trap '' TERM; a=$(head -c 30000000 /dev/zero | tr '\\0' x); "
        + "while :; do sleep 1; done) & while :; do sleep 1; done")
    print("started shell \(shell)")
    fflush(nil)
    while true { sleep(3600) }
  }
}
