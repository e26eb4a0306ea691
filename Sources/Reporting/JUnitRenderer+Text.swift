import RunModel

extension JUnitRenderer {
  /// Everything about the attempt that made the test fail, and about the others in one line each.
  func mainText(of testCase: TestCase, message: String) -> String {
    let test = testCase.test
    var lines: [String] = []
    if let main = testCase.main {
      lines = [text(of: main, in: test)]
    } else {
      lines = [message]
    }
    if let finding = testCase.result.company {
      lines.append(
        Sentences.company(
          finding, unnamed: testCase.result.unnamed, names: names, advice: options.companyAdvice))
    }
    for attempt in test.attempts where attempt.attempt != testCase.main?.attempt {
      var line = "\(title(of: attempt, in: test)): \(attempt.verdict.rawValue)"
      if attempt.verdict != .passed { line += ": \(attempt.explanation)" }
      if let bundle = bundlePath(of: attempt, in: test) { line += "; bundle: \(bundle)" }
      lines.append(line)
    }
    return lines.joined(separator: "\n")
  }

  /// What one attempt that did not succeed has to tell.
  func text(of attempt: AttemptResult, in test: RunState.Test) -> String {
    var lines = attempt.details(
      root: sourceRoot, leaksFail: leaksFail, limit: 100, message: { $0 }, name: { $0 })
    let ordinal = test.ordinal(of: attempt)
    if ordinal.total > 1 { lines.append(title(of: attempt, in: test)) }
    if let bundle = bundlePath(of: attempt, in: test) { lines.append("bundle: \(bundle)") }
    return lines.joined(separator: "\n")
  }

  /// `attempt 2 of 4` or `alone check`.
  private func title(of attempt: AttemptResult, in test: RunState.Test) -> String {
    if let check = Sentences.check(attempt.purpose) { return check }
    let ordinal = test.ordinal(of: attempt)
    return "attempt \(ordinal.number) of \(ordinal.total)"
  }

  /// The path of the attempt's bundle as a reader of the report finds it.
  func bundlePath(of attempt: AttemptResult, in test: RunState.Test) -> String? {
    test.bundles[attempt.attempt].map { joinedPath(options.runFolder, $0.path) }
  }

  /// Writes `system-out` and `system-err` of an attempt, its bundle as an attachment first.
  func writeOutput(
    of attempt: AttemptResult, test: RunState.Test, indent: StaticString,
    logText: (LogReference) -> LogEnd?, to xml: inout XMLWriter
  ) {
    let output = attempt.stdout.flatMap { text(of: $0, logText: logText) }
    let attachment = bundlePath(of: attempt, in: test).map { "[[ATTACHMENT|\($0)]]\n" }
    if output != nil || attachment != nil {
      xml.markup(indent)
      xml.markup("<system-out>")
      if let attachment { xml.text(attachment) }
      if let output { xml.text(output) }
      xml.markup("</system-out>\n")
    }
    if let errors = attempt.stderr.flatMap({ text(of: $0, logText: logText) }) {
      xml.markup(indent)
      xml.markup("<system-err>")
      xml.text(errors)
      xml.markup("</system-err>\n")
    }
  }

  /// The end of a log with a mark when something was left out; `nil` when it is empty or
  /// unreadable.
  private func text(of log: LogReference, logText: (LogReference) -> LogEnd?) -> String? {
    guard log.bytes > 0, let end = logText(log), !end.text.isEmpty else { return nil }
    let kept = tail(of: end.text, bytes: streamLimit)
    let isCut = kept.utf8.count < end.text.utf8.count
    guard isCut || end.bytes < log.bytes else { return end.text }
    let bytes = isCut ? min(kept.utf8.count, end.bytes) : end.bytes
    let path = joinedPath(options.runFolder, log.path)
    return "[shortened: the last \(bytes) of \(log.bytes) bytes; log: \(path)]\n" + kept
  }

  /// The beginning of a failure's text, with a mark when something was left out.
  func limited(_ text: String) -> String {
    let kept = head(of: text, bytes: textLimit)
    guard kept.utf8.count < text.utf8.count else { return text }
    return kept + "\n[shortened: the first \(kept.utf8.count) of \(text.utf8.count) bytes]"
  }
}
