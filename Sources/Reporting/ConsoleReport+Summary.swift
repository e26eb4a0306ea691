package import RunModel

extension ConsoleReport {
  /// The end of a run's output: what failed, what was flaky, the verdict of the whole, the files.
  ///
  /// - Parameters:
  ///   - recordPath: The run's folder.
  ///   - junitPath: The JUnit file, when one was written.
  /// - Returns: The text, an empty line first.
  package func summary(
    of state: RunState, recordPath: String?, junitPath: String? = nil
  ) -> String {
    let results = state.tests.map(\.result)
    let failed = zip(state.tests, results).filter {
      !$0.1.verdict.isSuccess(leaksFail: style.leaksFail)
    }
    let flaky = zip(state.tests, results).filter { $0.1.isFlaky }
    var lines: [String] = []
    if !failed.isEmpty {
      lines.append("Did not succeed:")
      lines += list(failed) { entry($0, $1) }
    }
    if !flaky.isEmpty {
      lines.append("Flaky:")
      lines += list(flaky) { flakyEntry($0, $1) }
    }
    if !state.problems.isEmpty {
      lines.append("Outside of the tests:")
      lines += state.problems.prefix(style.listLimit).map {
        "  " + problem(RunProblem(severity: $0.severity, code: $0.code, message: $0.message))
      }
      let more = state.problems.count - style.listLimit
      if more > 0 { lines.append("  and \(more) more") }
    }
    lines = [""] + lines + (lines.isEmpty ? [] : [""])
    lines.append(verdictLine(of: state, results: results))
    if let recordPath { lines.append("  record: \(terminalSafe(recordPath))") }
    if let junitPath { lines.append("  JUnit:  \(terminalSafe(junitPath))") }
    return lines.joined(separator: "\n")
  }

  private func list(
    _ tests: [(RunState.Test, TestResult)], _ entry: (RunState.Test, TestResult) -> String
  ) -> [String] {
    let shown = tests.prefix(style.listLimit).map { entry($0.0, $0.1) }
    let more = tests.count - shown.count
    return more > 0 ? shown + ["  and \(more) more"] : shown
  }

  private func entry(_ test: RunState.Test, _ result: TestResult) -> String {
    let (label, tone) = label(result.verdict)
    let space = String(repeating: " ", count: max(1, 8 - label.utf8.count))
    var lines = ["  \(toned(label, tone))\(space)\(names.name(of: test.id))"]
    let main = test.main(for: result)
    let reason = main?.explanation ?? result.reason ?? Sentences.fallback(result.verdict)
    let firstLine = reason.split(whereSeparator: \.isNewline).first ?? ""
    lines.append("    " + startFitting(terminalSafe(String(firstLine)), columns: 200))
    if let finding = result.company {
      lines.append("    \(Sentences.company(finding, names: names))")
    }
    let attempt = main?.attempt ?? test.bundles.keys.max()
    if let attempt, let bundle = test.bundles[attempt] {
      lines.append("    bundle: \(terminalSafe(joinedPath(runFolder, bundle.path)))")
    }
    return lines.joined(separator: "\n")
  }

  private func flakyEntry(_ test: RunState.Test, _ result: TestResult) -> String {
    let tries = counted(test.attempts.count { $0.counts }, "attempt")
    var lines = ["  \(toned("FLAKY", .odd))   \(names.name(of: test.id)) (\(tries))"]
    for (_, bundle) in test.bundles.sorted(by: { $0.key < $1.key }).prefix(10) {
      lines.append("    bundle: \(terminalSafe(joinedPath(runFolder, bundle.path)))")
    }
    return lines.joined(separator: "\n")
  }
}
