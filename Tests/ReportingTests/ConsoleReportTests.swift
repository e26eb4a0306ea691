import Reporting
import RunModel
import Testing

@Suite struct ConsoleReportTests {
  static let runFolder = ".carrel/runs/20260301-123005-ab12"

  private func report(
    _ run: SampleRun, style: ConsoleReport.Style = ConsoleReport.Style()
  ) -> ConsoleReport {
    var style = style
    style.companyAdvice = "a command runs them first"
    return ConsoleReport(
      style: style, tests: run.state.tests.map(\.id), packagePath: run.state.header?.packagePath,
      runFolder: Self.runFolder)
  }

  /// What a run prints: each event applied, then told.
  private func transcript(_ run: SampleRun, style: ConsoleReport.Style) -> String {
    let console = report(run, style: style)
    var state = RunState()
    var lines: [String] = []
    for event in run.events {
      state.apply(event)
      switch event.kind {
      case .attemptFinished(let attempt):
        if !attempt.verdict.needsBundle { lines.append(console.line(for: attempt, in: state)) }
      case .bundleWritten(let bundle):
        let attempt = state.test(bundle.test)?.attempts.last { $0.attempt == bundle.attempt }
        guard let attempt else { continue }
        lines.append(console.failure(attempt, in: state, logText: SampleRun.logText))
      case .testFinished(let result):
        if let line = console.companyLine(result) { lines.append(line) }
      case .problem(let problem): lines.append(console.problem(problem))
      default: break
      }
    }
    lines.append(
      console.summary(
        of: state, recordPath: Self.runFolder, junitPath: Self.runFolder + "/junit.xml"))
    return lines.joined(separator: "\n") + "\n"
  }

  @Test func pipedRun() throws {
    let text = transcript(.everyKind(), style: ConsoleReport.Style())
    #expect(!text.unicodeScalars.contains { $0.value < 0x20 && $0 != "\n" })
    try expectSnapshot(text, "console.txt")
  }

  @Test func colouredRun() throws {
    let style = ConsoleReport.Style(isColored: true, leaksFail: false)
    let text = transcript(.everyKind(leaksFail: false), style: style)
    try expectSnapshot(
      text.split(separator: "\u{1B}", omittingEmptySubsequences: false).joined(separator: "␛"),
      "console-colour.txt")
  }

  @Test func colourDoesNotChangeTheWords() {
    let plain = transcript(.everyKind(), style: ConsoleReport.Style())
    let coloured = transcript(.everyKind(), style: ConsoleReport.Style(isColored: true))
    let pieces = coloured.split(separator: "\u{1B}", omittingEmptySubsequences: false)
    var words = ""
    for (index, part) in pieces.enumerated() {
      words += index == 0 ? part : part.drop { $0 != "m" }.dropFirst()
    }
    #expect(words == plain)
  }

  @Test func hostileNamesDoNotReachTheTerminal() throws {
    var run = SampleRun(packagePath: "/home/u/\u{1B}]0;x\u{7}")
    let name = "M.S/`a\u{1B}]0;x\u{7}\r\nPASS\u{9B}2J\u{202E}🦊`()"
    run.run(SampleRun.id(name), .failed) {
      $0.issues = [issue("message\r\u{1B}[2J", caseName: "\u{7}")]
      $0.cases = [TestCaseResult(name: "\n\u{1B}", verdict: .failed)]
      $0.leaks = [LeakedProcess(pid: 1, command: "sh -c '\u{1B}'")]
      $0.stdout = log("\u{1B}", bytes: 10)
    }
    run.add(
      .problem(
        RunProblem(
          severity: .error, code: .init(rawValue: "c\u{1B}"), message: "\u{7}", output: "\u{9B}\n"))
    )
    run.end(exitCode: 1, interruptedBy: "SIG\u{1B}")
    let console = report(run)
    let test = try #require(run.state.tests.first)
    let attempt = try #require(test.attempts.first)
    let output = "out\u{1B}\u{9B}\u{202E}\n\u{7F}"
    let texts = [
      console.failure(attempt, in: run.state, logText: { _ in LogEnd(whole: output) }),
      console.failure(attempt, in: run.state, logText: { _ in nil }),
      console.summary(of: run.state, recordPath: "\u{1B}", junitPath: "\u{9B}"),
      console.slowLine(test.id, seconds: 60),
      console.progressLine(
        .init(finished: 0, total: 1, failed: 0, running: [(test.id, 1)], elapsed: 1), width: 80),
    ]
    for text in texts {
      let bad = text.unicodeScalars.filter {
        $0.value < 0x20 && $0 != "\n" || (0x7F..<0xA0).contains($0.value) || $0 == "\u{202E}"
      }
      #expect(bad.isEmpty, "\(text.debugDescription)")
    }
    #expect(console.line(for: attempt, in: run.state).split(separator: "\n").count == 1)
  }

  @Test func sameNameInTwoProductsShowsTheProduct() throws {
    var run = SampleRun()
    for product in ["A", "B"] { run.run(SampleRun.id("M.f()", product: product), .passed) }
    run.run(SampleRun.id("M.g()", product: "A"), .passed)
    let console = report(run)
    let lines = run.state.tests.flatMap(\.attempts).map { console.line(for: $0, in: run.state) }
    #expect(
      lines == [
        "PASS    [   0.012s] A:testing:M.f()", "PASS    [   0.012s] B:testing:M.f()",
        "PASS    [   0.012s] M.g()",
      ])
  }

  @Test func onlyTheLastLinesOfTheOutputAreShown() throws {
    var run = SampleRun()
    let attempt = run.run(SampleRun.id("M.f()"), .failed) { $0.stdout = log("o", bytes: 1 << 20) }
    let console = report(run, style: ConsoleReport.Style(outputLines: 3))
    let output = (1...100).map { "line \($0)\n" }.joined() + String(repeating: "x", count: 10_000)
    let text = console.failure(attempt, in: run.state, logText: { _ in LogEnd(whole: output) })
    let lines = text.split(separator: "\n").map(String.init)
    let start = try #require(lines.firstIndex(of: "    stdout, last 3 lines:"))
    #expect(lines[start + 1...start + 2] == ["      line 99", "      line 100"])
    #expect(lines[start + 3] == "      [9500 bytes] ..." + String(repeating: "x", count: 500))
    #expect(lines[start + 4].hasPrefix("    bundle: "))
  }

  /// The status of a process that ended by itself is that of the worst test in it.
  @Test(arguments: [
    (Verdict.leaked, ProcessEnd.exited(1), false), (.failed, .exited(1), false),
    (.leaked, .signaled(15), true), (.timedOut, .exited(1), true),
  ])
  func theStatusOfOtherTestsIsNotShown(verdict: Verdict, end: ProcessEnd, isShown: Bool) {
    var run = SampleRun()
    let attempt = run.run(SampleRun.id("M.f()"), verdict) {
      $0.leaks = [LeakedProcess(pid: 7, command: "sleep")]
      $0.end = end
    }
    let text = report(run).failure(attempt, in: run.state, logText: { _ in nil })
    #expect(text.contains("pid 7: sleep"))
    #expect(text.contains("process ended: ") == isShown, "\(text)")
  }

  @Test func bundlePathsAreQuotedForTheShell() throws {
    var run = SampleRun()
    let attempt = run.run(SampleRun.id("M.f()"), .failed)
    for (folder, word) in [
      ("run", "run/bundles/f-1.tar.zst"), ("my runs", "'my runs/bundles/f-1.tar.zst'"),
      ("it's", "'it'\\''s/bundles/f-1.tar.zst'"), ("ü", "'ü/bundles/f-1.tar.zst'"),
      ("a\nb'", "$'a\\x0ab\\'/bundles/f-1.tar.zst'"),
    ] {
      var console = report(run)
      console.runFolder = folder
      let text = console.failure(attempt, in: run.state, logText: { _ in nil })
      #expect(text.contains("\n    reproduce: carrel repro \(word) "))
    }
  }
}
