import RunModel
import Testing

@testable import Orchestration

/// Which verdict a test gets, and how often it is tried.
@Suite struct VerdictTests {
  private let five = ["fails", "crashes", "hangs", "flaky", "passes"].map {
    TestDescriptor(id: id("M.S/\($0)"))
  }

  private func fiveScript(_ test: String, _ attempt: Int, _: [String]) -> Verdict {
    switch test {
    case "M.S/fails": .failed
    case "M.S/crashes": .crashed
    case "M.S/hangs": .timedOut
    case "M.S/flaky": attempt < 3 ? .failed : .passed
    default: .passed
    }
  }

  @Test(arguments: [BatchPolicy.fixed(1), .fixed(2), .fixed(5), .auto], [1, 2])
  func retriesAreCountedAndNoFailureIsLost(batch: BatchPolicy, workers: Int) {
    let run = ScriptedRun(
      five, SchedulerOptions(workers: workers, batch: batch, retries: 3, checksCompany: false),
      script: fiveScript)
    let expected: [(String, Verdict, Int, Bool)] = [
      ("M.S/fails", .failed, 4, false), ("M.S/crashes", .crashed, 4, false),
      ("M.S/hangs", .timedOut, 4, false), ("M.S/flaky", .passed, 3, true),
      ("M.S/passes", .passed, 1, false),
    ]
    #expect(run.results.count == 5)
    for (name, verdict, attempts, isFlaky) in expected {
      #expect(run[name]?.verdict == verdict)
      #expect(run[name]?.attempts == attempts, "\(name)")
      #expect(run[name]?.isFlaky == isFlaky)
    }
    for spec in run.specs where spec.purpose == .retry { #expect(spec.tests.count == 1) }
  }

  @Test func withoutRetriesTheFirstVerdictIsFinal() {
    let run = ScriptedRun(
      five, SchedulerOptions(workers: 1, checksCompany: false), script: fiveScript)
    #expect(run["M.S/flaky"]?.verdict == .failed)
    #expect(run.results.values.allSatisfy { $0.attempts == 1 && !$0.isFlaky })
  }

  @Test func theLastFailureNamesTheVerdict() {
    let run = ScriptedRun(five, SchedulerOptions(workers: 1, retries: 2)) { test, attempt, _ in
      if test != "M.S/fails" { return .passed }
      return [.crashed, .failed, .timedOut][attempt - 1]
    }
    #expect(run["M.S/fails"]?.verdict == .timedOut)
    #expect(run["M.S/fails"]?.attempts == 3)
  }

  @Test func aSkipOrABrokenSurroundingDoesNotClearAFailure() {
    for later in [Verdict.skipped, .environment, .interrupted] {
      let run = ScriptedRun(five, SchedulerOptions(workers: 1, retries: 1)) { test, attempt, _ in
        test == "M.S/flaky" ? (attempt == 1 ? .failed : later) : .passed
      }
      #expect(run["M.S/flaky"]?.verdict == .failed)
      #expect(run["M.S/flaky"]?.isFlaky == false)
    }
  }

  @Test(arguments: [Verdict.skipped, .knownIssue, .environment, .interrupted, .passed])
  func verdictsThatDoNotBlameTheTestAreFinal(verdict: Verdict) {
    let run = ScriptedRun(five, SchedulerOptions(workers: 1, retries: 3)) { test, _, _ in
      test == "M.S/fails" ? verdict : .passed
    }
    #expect(run["M.S/fails"] == TestResult(test: id("M.S/fails"), verdict: verdict, attempts: 1))
  }

  @Test(arguments: [true, false])
  func aLeakIsRetriedOnlyWhenItFails(leaksFail: Bool) {
    let options = SchedulerOptions(workers: 1, retries: 1, leaksFail: leaksFail)
    let run = ScriptedRun(five, options) { test, attempt, _ in
      test == "M.S/fails" && attempt == 1 ? .leaked : .passed
    }
    #expect(run["M.S/fails"]?.verdict == (leaksFail ? .passed : .leaked))
    #expect(run["M.S/fails"]?.isFlaky == leaksFail)
  }

  @Test func testsBehindACrashRunInAFreshBatchWithTheSameAttempt() {
    let run = ScriptedRun(
      listing(10), SchedulerOptions(workers: 1, batch: .fixed(10), checksCompany: false)
    ) { test, _, _ in test.hasSuffix("test3") ? .crashed : .passed }
    #expect(run.specs.map(\.tests.count) == [10, 6])
    #expect(run.specs[1].attempts.values.allSatisfy { $0 == 1 })
    #expect(run.results.values.filter { $0.verdict == .crashed }.count == 1)
    #expect(run.results.values.filter { $0.verdict == .passed }.count == 9)
  }

  @Test func everyTestThatCrashesIsNamed() {
    let run = ScriptedRun(listing(50), SchedulerOptions(workers: 2, checksCompany: false)) {
      _, _, _ in .crashed
    }
    #expect(run.results.count == 50)
    #expect(run.results.values.allSatisfy { $0.verdict == .crashed && $0.attempts == 1 })
  }

  @Test func manyCrashesDoNotMakeEveryTestRunAlone() {
    let run = ScriptedRun(
      listing(400), SchedulerOptions(workers: 1, batch: .fixed(400), checksCompany: false)
    ) { test, _, _ in test.hasSuffix("7") ? .crashed : .passed }
    #expect(run.results.values.filter { $0.verdict == .crashed }.count == 40)
    #expect(run.specs.count <= 100)
  }

  @Test func noPlannedTestStartsAfterTheLimitOfFailures() {
    let run = ScriptedRun(
      listing(30), SchedulerOptions(workers: 1, batch: .fixed(5), maxFailures: 2)
    ) { test, _, _ in test.hasSuffix("4") ? .failed : .passed }
    #expect(run.results.values.filter { $0.verdict == .failed }.count == 2)
    let unrun = run.results.values.filter { $0.verdict == .notRun }
    #expect(unrun.count == 15)
    #expect(unrun.allSatisfy { $0.reason == "the run was stopped after 2 failed tests" })
    #expect(unrun.allSatisfy { $0.attempts == 0 })
  }

  @Test func retriesComeBeforeTheLimitOfFailures() {
    let run = ScriptedRun(
      listing(30), SchedulerOptions(workers: 1, batch: .fixed(5), retries: 1, maxFailures: 1)
    ) { _, attempt, _ in attempt == 1 ? .failed : .passed }
    #expect(run.results.values.allSatisfy { $0.verdict == .passed && $0.isFlaky })
  }

  /// The limit does not wait for the end of a batch.
  @Test func failuresCountWhileTheirBatchRuns() {
    let tests = listing(10)
    var scheduler = Scheduler(
      plan: Plan(tests), options: SchedulerOptions(workers: 1, batch: .fixed(6), maxFailures: 2))
    let specs = scheduler.start().batches
    #expect(specs.count == 1 && specs[0].tests.count == 6)
    #expect(scheduler.handle(.failedMeanwhile(tests[0].id)) == [])
    #expect(scheduler.handle(.failedMeanwhile(tests[0].id)) == [])
    #expect(scheduler.handle(.failedMeanwhile(tests[9].id)) == [])
    let commands = scheduler.handle(.failedMeanwhile(tests[3].id))
    let reason = "the run was stopped after 2 failed tests"
    #expect(commands.contains(.endPlannedBatches(reason: reason)))
    #expect(commands.finished.map(\.verdict) == Array(repeating: .notRun, count: 4))
    #expect(commands.finished.allSatisfy { $0.reason == reason })
  }

  @Test func failuresWithRetriesLeftDoNotCountYet() {
    let tests = listing(10)
    var scheduler = Scheduler(
      plan: Plan(tests),
      options: SchedulerOptions(workers: 1, batch: .fixed(6), retries: 1, maxFailures: 1))
    _ = scheduler.start()
    #expect(scheduler.handle(.failedMeanwhile(tests[0].id)) == [])
  }
}
