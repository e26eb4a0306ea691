import RunModel

extension JUnitRenderer {
  /// One planned test as its element shows it.
  struct TestCase {
    let test: RunState.Test
    let result: TestResult
    let outcome: JUnitOutcome
    /// The attempt that the verdict comes from.
    let main: AttemptResult?
    /// What there is to say instead of a verdict while the run goes on; `nil` otherwise.
    let progress: RunState.Progress?
    let className: String
    let name: String

    /// Time of the decisive attempt in seconds.
    var seconds: Double { main?.duration ?? 0 }

    init(_ test: RunState.Test, className: String, name: String, renderer: JUnitRenderer) {
      self.test = test
      self.className = className
      self.name = name
      result = test.result
      progress = renderer.state.progress(of: test)
      outcome = renderer.outcome(of: test, result)
      main = test.main(for: result)
    }
  }

  /// Writes one test case; its children have the order of Surefire's schema.
  func write(_ testCase: TestCase, logText: (LogReference) -> LogEnd?, to xml: inout XMLWriter) {
    let test = testCase.test
    xml.markup("    <testcase")
    xml.attribute("name", testCase.name)
    xml.attribute("classname", testCase.className)
    // XCTest does not say where its tests are; where one failed is the next best.
    if let location = test.descriptor.location ?? testCase.main?.mainIssue?.location {
      xml.attribute("file", displayPath(location.file, in: sourceRoot))
      xml.attribute("line", location.line)
    }
    xml.attribute("time", fixed(testCase.seconds, decimals: 3))
    xml.markup(">\n")
    writeProperties(of: testCase, to: &xml)

    let earlier = test.attempts.filter {
      $0.counts && $0.attempt != testCase.main?.attempt
        && !$0.verdict.isSuccess(leaksFail: leaksFail)
    }
    let isFlaky = testCase.outcome == .passed || testCase.outcome == .skipped
    let failures = earlier.filter { $0.verdict == .failed }
    let errors = earlier.filter { $0.verdict != .failed }

    if testCase.outcome == .failure { writeMain("failure", testCase, to: &xml) }
    for attempt in failures {
      let name: StaticString = isFlaky ? "flakyFailure" : "rerunFailure"
      writeEarlier(name, attempt, of: test, logText: logText, to: &xml)
    }
    if testCase.outcome == .skipped { writeSkip(testCase.main?.skip, to: &xml) }
    if testCase.outcome == .error { writeMain("error", testCase, to: &xml) }
    for attempt in errors {
      let name: StaticString = isFlaky ? "flakyError" : "rerunError"
      writeEarlier(name, attempt, of: test, logText: logText, to: &xml)
    }
    if let main = testCase.main, main.verdict.needsBundle {
      writeOutput(of: main, test: test, indent: "      ", logText: logText, to: &xml)
    }
    xml.markup("    </testcase>\n")
  }

  private func writeProperties(of testCase: TestCase, to xml: inout XMLWriter) {
    let result = testCase.result
    func add(_ name: StaticString, _ value: String) {
      writeProperty(name, value, indent: "        ", to: &xml)
    }
    xml.markup("      <properties>\n")
    add("carrel.id", result.test.description)
    if let progress = testCase.progress {
      add("carrel.verdict", progress.rawValue)
    } else if result.verdict != .passed {
      add("carrel.verdict", result.verdict.rawValue)
    }
    if result.isFlaky { add("carrel.flaky", "true") }
    if testCase.test.attempts.count > 1 {
      add("carrel.attempts", String(testCase.test.attempts.count))
    }
    if let finding = result.company {
      add(
        "carrel.company",
        Sentences.company(
          finding, unnamed: result.unnamed, names: names, advice: options.companyAdvice))
    }
    for tag in testCase.test.descriptor.tags.prefix(20) {
      add("carrel.tag", tag)
    }
    // A passed test case has no other place for these.
    if testCase.outcome == .passed || testCase.outcome == .skipped {
      for issue in (testCase.main?.issues ?? []).prefix(20) where !issue.isFailure {
        let text = String(head(of: issue.line(root: sourceRoot), bytes: 1024))
        add(issue.isKnown ? "carrel.known-issue" : "carrel.warning", text)
      }
      for leak in (testCase.main?.leaks ?? []).prefix(20) {
        let holdings = leak.holdings.map { "; \(head(of: $0, bytes: 1024))" } ?? ""
        add("carrel.leak", "pid \(leak.pid): \(head(of: leak.command, bytes: 1024))\(holdings)")
      }
    }
    xml.markup("      </properties>\n")
  }

  /// Writes the element that makes the test case fail.
  private func writeMain(_ name: StaticString, _ testCase: TestCase, to xml: inout XMLWriter) {
    let message =
      testCase.progress.map { Sentences.progress($0) } ?? testCase.main?.explanation
      ?? testCase.result.reason ?? Sentences.fallback(testCase.result.verdict)
    startElement(
      name, type: testCase.progress?.rawValue ?? testCase.result.verdict.rawValue,
      message: message, to: &xml)
    xml.markup(">")
    xml.text(limited(mainText(of: testCase, message: message)))
    xml.markup("</")
    xml.markup(name)
    xml.markup(">\n")
  }

  /// Writes the skip; as attribute and as text, because readers take either.
  private func writeSkip(_ skip: Skip?, to xml: inout XMLWriter) {
    xml.markup("      <skipped")
    xml.attribute("type", skip?.kind.rawValue ?? "skipped")
    let message = Sentences.skip(skip)
    xml.attribute("message", String(head(of: message, bytes: min(4096, textLimit))))
    xml.markup(">")
    if let location = skip?.location {
      xml.text("\(displayPath(location.file, in: sourceRoot)):\(location.line): ")
    }
    xml.text(limited(message))
    xml.markup("</skipped>\n")
  }

  /// Writes an attempt that failed before the decisive one.
  private func writeEarlier(
    _ name: StaticString, _ attempt: AttemptResult, of test: RunState.Test,
    logText: (LogReference) -> LogEnd?, to xml: inout XMLWriter
  ) {
    startElement(
      name, type: attempt.verdict.rawValue, message: attempt.explanation, to: &xml)
    xml.markup(">\n        <stackTrace>")
    xml.text(limited(text(of: attempt, in: test)))
    xml.markup("</stackTrace>\n")
    writeOutput(of: attempt, test: test, indent: "        ", logText: logText, to: &xml)
    xml.markup("      </")
    xml.markup(name)
    xml.markup(">\n")
  }

  private func startElement(
    _ name: StaticString, type: String, message: String, to xml: inout XMLWriter
  ) {
    xml.markup("      <")
    xml.markup(name)
    xml.attribute("type", type)
    xml.attribute("message", String(head(of: message, bytes: min(4096, textLimit))))
  }
}
