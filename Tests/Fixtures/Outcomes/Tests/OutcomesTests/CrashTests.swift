import Foundation
import Testing
import XCTest

/// XCTest tests that end their process by a signal.
final class CrashXCTests: XCTestCase {
  func test1Passes() {}

  func test2FatalError() {
    fatalError("the engine is out of steam")
  }

  func test3ForceUnwrap() {
    let nothing = Int("nothing")
    print("before the crash")
    XCTAssertEqual(nothing!, 1)
  }

  func test4Segfault() {
    XCTAssertEqual(readNowhere(), 1)
  }

  func test5Killed() {
    kill(getpid(), SIGKILL)
  }

  func test6Fails() {
    XCTFail("fails after others crashed")
  }

  func test7Passes() {}

  /// Swift's own handler writes a crash report and lets the process go on, because nothing faults
  /// when it comes back from the handler.
  func test8SignalsItself() {
    kill(getpid(), SIGSEGV)
  }
}

/// Reads an address that is never mapped.
private func readNowhere() -> Int {
  UnsafePointer<Int>(bitPattern: 8)?.pointee ?? 0
}

/// Swift Testing tests that end their process by a signal.
/// Checks of the language and its library that fail.
final class FailedCheckXCTests: XCTestCase {
  func test1Precondition() {
    precondition(Int.random(in: 1...2) == 3, "the boiler is not lit")
  }

  func test2Assertion() {
    assert(Int.random(in: 1...2) == 3, "the whistle is missing")
  }

  func test3Cast() {
    let value: Any = [1, 2].randomElement() ?? 0
    print(value as! String)
  }
}

/// Tests whose bodies run in processes of their own.
@Suite struct ExitTestTests {
  @Test func endsBySignal() async {
    await #expect(processExitsWith: .signal(SIGSEGV)) { raise(SIGSEGV) }
  }

  @Test func endsWithStatus() async {
    await #expect(processExitsWith: .exitCode(3)) { exit(3) }
  }

  @Test func failsPrecondition() async {
    await #expect(processExitsWith: .failure) { fatalError("as it should") }
  }
}

@Suite struct CrashTests {
  @Test func passes() {}

  @Test func fatal() {
    fatalError("the engine is out of steam")
  }

  @Test func indexOutOfRange() {
    let numbers = [Int]()
    print(numbers[numbers.count + 3])
  }

  @Test func segfault() {
    #expect(readNowhere() == 1)
  }

  /// To its own thread, so that the signal comes before the test goes on.
  @Test func signalsItself() {
    raise(SIGSEGV)
  }

  @Test func killed() {
    kill(getpid(), SIGKILL)
  }

  @Test func alsoPasses() {}
}

/// One passes at once, one fails at once, one traps after the others have ended.
@Suite struct CrashTrioTests {
  @Test func passesAtOnce() {}

  @Test func failsAtOnce() {
    Issue.record("failed before the crash")
  }

  @Test func trapsLater() {
    usleep(300_000)
    fatalError("trapped after 300 ms")
  }
}
