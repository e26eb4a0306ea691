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
      if progress.issues.contains(where: \.isFailure) {
        .failed
      } else if progress.skip != nil {
        .skipped
      } else if progress.issues.contains(where: \.isKnown) {
        .knownIssue
      } else {
        .passed
      }
    self.init(
      verdict: verdict, skip: progress.skip, issues: progress.issues, cases: progress.cases,
      duration: duration)
  }
}
