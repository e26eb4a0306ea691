import RunModel
import Testing

@testable import SwiftTests

@Suite struct ConsoleLineFilterTests {
  static func test(_ name: String) -> TestID {
    TestID(product: "P", library: .xctest, name: name)
  }
  static let a = test("M.C/testA")
  static let x = test("M.Outer.Inner/test x/y")
  static let start = "Test Case 'C.testA' started at 2026-11-30 06:29:14.639\n"
  static let end = "Test Case 'C.testA' passed (0.001 seconds)\n"
  static let nextStart = "Test Case 'Outer.Inner.test x/y' started at 2026-11-30 06:29:14.639\n"
  static let suite = """
    Test Suite 'C' passed at 2026-11-30 06:29:14.639
    \t Executed 3 tests, with 1 test skipped and 1 failure (0 unexpected) in 0.1 (0.1) seconds

    """

  /// The parts between boundaries, each with its test, fed in pieces of the given length; gives
  /// what is left of each part.
  func filtered(_ parts: [(TestID?, String)], pieces length: Int = 1000) -> [String] {
    var filter = ConsoleLineFilter(tests: [Self.a, Self.x])
    var result = [[UInt8]](repeating: [], count: parts.count)
    let take = { (piece: ConsoleLineFilter.Piece) in
      #expect(piece.test == parts[piece.section].0)
      result[piece.section] += piece.bytes
    }
    for (section, part) in parts.enumerated() {
      let bytes = Array(part.1.utf8)
      for start in stride(from: 0, to: bytes.count, by: length) {
        let piece = Array(bytes[start..<min(bytes.count, start + length)])
        filter.feed(piece, section: section, test: part.0, take)
      }
    }
    filter.finish(section: parts.count - 1, take)
    #expect(filter.undecided == nil)
    return result.map { String(decoding: $0, as: UTF8.self) }
  }

  /// XCTest's lines before and after the boundaries, and what a test may print.
  @Test(
    arguments: [1, 2, 3, 7, 50, 1000],
    [
      "", "one\nTest\nTest Case 'C.testA'\n\t Executed\n", end, start, end + end, end + "x\n" + end,
      start + end, suite, "Test Case 'C.other' passed (0.0 seconds)\n",
      "Test Case 'C.testA' passed (x seconds)\n", "Test Case 'C.testA' started at noon\n",
      nextStart, "/p/T.swift:3: error: C.testA : XCTAssertTrue failed - \n",
    ]
  ) func onlyLinesOfXCTestAreTakenOut(length: Int, printed: String) {
    let first = filtered(
      [
        (nil, Self.suite), (Self.a, Self.start + printed), (nil, Self.end + Self.suite),
        (Self.x, Self.nextStart),
      ], pieces: length)
    #expect(first == ["", printed, "", ""])
    let last = filtered(
      [
        (nil, Self.suite + Self.start), (Self.a, "0\n" + printed + Self.end),
        (nil, Self.suite + Self.nextStart), (Self.x, ""),
      ], pieces: length)
    #expect(last == ["", "0\n" + printed, "", ""])
  }

  /// A test's last line has no end: XCTest's own begins the next section, or is joined to it.
  @Test func lastLineWithoutEnd() {
    let parts = [(nil, Self.start), (Self.a, Self.end + "no end"), (nil, Self.end), (Self.x, "")]
    #expect(filtered(parts) == ["", Self.end + "no end", "", ""])
  }

  /// The process ends in the middle of the test that printed the line.
  @Test func lineOfATestThatDoesNotEndStays() {
    #expect(filtered([(nil, Self.start), (Self.a, Self.end)]) == ["", Self.end])
    #expect(filtered([(nil, Self.start), (Self.a, Self.end), (nil, "")]) == ["", "", ""])
  }

  @Test func otherOutputBetweenTestsStays() {
    let parts = [(nil, Self.start), (Self.a, Self.end), (nil, "torn down\n")]
    #expect(filtered(parts) == ["", "", "torn down\n"])
  }

  @Test func longLinesAreNotHeld() {
    var filter = ConsoleLineFilter(tests: [Self.a])
    var count = 0
    let bytes = Array("Test Case '".utf8) + Array(repeating: 120, count: 10_000)
    filter.feed(bytes, section: 1, test: Self.a) { count += $0.bytes.count }
    #expect(count == 10_011)
  }
}
