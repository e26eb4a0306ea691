import Evidence
import RunModel
import Testing

@testable import CarrelCLI

/// What is said of attempts to reproduce a failure.
@Suite struct ReproductionResultTests {
  private static let test = TestID(product: "P", library: .xctest, name: "M.C/test")

  private func attempt(_ verdict: Verdict, _ message: String? = nil) -> AttemptResult {
    AttemptResult(
      test: Self.test, attempt: 1, batch: 1, worker: 1, verdict: verdict,
      issues: message.map { [TestIssue(message: $0)] } ?? [], startedAt: 1, duration: 0.5)
  }

  private func result(
    asked: Int? = nil, predecessors: Int = 0, _ attempts: [AttemptResult]
  ) -> ReproductionResult {
    var result = ReproductionResult(
      of: Self.test, FailureSignature(attempt(.failed, "x"), container: nil), bundle: "/b",
      predecessors: predecessors, asked: asked)
    for (index, attempt) in attempts.enumerated() {
      _ = result.add(attempt, container: nil, record: "/r\(index)", number: index + 1)
    }
    return result
  }

  @Test func oneAttemptHasNoCount() {
    #expect(
      result([attempt(.failed, "x")]).conclusion(hasPredecessors: false) == [
        "REPRODUCED: M.C/test failed with the same message"
      ])
    #expect(
      result([attempt(.passed)]).conclusion(hasPredecessors: false) == [
        "PASSED: M.C/test did not fail this time (passed)"
      ])
    #expect(
      result([attempt(.failed, "y")]).conclusion(hasPredecessors: false) == [
        "FAILED DIFFERENTLY: M.C/test", "  then: failed: x", "  now:  failed: y",
      ])
  }

  @Test func severalAttemptsAreCounted() {
    let same = attempt(.failed, "x")
    let all = result(asked: 3, [same, same, same])
    #expect(all.matches == 3)
    #expect(
      all.conclusion(hasPredecessors: false) == [
        "REPRODUCED 3 of 3: M.C/test failed with the same message"
      ])
    let passed = result(asked: 9, [same, same, attempt(.skipped)])
    #expect(passed.matches == 2 && passed.line(3) == "  attempt 3 of 9: passed (skipped)")
    #expect(
      passed.conclusion(hasPredecessors: false) == [
        "REPRODUCED 2 of 3: M.C/test; attempt 3 passed (skipped)"
      ])
    let other = result(asked: 9, [same, attempt(.crashed, "z")])
    #expect(
      other.conclusion(hasPredecessors: false).first
        == "REPRODUCED 1 of 2: M.C/test; attempt 2 failed differently")
    #expect(other.line(2) == "  attempt 2 of 9: failed differently")
  }

  @Test func companyIsRecommendedToWhoDidWithout() {
    let passed = result(predecessors: 2, [attempt(.passed)])
    #expect(passed.conclusion(hasPredecessors: true).count == 1)
    let advice = passed.conclusion(hasPredecessors: false).last
    #expect(advice?.contains("(2); --with-predecessors runs them first") == true)
  }

  /// A container has what all tests of its batch left, also those that ran later.
  @Test func filesOfLaterTestsAreNamed() {
    let hint =
      "  its container had the files of tests that ran after it, too (3); --container fresh starts "
      + "with an empty one"
    let other = result([attempt(.failed, "y")])
    #expect(other.conclusion(hasPredecessors: false, laterTests: 3).last == hint)
    #expect(!other.conclusion(hasPredecessors: false).contains(hint))
    let passed = result(predecessors: 2, [attempt(.passed)])
    #expect(passed.conclusion(hasPredecessors: true, laterTests: 3).last == hint)
    let same = result([attempt(.failed, "x")])
    #expect(same.conclusion(hasPredecessors: true, laterTests: 3).count == 1)
  }

  @Test func laterTestsAreThoseOfTheBatchThatDidNotRunBefore() {
    let names = ["M.C/a", "M.C/b", "M.C/test", "M.C/c", "M.C/d"]
    let tests = names.map { TestID(product: "P", library: .xctest, name: $0) }
    func count(_ batch: [TestID], _ before: [TestID]) -> Int {
      OriginalFailure.laterTests(than: Self.test, in: batch, predecessors: before)
    }
    #expect(count(tests, [tests[3], tests[0]]) == 2)
    #expect(count(tests, [tests[0], tests[1], tests[3], tests[4]]) == 0)
    #expect(count([Self.test], []) == 0)
  }

  /// The records of repetitions that ended like the others before them are removed.
  @Test func onlyTheFirstAndTheLastHaveRecords() {
    let same = attempt(.failed, "x")
    #expect(
      result(asked: 4, [same, same, same, same]).attempts.map(\.record) == ["/r0", nil, nil, "/r3"])
  }

  @Test func programsReadTheSame() throws {
    var result = result(asked: 2, [attempt(.failed, "x"), attempt(.passed)])
    result.differences = [ReproductionFact(fact: "seed", then: "1", now: nil)]
    result.exitCode = 10
    let json = String(decoding: try encodedJSON(result), as: UTF8.self)
    #expect(
      json == #"{"asked":2,"attempts":[{"duration":0.5,"message":"x","number":1,"record":"/r0","#
        + #""result":"reproduced","verdict":"failed"},{"duration":0.5,"message":"","number":2,"#
        + #""record":"/r1","result":"passed","verdict":"passed"}],"bundle":"/b","differences":"#
        + #"[{"fact":"seed","now":null,"then":"1"}],"exitCode":10,"matches":1,"original":"#
        + #"{"message":"x","verdict":"failed"},"test":"P:xctest:M.C/test"}"#)
  }
}
