import RunModel
import Testing

@testable import Reporting

/// What XCTest and Swift's backtracer write of a failure is not shown a second time.
@Suite struct RepetitionTests {
  private static let file = "/home/u/Notes/Tests/NoteTests.swift"

  private func attempt(
    _ issues: [TestIssue], _ verdict: Verdict = .failed, library: TestLibrary = .xctest
  ) -> AttemptResult {
    var attempt = AttemptResult(
      test: TestID(product: "P", library: library, name: "NotesTests.NoteTests/testTitle"),
      attempt: 1, purpose: .planned, batch: 1, worker: 1, verdict: verdict, startedAt: 0,
      duration: 0)
    attempt.issues = issues
    return attempt
  }

  @Test func failuresOfXCTest() {
    let attempt = attempt([issue("first\nsecond line", line: 3), issue("b is odd", line: 9)])
    let output = """
      before
      \(Self.file):3: error: NoteTests.testTitle : first
      second line
      \(Self.file):9: error: NoteTests.testTitle : b is odd
      \(Self.file):9: error: NoteTests.testTitle : c is odd
      \(Self.file):8: error: NoteTests.testTitle : b is odd
      \(Self.file):9: error: Others.testTitle : b is odd
      says \(Self.file):9: error: NoteTests.testTitle : b is odd
      after
      """
    #expect(
      attempt.withoutRepetitions(output) == """
        before
        \(Self.file):9: error: NoteTests.testTitle : c is odd
        \(Self.file):8: error: NoteTests.testTitle : b is odd
        \(Self.file):9: error: Others.testTitle : b is odd
        says \(Self.file):9: error: NoteTests.testTitle : b is odd
        after
        """)
    #expect(
      self.attempt([issue("x", line: 9)], library: .testing).withoutRepetitions(
        "\(Self.file):9: error: NoteTests.testTitle : x\n")
        == "\(Self.file):9: error: NoteTests.testTitle : x\n")
  }

  @Test func outputWithoutReportsStaysAsItIs() {
    for output in ["", "\n", "\r\na\r\n\n", "a", "��\n\u{1F600}"] {
      #expect(attempt([issue("x")]).withoutRepetitions(output) == output)
    }
  }

  @Test func backtracer() {
    let output = """
      Fatal error: on purpose
      *** Signal 4: Backtracing from 0x7ff7e0f1b0f1... done ***
      *** the test's own ***
      """
    #expect(
      attempt([], .crashed).withoutRepetitions(output)
        == "Fatal error: on purpose\n*** the test's own ***")
    #expect(attempt([]).withoutRepetitions(output) == output)
  }
}
