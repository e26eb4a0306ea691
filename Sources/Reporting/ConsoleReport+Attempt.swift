package import RunModel

extension ConsoleReport {
  /// The one line about an attempt that has ended, for example
  /// `PASS    [   0.012s] NotesTests.NoteTests/testTitle`.
  ///
  /// - Parameter state: The run with this attempt already applied.
  package func line(for attempt: AttemptResult, in state: RunState) -> String {
    let test = state.test(attempt.test)
    let retries = state.header?.retries ?? 0
    let ordinal =
      test?.ordinal(of: attempt, retries: retries)
      ?? (number: attempt.attempt, total: attempt.attempt)
    let isFlaky =
      attempt.purpose == .retry && (attempt.verdict == .passed || attempt.verdict == .knownIssue)

    var (label, tone) = isFlaky ? ("FLAKY", .odd) : label(attempt.verdict)
    var notes: [String] = []
    if let check = Sentences.check(attempt.purpose) {
      notes.append("\(check), does not count")
      tone = .faint
    } else if isFlaky {
      notes.append("passed on attempt \(ordinal.number) of \(ordinal.total)")
    } else if attempt.purpose == .retry || (attempt.verdict.isRetriable && ordinal.total > 1) {
      notes.append("attempt \(ordinal.number) of \(ordinal.total)")
    }
    if let note = casesNote(attempt) { notes.append(note) }
    switch attempt.verdict {
    case .skipped: notes.append(terminalSafe(Sentences.skip(attempt.skip)))
    case .crashed: if let end = attempt.end { notes.append("\(end)") }
    case .leaked: notes.append("\(counted(attempt.allLeaks, "process")) left behind")
    default: break
    }
    let name = title(of: attempt.test, in: test)
    let start = lineStart(label, tone: tone, seconds: attempt.duration)
    return notes.isEmpty ? start + name : "\(start)\(name) (\(notes.joined(separator: "; ")))"
  }

  /// A line about a test that has been running for longer than a limit: `SLOW    [> 60.000s] name`.
  ///
  /// - Parameter seconds: The limit that the test has passed.
  package func slowLine(_ test: TestID, seconds: Double) -> String {
    lineStart("SLOW", tone: .odd, seconds: seconds, over: true) + names.name(of: test)
  }

  /// What a further attempt with or without neighbours has shown: `NOTE    name: also alone: ...`;
  /// `nil` when there was no such attempt.
  package func companyLine(_ result: TestResult) -> String? {
    guard let finding = result.company else { return nil }
    let name = names.name(of: result.test)
    let text = Sentences.company(
      finding, unnamed: result.unnamed, names: names, advice: style.companyAdvice)
    return toned("NOTE", .quiet) + "    \(name): \(text)"
  }

  private func casesNote(_ attempt: AttemptResult) -> String? {
    guard attempt.allCases > 0 else { return nil }
    let failed = attempt.failedCases(leaksFail: style.leaksFail).count
    let total = counted(attempt.allCases, "case")
    return failed == 0 ? total : "\(failed) of \(total) failed"
  }
}
