import Reporting
import RunModel
import TestSupport

/// Makes runs with any combination of events and hostile text, the same for the same seed.
struct RandomRun {
  private var generator: SeededGenerator
  /// Text of the logs that the run refers to; `nil` for one that cannot be read.
  var logs: [String: String?] = [:]

  func logText(_ log: LogReference) -> LogEnd? {
    (logs[log.path] ?? nil).map { LogEnd(whole: $0) }
  }

  init(seed: UInt64) { generator = SeededGenerator(seed: seed) }

  private mutating func number(_ range: Range<Int>) -> Int {
    Int.random(in: range, using: &generator)
  }

  private mutating func chance(_ percent: Int) -> Bool { number(0..<100) < percent }

  /// Text with everything that has broken a report before.
  private mutating func text() -> String {
    let pieces = [
      "a", " ", "<", ">", "&", "\"", "'", "]]>", "<![CDATA[", "&#27;", "&amp;", "-->", "\n", "\r",
      "\r\n", "\t", "\0", "\u{1B}[31m", "\u{8}", "\u{7F}", "\u{85}", "\u{9B}", "\u{FFFD}",
      "\u{FFFE}", "\u{FFFF}", "\u{1FFFF}", "ü", "u\u{308}", "🦊", "👨‍👩‍👧", "日本", "\u{202E}",
      "\u{2028}", String(decoding: [0xEF, 0xB7, 0x90] as [UInt8], as: UTF8.self), "%", "\\u{1B}",
      "[[ATTACHMENT|x]]",
      "\u{10FFFD}", "\u{E000}",
    ]
    return (0..<number(0..<12)).map { _ in pieces[number(0..<pieces.count)] }.joined()
  }

  private mutating func optionalText() -> String? { chance(50) ? text() : nil }

  private mutating func location() -> SourceLocation? {
    guard chance(70) else { return nil }
    return SourceLocation(file: "/home/u/Notes/\(text())", line: number(1..<999))
  }

  private mutating func verdict() -> Verdict {
    Verdict.allCases[number(0..<Verdict.allCases.count)]
  }

  private mutating func log(_ name: String) -> LogReference? {
    guard chance(50) else { return nil }
    logs[name] = .some(optionalText())
    return LogReference(path: name, bytes: number(0..<100), isTruncated: chance(10))
  }

  private mutating func duration() -> Double {
    [0, 0.0004, 1.5, 1e12, -1, .nan, .infinity][number(0..<7)]
  }

  private mutating func testID(_ index: Int) -> TestID {
    let suite = ["M", "M.S", "M.`a/b.c`", "", "N.\(text())"][number(0..<5)]
    let name = chance(50) ? "\(suite)/f\(index)()" : "\(suite)/\(text())\(index)"
    return TestID(
      product: ["A", "B:\u{1B}"][number(0..<2)], library: chance(50) ? .xctest : .testing,
      name: name)
  }

  private mutating func attempt(_ test: TestID, number index: Int) -> AttemptResult {
    let purposes: [AttemptPurpose] = [.retry, .aloneCheck, .companyCheck]
    let kinds: [SkipKind] = [.runtime, .disabled, .cancelled, .noArguments]
    return AttemptResult(
      test: test, attempt: index, purpose: index == 1 ? .planned : purposes[number(0..<3)],
      batch: number(1..<9), worker: 1, verdict: verdict(), reason: optionalText(),
      skip: chance(30) ? Skip(kind: kinds[number(0..<4)], reason: optionalText()) : nil,
      issues: (0..<number(0..<3)).map { _ in
        TestIssue(
          message: text(), location: location(), severity: chance(80) ? .error : .warning,
          isKnown: chance(30), caseName: optionalText())
      },
      cases: (0..<number(0..<3)).map { _ in TestCaseResult(name: text(), verdict: verdict()) },
      end: [nil, .exited(0), .exited(1), .signaled(11)][number(0..<4)],
      startedAt: chance(90) ? 1.7e9 + Double(number(0..<999)) : .nan, duration: duration(),
      stdout: log("\(test.name)-\(index)-out"), stderr: log("\(test.name)-\(index)-err"),
      leaks: chance(20) ? [LeakedProcess(pid: 7, command: text())] : [])
  }

  mutating func state() -> RunState {
    var run = SampleRun(retries: number(0..<3), leaksFail: chance(50), packagePath: "/home/u/Notes")
    if chance(10) { run.events = [] }
    for index in 0..<number(0..<12) {
      let test = testID(index)
      run.add(
        .testPlanned(
          TestDescriptor(id: test, location: location(), tags: chance(20) ? [text()] : [])))
      for number in 1..<number(1..<5) {
        run.add(.attemptStarted(AttemptStart(test: test, attempt: number, batch: 1, worker: 1)))
        if chance(10) { continue }
        run.add(.attemptFinished(attempt(test, number: number)))
        if chance(60) {
          run.add(
            .bundleWritten(
              BundleReference(test: test, attempt: number, path: "b/\(text())", bytes: 1)))
        }
      }
      if chance(60) {
        let findings: [CompanyFinding?] = [
          nil, .alsoAlone, .onlyAfter([test]), .onlyAfter([]), .alsoInCompany,
          .onlyAlone(passesAfter: [test]),
        ]
        run.finish(
          test, verdict(), attempts: 1, isFlaky: chance(20), company: findings[number(0..<6)],
          reason: optionalText())
      }
    }
    for _ in 0..<(chance(20) ? 2 : 0) {
      run.add(
        .problem(
          RunProblem(
            severity: chance(50) ? .error : .warning, code: .init(rawValue: "code\(number(0..<2))"),
            message: text(), output: optionalText())))
    }
    if chance(70) {
      run.end(exitCode: 1, interruptedBy: chance(20) ? "SIGINT" : nil)
    }
    return run.state
  }
}
