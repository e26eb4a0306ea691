package import RunModel

/// How much a run's result for a test counts beside those of other runs; the greatest counts.
///
/// A result that was written down and says something about the test counts more than one that does
/// not; of those the worse one, so that no failure is hidden; of equals a flaky one, then the later
/// one, then that of the run with the greater ID.
package struct MergeRank: Comparable, Sendable {
  package let run: String
  package let verdict: Verdict
  private let order: Int
  private let isFlaky: Bool
  private let time: Double

  /// Verdicts from the one that counts least to the one that counts most.
  package static let order: [Verdict] = [
    .notRun, .interrupted, .environment, .skipped, .passed, .knownIssue, .leaked, .lost,
    .timedOut, .crashed, .failed,
  ]

  /// Verdicts before this one say nothing about the test.
  private static let firstThatSays = Verdict.skipped

  /// - Parameters:
  ///   - test: What one run's events say of the test.
  ///   - run: The ID of the run.
  /// - Returns: `nil` when the run did nothing with the test.
  package init?(_ test: RunState.Test, run: String) {
    guard test.logged != nil || test.open != nil || !test.attempts.isEmpty else { return nil }
    let result = test.result
    self.run = run
    verdict = result.verdict
    isFlaky = result.isFlaky
    time = test.attempts.map { $0.startedAt + $0.duration }.max() ?? 0
    let position = Self.order.firstIndex(of: result.verdict) ?? 0
    // What is only inferred from a log that breaks off counts less than all that was written.
    order = test.logged == nil ? position - Self.order.count : position
  }

  /// Whether the result says something about the test.
  package var saysSomething: Bool {
    order >= Self.order.firstIndex(of: Self.firstThatSays) ?? 0
  }

  package static func < (lhs: Self, rhs: Self) -> Bool {
    (lhs.order, lhs.isFlaky ? 1 : 0, lhs.time, lhs.run)
      < (rhs.order, rhs.isFlaky ? 1 : 0, rhs.time, rhs.run)
  }
}
