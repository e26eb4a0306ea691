import RunModel

extension ConsoleReport {
  /// The verdict of the whole run in one line that begins with one of `PASSED`, `FAILED`,
  /// `INTERRUPTED`, `NOT BUILT`, `NO TESTS`, `NOTHING RAN` and `RUNNING`. The numbers in it add up
  /// to the planned tests.
  ///
  /// - Parameter results: Those of the tests that have one.
  func verdictLine(of state: RunState, results: [TestResult]) -> String {
    var counts: [Verdict: Int] = [:]
    for result in results { counts[result.verdict, default: 0] += 1 }
    let failing = Verdict.allCases.filter { !$0.isSuccess(leaksFail: style.leaksFail) }
    let failed = failing.reduce(0) { $0 + counts[$1, default: 0] }
    let errors = state.problems.count { $0.severity == .error }
    let exitCode = state.finish?.exitCode ?? 0
    let time = state.finish.map { " in \(spoken($0.duration))" } ?? ""
    let rest = successes(counts, flaky: results.count(where: \.isFlaky))
    let problems = errors > 0 ? [counted(errors, "problem") + " outside of the tests"] : []

    if state.goesOn, state.finish == nil {
      let undecided = RunState.Progress.allCases.compactMap { progress -> String? in
        let count = state.tests.count { state.progress(of: $0) == progress }
        return count > 0 ? "\(count) \(progress.rawValue)" : nil
      }
      let failures = failing.filter { counts[$0, default: 0] > 0 }
        .map { Sentences.counted($0, counts[$0, default: 0]) }
      let start = "\(results.count) of \(counted(state.tests.count, "test")) have ended"
      return toned("RUNNING", .quiet) + ": "
        + join([start] + failures + problems + rest + undecided)
    }
    if let signal = state.finish?.interruptedBy {
      let parts = [share(failed, of: results.count, failing, counts)] + problems + rest
      return toned("INTERRUPTED", .bad) + " by \(terminalSafe(signal)): " + join(parts) + time
    }
    if results.isEmpty {
      let tone: Tone = state.finish?.exitCode == 0 ? .odd : .bad
      let label = state.finish?.exitCode == 3 ? "NOT BUILT" : "NO TESTS"
      return toned(label, tone) + ": " + join(problems + ["nothing was run"]) + time
    }
    if failed > 0 {
      let parts = [share(failed, of: results.count, failing, counts)] + problems + rest
      return toned("FAILED", .bad) + ": " + join(parts) + time
    }
    if errors > 0 {
      return toned("FAILED", .bad) + ": " + join(problems + rest) + time
    }
    if exitCode != 0 {
      let text = ": no test failed, but the run ended with exit code \(exitCode), "
      return toned("FAILED", .bad) + text + join(rest) + time
    }
    if counts[.skipped] == results.count {
      let count = results.count
      let text = count == 1 ? ": the only test was skipped" : ": all \(count) tests were skipped"
      return toned("NOTHING RAN", .odd) + text + time
    }
    if counts[.passed] == results.count {
      let flaky = flakyNote(results.count(where: \.isFlaky))
      return toned("PASSED", .good) + ": \(counted(results.count, "test"))\(flaky)" + time
    }
    return toned("PASSED", .good) + ": \(counted(results.count, "test")): " + join(rest) + time
  }

  /// `3 of 120 tests (2 failed, 1 crashed)`.
  private func share(
    _ failed: Int, of total: Int, _ failing: [Verdict], _ counts: [Verdict: Int]
  ) -> String {
    let parts = failing.filter { counts[$0, default: 0] > 0 }
      .map { Sentences.counted($0, counts[$0, default: 0]) }
    let start = "\(failed) of \(counted(total, "test"))"
    return parts.isEmpty ? start : "\(start) (\(parts.joined(separator: ", ")))"
  }

  private func successes(_ counts: [Verdict: Int], flaky: Int) -> [String] {
    Verdict.allCases.compactMap { verdict in
      let count = counts[verdict, default: 0]
      guard count > 0, verdict.isSuccess(leaksFail: style.leaksFail) else { return nil }
      let text = Sentences.counted(verdict, count)
      return verdict == .passed ? text + flakyNote(flaky) : text
    }
  }

  private func flakyNote(_ flaky: Int) -> String { flaky > 0 ? " (\(flaky) flaky)" : "" }

  private func join(_ parts: [String]) -> String { parts.joined(separator: ", ") }
}
