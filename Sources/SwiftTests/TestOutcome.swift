package import RunModel

/// A verdict with what explains it, before it becomes an attempt's result.
package struct TestOutcome: Sendable, Hashable {
  package var verdict: Verdict
  package var reason: String?
  package var skip: Skip?
  package var issues: [TestIssue]
  package var cases: [TestCaseResult]
  /// In seconds.
  package var duration: Double
  package var leaks: [LeakedProcess] = []
  /// What the limits of results left out.
  package var omitted = OmittedCounts()
  /// Limits that a process of the test has noticed; known for tests that failed.
  package var limitSigns: Set<LimitSign> = []

  package init(
    verdict: Verdict, reason: String? = nil, skip: Skip? = nil, issues: [TestIssue] = [],
    cases: [TestCaseResult] = [], duration: Double = 0
  ) {
    self.verdict = verdict
    self.reason = reason
    self.skip = skip
    self.issues = issues
    self.cases = cases
    self.duration = duration
  }

  /// The outcome of a test whose finish record was seen.
  init(_ progress: BatchTranscript.Progress, duration: Double) {
    let verdict: Verdict =
      if progress.issues.hasFailure {
        .failed
      } else if progress.skip != nil {
        .skipped
      } else if progress.issues.hasKnown {
        .knownIssue
      } else {
        .passed
      }
    var cases = progress.cases
    if let open = progress.openCase { cases.append(open.result) }
    self.init(
      verdict: verdict, skip: progress.skip, issues: progress.issues.kept, cases: cases.kept,
      duration: duration)
    omitted = OmittedCounts(
      issues: progress.issues.omitted, cases: cases.omitted, failedCases: cases.omittedFailed)
  }

  /// Adds issues behind the ones that are there.
  mutating func add(_ more: IssueList) {
    var list = IssueList(issues)
    list.append(contentsOf: more)
    issues = list.kept
    omitted.issues += list.omitted
  }

  /// Adds what may explain a failure, unless it was said already; it changes no verdict.
  package mutating func add(hint: String) {
    guard !issues.contains(where: { $0.severity == .warning && $0.message == hint }) else {
      return
    }
    add(IssueList([TestIssue(message: hint, severity: .warning)]))
  }

  /// Charges the test with processes that outlived it.
  ///
  /// - Parameter culprit: Who started them: `the test`.
  package mutating func charge(leaks: [LeakedProcess], by culprit: String) {
    self.leaks += leaks
    guard verdict == .passed || verdict == .knownIssue else { return }
    verdict = .leaked
    let list = leaks.map { "\($0.pid) (\($0.command))" }.joined(separator: ", ")
    reason =
      "\(culprit) left \(leaks.count == 1 ? "process \(list)" : "processes") behind"
      + (leaks.count == 1 ? "" : ": \(list)")
  }

  /// Adds the issue that explains the verdict, whatever else was recorded.
  package mutating func add(decisive issue: TestIssue) {
    var list = IssueList(issues)
    list.appendDecisive(issue)
    issues = list.kept
    omitted.issues += list.omitted
  }
}
