import Foundation
import Testing
import XCTest

/// What is printed last has no line's end.
final class LastWordsXCTests: XCTestCase {
  func test1PrintsAndHangs() {
    print("whole line")
    print("last words before the hang", terminator: "")
    while true { sleep(3600) }
  }

  func test2PrintsAndCrashes() {
    print("last", "words", separator: " ", terminator: " before")
    putchar(32)
    withVaList([]) { _ = vprintf("the crash", $0) }
    kill(getpid(), SIGKILL)
  }
}

@Suite struct LastWordsTests {
  @Test func printsAndExits() {
    print("last words before the exit", terminator: "")
    _exit(3)
  }
}
