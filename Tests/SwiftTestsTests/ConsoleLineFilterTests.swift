import Testing

@testable import SwiftTests

@Suite struct ConsoleLineFilterTests {
  static let names = ["M.C/testA", "M.C/testB", "M.Outer.Inner/test x/y"]

  /// The text fed in pieces of the given length, filtered.
  func filtered(_ text: String, pieces length: Int = 1000) -> String {
    var filter = ConsoleLineFilter(names: Self.names)
    var result: [UInt8] = []
    let bytes = Array(text.utf8)
    for start in stride(from: 0, to: bytes.count, by: length) {
      filter.feed(Array(bytes[start..<min(bytes.count, start + length)])) { result += $0 }
    }
    filter.flush { result += $0 }
    return String(decoding: result, as: UTF8.self)
  }

  static let noise = """
    Test Suite 'All tests' started at 2026-11-30 06:29:14.639
    Test Suite 'C' started at 2026-11-30 06:29:14.639
    Test Case 'C.testA' started at 2026-11-30 06:29:14.639
    Test Case 'C.testA' passed (0.0 seconds)
    Test Case 'C.testB' started at 2026-11-30 06:29:14.639
    Test Case 'C.testB' failed (1.5e-05 seconds)
    Test Case 'Outer.Inner.test x/y' started at 2026-11-30 06:29:14.639
    Test Case 'Outer.Inner.test x/y' skipped (0.001 seconds)
    Test Suite 'C' failed at 2026-11-30 06:29:14.639
    \t Executed 3 tests, with 1 test skipped and 1 failure (0 unexpected) in 0.1 (0.1) seconds

    """

  @Test(arguments: [1, 2, 3, 7, 50, 1000]) func progressOfXCTestIsTakenOut(length: Int) {
    #expect(filtered(Self.noise, pieces: length) == "")
    let output = "one\nTest\nTest Case 'C.testA'\n\t Executed\nlast without end"
    #expect(filtered(Self.noise + output, pieces: length) == output)
    #expect(filtered("first\n" + Self.noise, pieces: length) == "first\n")
  }

  @Test func failuresAndOtherTestsLinesStay() {
    for line in [
      "/p/T.swift:3: error: C.testA : XCTAssertTrue failed - \n",
      "Test Case 'C.other' passed (0.0 seconds)\n", "Test Case 'C.testA' passed (x seconds)\n",
      "Test Case 'C.testA' started at noon\n", "say: Test Case 'C.testA' passed (0.0 seconds)\n",
    ] {
      #expect(filtered(line) == line)
    }
  }

  @Test func forgedLinesOfATestStay() {
    let forged = "Test Case 'C.testA' passed (0.0 seconds)\n"
    #expect(filtered(Self.noise + forged + forged) == forged + forged)
  }

  @Test func longLinesAreNotHeld() {
    var filter = ConsoleLineFilter(names: Self.names)
    var count = 0
    filter.feed(Array("Test Case '".utf8) + Array(repeating: 120, count: 10_000)) {
      count += $0.count
    }
    #expect(count == 10_011)
  }
}
