import RunModel

/// The words in which reports speak of verdicts, skips and findings.
enum Sentences {
  /// How a count of the verdict is written: `2 timed out`.
  static func counted(_ verdict: Verdict, _ count: Int) -> String {
    let words =
      switch verdict {
      case .passed: "passed"
      case .failed: "failed"
      case .crashed: "crashed"
      case .timedOut: "timed out"
      case .leaked: "leaked"
      case .lost: "lost"
      case .skipped: "skipped"
      case .knownIssue: count == 1 ? "with a known issue" : "with known issues"
      case .environment: "stopped by the environment"
      case .interrupted: "interrupted"
      case .notRun: "not run"
      }
    return "\(count) \(words)"
  }

  /// What is said of a verdict when nothing else is known.
  static func fallback(_ verdict: Verdict) -> String {
    switch verdict {
    case .passed: "the test passed"
    case .failed: "the test failed without a message"
    case .crashed: "the process ended while the test was running"
    case .timedOut: "the test exceeded its time limit"
    case .leaked: "the test left processes behind"
    case .lost: "no result of the test was seen"
    case .skipped: "skipped"
    case .knownIssue: "only known issues were recorded"
    case .environment: "the surroundings failed; nothing is said about the test"
    case .interrupted: "the run was ended while the test was running"
    case .notRun: "the run ended before the test was started"
    }
  }

  /// What is said of a test that has no result while its run goes on.
  static func progress(_ progress: RunState.Progress) -> String {
    switch progress {
    case .running: "the test is running: the run goes on"
    case .waiting: "the test was not started yet: the run goes on"
    }
  }

  /// `disabled: needs a network`; the kind alone when no reason was given.
  static func skip(_ skip: Skip?) -> String {
    guard let skip else { return "skipped" }
    let kind =
      switch skip.kind {
      case .runtime: "skipped at run time"
      case .disabled: "disabled"
      case .cancelled: "cancelled by the test"
      case .noArguments: "no arguments"
      }
    guard let reason = skip.reason, !reason.isEmpty else { return kind }
    return "\(kind): \(reason)"
  }

  /// What a further attempt with or without neighbours has shown.
  ///
  /// - Parameters:
  ///   - unnamed: Tests that ran before those that the finding names.
  ///   - advice: How to run the tests before a test first; see ``ConsoleReport/Style``.
  static func company(
    _ finding: CompanyFinding, unnamed: Int?, names: ShortNames, advice: String?
  ) -> String {
    func list(_ tests: [TestID]) -> String {
      listed(tests.lazy.map { names.name(of: $0) }, limit: 20, furtherItems: unnamed ?? 0)
    }
    return switch finding {
    case .alsoAlone: "also alone: the test fails without other tests in its process too"
    case .onlyAfter([]): "only in company: the test passed alone"
    case .onlyAfter(let tests):
      "only after \(list(tests)): the test passed alone" + (advice.map { "; \($0)" } ?? "")
    case .alsoInCompany: "also in company: the test fails with other tests in its process too"
    case .onlyAlone(passesAfter: []): "only alone: passed in company"
    case .onlyAlone(passesAfter: let tests): "only alone: passed after \(list(tests))"
    }
  }

  /// Why an attempt was made, when it does not count for the verdict.
  static func check(_ purpose: AttemptPurpose) -> String? {
    switch purpose {
    case .planned, .retry: nil
    case .aloneCheck: "alone check"
    case .companyCheck: "company check"
    }
  }
}

extension AttemptResult {
  /// Number of issues, cases and processes left behind, with those that limits left out.
  var allIssues: Int { issues.count + (omitted?.issues ?? 0) }
  var allCases: Int { cases.count + (omitted?.cases ?? 0) }
  var allLeaks: Int { leaks.count + (omitted?.leaks ?? 0) }

  /// Cases that did not succeed, as far as limits left them, and the number of all.
  func failedCases(leaksFail: Bool) -> (kept: [TestCaseResult], count: Int) {
    let kept = cases.filter { !$0.verdict.isSuccess(leaksFail: leaksFail) }
    return (kept, kept.count + (omitted?.failedCases ?? 0))
  }

  /// Whether the attempt counts for the verdict of its test.
  var counts: Bool { purpose == .planned || purpose == .retry }

  /// The one line that explains the verdict.
  ///
  /// For an expectation it is the first failure; when the process went wrong that comes first,
  /// because an issue recorded before it does not explain it.
  var explanation: String {
    switch verdict {
    case .failed, .passed, .knownIssue: headline ?? Sentences.fallback(verdict)
    case .skipped: Sentences.skip(skip)
    case .crashed:
      mainIssue.map { issue in issue.message + (end.map { " (\($0))" } ?? "") } ?? crashExplanation
    case .lost: crashExplanation
    case .timedOut, .leaked, .environment, .interrupted, .notRun:
      reason ?? Sentences.fallback(verdict)
    }
  }

  /// How the process ended, where that says something: a process that holds a failed test, which
  /// may be another one, ends with a status other than 0, and ``explanation`` tells the end of one
  /// that crashed.
  var remarkableEnd: ProcessEnd? {
    switch (verdict, end) {
    case (.crashed, _), (.lost, _), (_, .exited(0)?), (.failed, .exited?), (.leaked, .exited?): nil
    default: end
    }
  }

  /// The reason, with the end of the process when it is known and the reason does not tell it.
  var crashExplanation: String {
    let reason = reason ?? Sentences.fallback(verdict)
    guard let end else { return reason }
    let key =
      switch end {
      case .exited, .unknown: "status"
      case .signaled(let signal): signalName(signal)
      }
    return reason.contains(key) ? reason : "\(reason) (\(end))"
  }
}

extension RunState.Test {
  /// The attempt that the final verdict comes from; `nil` when it comes from none.
  func main(for result: TestResult) -> AttemptResult? {
    guard open == nil, let decisive, decisive.counts, decisive.verdict == result.verdict
    else { return nil }
    return decisive
  }

  /// Which of how many attempts this is, both from 1, checks not counted.
  ///
  /// - Parameter retries: How often the test may be tried again, while that is not over.
  func ordinal(of attempt: AttemptResult, retries: Int = 0) -> (number: Int, total: Int) {
    let counting = attempts.filter(\.counts)
    let position = counting.firstIndex { $0.attempt == attempt.attempt } ?? counting.count
    return (position + 1, max(retries + 1, counting.count, position + 1))
  }
}
