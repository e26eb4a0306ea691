package import RunModel

extension ConsoleReport {
  /// The end of a run's output: what failed, what runs, what was flaky, the verdict of the whole,
  /// the files.
  ///
  /// - Parameters:
  ///   - recordPath: The run's folder.
  ///   - junitPath: The JUnit file, when one was written.
  /// - Returns: The text, an empty line first.
  package func summary(
    of state: RunState, recordPath: String?, junitPath: String? = nil
  ) -> String {
    let tests = state.decided
    let results = tests.map(\.result)
    let failed = zip(tests, results).filter {
      !$0.1.verdict.isSuccess(leaksFail: style.leaksFail)
    }
    let flaky = zip(tests, results).filter { $0.1.isFlaky }
    var lines: [String] = []
    if !failed.isEmpty {
      lines.append("Did not succeed:")
      let (alike, single) = AlikeTests.groups(of: failed)
      lines += list(single) { entry($0, $1) }
      lines += alike.prefix(style.listLimit).flatMap { entry($0) }
      if alike.count > style.listLimit {
        lines.append("  and \(alike.count - style.listLimit) more reasons")
      }
    }
    let running = state.tests.filter { state.progress(of: $0) == .running }
    if !running.isEmpty {
      lines.append("Running:")
      lines += running.prefix(style.listLimit).map { "  \(title(of: $0.id, in: $0))" }
      let more = running.count - style.listLimit
      if more > 0 { lines.append("  and \(more) more") }
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

  /// Tests that did not run for one reason: the reason once, then their names.
  private func entry(_ group: AlikeTests) -> [String] {
    let (label, tone) = label(group.verdict)
    let space = String(repeating: " ", count: max(1, 8 - label.utf8.count))
    let names = group.tests.prefix(Self.alikeNames).map { "    " + self.names.name(of: $0) }
    let more = group.tests.count - names.count
    return ["  \(toned(label, tone))\(space)\(counted(group.tests.count, "test")):"]
      + messageLines(group.reason).map {
        "    " + startFitting(terminalSafe($0), columns: Self.summaryColumns)
      } + names + (more > 0 ? ["    and \(more) more"] : [])
      + (group.bundle.map { ["    bundle: \(terminalSafe(joinedPath(runFolder, $0.path)))"] } ?? [])
  }

  /// Most names of tests that did not run for one reason.
  private static let alikeNames = 10

  private func entry(_ test: RunState.Test, _ result: TestResult) -> String {
    let (label, tone) = label(result.verdict)
    let space = String(repeating: " ", count: max(1, 8 - label.utf8.count))
    var lines = ["  \(toned(label, tone))\(space)\(title(of: test.id, in: test))"]
    let main = test.main(for: result)
    lines += summary(of: main, result).map {
      "    " + startFitting(terminalSafe($0), columns: Self.summaryColumns)
    }
    // Those after the last failure are about what the sandbox has kept from the test. They are
    // whole, because what to do stands at the end.
    let trailing = (main?.issues ?? []).reversed().prefix { $0.severity == .warning }
    for warning in trailing.prefix(Self.warnings).reversed() {
      let text = terminalSafe(messageText(warning.message), as: .lines)
      lines.append(indented("warning: " + text, by: 4))
    }
    if let finding = result.company {
      let text = Sentences.company(
        finding, unnamed: result.unnamed, names: names, advice: style.companyAdvice)
      lines.append("    \(text)")
    }
    let attempt = main?.attempt ?? test.bundles.keys.max()
    if let attempt, let bundle = test.bundles[attempt] {
      lines.append("    bundle: \(terminalSafe(joinedPath(runFolder, bundle.path)))")
    }
    return lines.joined(separator: "\n")
  }

  /// Most warnings of a failed test there.
  private static let warnings = 3
  /// Widest line about a failure in the summary.
  private static let summaryColumns = 200
  /// Most lines of a message there.
  private static let messageLines = 4

  /// What the first failure says, its comments as `swift test` shows them, and the cases that
  /// failed.
  private func summary(of main: AttemptResult?, _ result: TestResult) -> [String] {
    let text = main?.explanation ?? result.reason ?? Sentences.fallback(result.verdict)
    var lines = messageLines(text)
    guard let main else { return lines }
    let failure = main.mainIssue ?? main.issues.first(where: \.isFailure)
    if let name = failure?.caseName, failure?.message == text, !lines.isEmpty {
      lines[0] = "[\(shortName(ofCase: name))] \(lines[0])"
    }
    if let location = main.mainIssue?.location, !lines.isEmpty {
      let file = startFitting(displayPath(location.file, in: packagePath), columns: 100)
      lines[0] = "\(file):\(location.line): \(lines[0])"
    }
    let (failing, count) = main.failedCases(leaksFail: style.leaksFail)
    if count > 0 {
      let names = listed(
        failing.lazy.map { shortName(ofCase: $0.name) }, limit: 5,
        furtherItems: count - failing.count)
      lines.append("\(count) of \(counted(main.allCases, "case")) failed: \(names)")
    }
    return lines
  }

  /// A message's first lines and its last one: the author's comments come last. What the Swift
  /// runtime says of the end of a process is not left out.
  private func messageLines(_ text: String) -> [String] {
    let all = text.utf8.split { $0 == UInt8(ascii: "\n") || $0 == UInt8(ascii: "\r") }
      .map { String(Substring($0)) }
    var lines = all
    if all.count > Self.messageLines {
      let omitted = all[(Self.messageLines - 2)..<(all.count - 1)]
      let words = omitted.first { line in Self.lastWords.contains { line.contains($0) } }
      let left = omitted.count - (words == nil ? 0 : 1)
      lines =
        all.prefix(Self.messageLines - 2) + (words.map { [$0] } ?? [])
        + (left > 0 ? ["… \(counted(left, "line")) …"] : []) + all.suffix(1)
    }
    return lines.prefix(1) + lines.dropFirst().map { "↳ \($0)" }
  }

  /// How the runtime begins its last words (AssertCommon.swift of the Swift project).
  private static let lastWords = ["Fatal error: ", "Precondition failed", "Assertion failed"]

  private func shortName(ofCase name: String) -> String {
    startFitting(String(head(of: name, bytes: 1024)), columns: 60)
  }

  private func flakyEntry(_ test: RunState.Test, _ result: TestResult) -> String {
    let tries = counted(test.attempts.count { $0.counts }, "attempt")
    var lines = ["  \(toned("FLAKY", .odd))   \(title(of: test.id, in: test)) (\(tries))"]
    for (_, bundle) in test.bundles.sorted(by: { $0.key < $1.key }).prefix(10) {
      lines.append("    bundle: \(terminalSafe(joinedPath(runFolder, bundle.path)))")
    }
    return lines.joined(separator: "\n")
  }
}
