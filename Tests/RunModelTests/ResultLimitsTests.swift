import RunModel
import Testing

@Suite struct ResultLimitsTests {
  private let limits = ResultLimits.standard

  private func issue(_ message: String, isKnown: Bool = false) -> TestIssue {
    TestIssue(message: message, isKnown: isKnown)
  }

  private func warning(_ message: String) -> TestIssue {
    TestIssue(message: message, severity: .warning)
  }

  @Test func shortTextsStayAsTheyAre() {
    let text = String(repeating: "é", count: limits.messageBytes / 2)
    #expect(text.limitedMessage == text)
    #expect("name".limitedName == "name")
  }

  /// Cuts never fall into a character, and the mark tells exactly what is missing.
  @Test(arguments: 0..<4)
  func longTextsKeepBothEnds(shift: Int) throws {
    let text = String(repeating: "a", count: shift) + String(repeating: "🦊", count: 1 << 18)
    let kept = text.limitedMessage
    #expect(kept.utf8.count <= limits.messageBytes)
    #expect(kept.utf8.count > limits.messageBytes - 128)
    #expect(kept.limitedMessage == kept)
    let lines = kept.split(separator: "\n").map(String.init)
    try #require(lines.count == 3)
    #expect(text.hasPrefix(lines[0]) && text.hasSuffix(lines[2]))
    let omitted = text.utf8.count - lines[0].utf8.count - lines[2].utf8.count
    #expect(lines[1] == "[carrel: \(omitted) bytes left out here]")
  }

  /// A text that was shortened before tells all that is missing.
  @Test func marksAddUp() {
    let long = String(repeating: "x", count: 1 << 20)
    let once = (long + "END").limitedMessage
    let twice = (once + "\n" + String(repeating: "c", count: 1000)).limitedMessage
    let lines = twice.split(separator: "\n").map(String.init)
    let kept = lines.filter { !$0.hasPrefix("[carrel: ") }.reduce(0) { $0 + $1.utf8.count }
    let omitted = lines.filter { $0.hasPrefix("[carrel: ") }.compactMap {
      Int($0.split(separator: " ")[1])
    }
    // The line ends around the marks are not part of the text.
    #expect(abs((1 << 20) + 3 + 1 + 1000 - kept - omitted.reduce(0, +)) <= 4)
    #expect(omitted.count == 1)
  }

  @Test func namesStayOnOneLine() {
    let kept = String(repeating: "n", count: 1 << 20).limitedName
    #expect(kept.utf8.count <= limits.nameBytes)
    #expect(!kept.contains("\n"))
    #expect(kept.contains("[carrel: "))
  }

  @Test func everyTextOfAResultIsLimited() {
    let long = String(repeating: "x", count: 1 << 20)
    let location = SourceLocation(file: long, line: 1)
    let result = AttemptResult(
      test: TestID(product: "P", library: .testing, name: "M.f()"), attempt: 1, batch: 1,
      worker: 1, verdict: .failed, reason: long,
      skip: Skip(kind: .runtime, reason: long, location: location),
      issues: [TestIssue(message: long, location: location, caseName: long)],
      cases: [TestCaseResult(name: long, verdict: .failed)], startedAt: 0, duration: 0,
      leaks: [LeakedProcess(pid: 1, command: long)])
    let messages = [result.reason, result.skip?.reason, result.issues[0].message]
    let names = [
      result.skip?.location?.file, result.issues[0].location?.file, result.issues[0].caseName,
      result.cases[0].name, result.leaks[0].command,
      TestDescriptor(id: result.test, displayName: long).displayName,
      TestDescriptor(id: result.test, tags: [long]).tags[0],
    ]
    for text in messages { #expect(text.map { $0.utf8.count <= limits.messageBytes } == true) }
    for text in names { #expect(text.map { $0.utf8.count <= limits.nameBytes } == true) }
    let problem = RunProblem(
      severity: .error, code: .init(rawValue: "c"), message: long, output: long)
    for text in [problem.message, problem.output ?? ""] {
      #expect(text.utf8.count <= limits.messageBytes)
    }
    #expect(result.omitted == nil)
  }

  @Test func furtherIssuesAreCounted() {
    let list = IssueList((0..<5000).map { issue("issue \($0)") })
    #expect(list.kept.map(\.message) == (0..<limits.issues).map { "issue \($0)" })
    #expect(list.omitted == 5000 - limits.issues)
    let long = String(repeating: "x", count: 100_000)
    let heavy = IssueList((0..<50).map { _ in issue(long) })
    #expect(heavy.kept.count == limits.issueBytes / 100_000)
    #expect(heavy.omitted == 50 - heavy.kept.count)
  }

  /// The verdict and the headline come from a failure, whatever was recorded before it.
  @Test func theFirstFailureIsKept() {
    let list = IssueList((0..<2000).map { warning("\($0)") } + [issue("failure"), issue("more")])
    #expect(list.kept.count == limits.issues + 1)
    #expect(list.kept.last?.message == "failure")
    #expect(list.hasFailure && !list.hasKnown)
    let known = IssueList((0..<2000).map { warning("\($0)") } + [issue("k", isKnown: true)])
    #expect(known.hasKnown && !known.hasFailure)
    #expect(IssueList(list.kept).omitted == 0, "what was limited once stays as it is")
  }

  @Test func whatExplainsTheEndIsKept() {
    var list = IssueList((0..<5000).map { issue("\($0)") })
    list.appendDecisive(issue("crashed"))
    #expect(list.kept.count == limits.issues)
    #expect(list.kept.last?.message == "crashed")
    #expect(list.omitted == 5001 - limits.issues)
  }

  @Test func failedCasesAreKeptBeyondTheFirst() {
    let list = CaseList(
      (0..<10_000).map { TestCaseResult(name: "\($0)", verdict: $0 < 5000 ? .passed : .failed) })
    #expect(list.kept.count == 2 * limits.cases)
    #expect(list.kept.last?.name == "\(5000 + limits.cases - 1)")
    #expect(list.omitted == 10_000 - 2 * limits.cases)
    #expect(list.omittedFailed == 5000 - limits.cases)
    #expect(CaseList(list.kept).omitted == 0, "what was limited once stays as it is")
  }

  @Test func aResultCountsWhatItLeftOut() {
    let result = AttemptResult(
      test: TestID(product: "P", library: .testing, name: "M.f()"), attempt: 1, batch: 1,
      worker: 1, verdict: .failed, issues: (0..<1500).map { issue("\($0)") },
      cases: (0..<3000).map { TestCaseResult(name: "\($0)", verdict: .failed) }, startedAt: 0,
      duration: 0, leaks: (0..<1200).map { LeakedProcess(pid: $0, command: "c") },
      omitted: OmittedCounts(issues: 7))
    #expect(
      result.omitted == OmittedCounts(issues: 507, cases: 1000, failedCases: 1000, leaks: 200))
  }

  @Test func theNearestPredecessorsAreKept() {
    let end = String(repeating: "x", count: 90)
    let tests = (0..<50_000).map {
      TestID(product: "P", library: .xctest, name: "M.C/test\($0)-\(end)")
    }
    let kept = limits.nearest(tests[...])
    #expect(kept.last == tests.last)
    #expect(kept == Array(tests.suffix(kept.count)))
    #expect(kept.count > 9000 && kept.count < tests.count)
    #expect(limits.nearest(tests[..<100]) == Array(tests[..<100]))
  }
}
