extension RunState {
  /// What there is to say of a test that has no result while its run goes on.
  package enum Progress: String, CaseIterable, Sendable {
    /// An attempt at it was started and has not ended.
    case running
    /// It was not started yet.
    case waiting
  }

  /// - Returns: `nil` for a test that has a result, and for every test of a run that is over.
  package func progress(of test: Test) -> Progress? {
    guard goesOn, finish == nil, test.logged == nil else { return nil }
    if test.open != nil { return .running }
    return test.attempts.isEmpty ? .waiting : nil
  }

  /// Tests that have a result, in plan order.
  package var decided: [Test] { tests.filter { progress(of: $0) == nil } }

  /// Number of planned tests by the word of their verdict; while the run goes on, those without a
  /// result by the word of their ``Progress``.
  package var verdicts: [String: Int] {
    tests.reduce(into: [:]) { counts, test in
      counts[progress(of: test)?.rawValue ?? test.result.verdict.rawValue, default: 0] += 1
    }
  }
}
