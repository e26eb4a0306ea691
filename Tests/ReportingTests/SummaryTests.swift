import Reporting
import RunModel
import Testing

/// The last lines of a run.
@Suite struct SummaryTests {
  private func verdict(_ run: SampleRun, leaksFail: Bool = true) -> String {
    let console = ConsoleReport(
      style: ConsoleReport.Style(leaksFail: leaksFail), tests: run.state.tests.map(\.id),
      packagePath: nil, runFolder: "")
    let text = console.summary(of: run.state, recordPath: nil)
    return text.split(separator: "\n").last.map(String.init) ?? ""
  }

  private func run(
    _ verdicts: [(Verdict, Int)], exitCode: Int32, interruptedBy: String? = nil,
    change: (inout SampleRun) -> Void = { _ in }
  ) -> SampleRun {
    var run = SampleRun()
    for (verdict, count) in verdicts {
      for number in 0..<count { run.run(SampleRun.id("M.\(verdict)\(number)()"), verdict) }
    }
    change(&run)
    run.end(exitCode: exitCode, interruptedBy: interruptedBy)
    return run
  }

  /// What has no result yet is told apart from what has none for ever.
  @Test func aRunThatGoesOn() {
    var run = SampleRun()
    for number in 0..<3 { run.run(SampleRun.id("M.passed\(number)()"), .passed) }
    run.run(SampleRun.id("M.failed()"), .failed)
    let open = SampleRun.id("M.open()")
    run.plan(open)
    run.plan(SampleRun.id("M.next()"))
    run.add(.attemptStarted(AttemptStart(test: open, attempt: 1, batch: 9, worker: 2)))
    var state = run.state
    let console = ConsoleReport(
      tests: state.tests.map(\.id), packagePath: nil, runFolder: "")
    #expect(console.summary(of: state, recordPath: nil).contains("1 lost"))
    state.goesOn = true
    let text = console.summary(of: state, recordPath: nil)
    #expect(
      text.hasSuffix(
        "RUNNING: 4 of 6 tests have ended, 1 failed, 3 passed, 1 running, 1 waiting"), "\(text)")
    #expect(text.contains("Running:\n  M.open()\n") && !text.contains("LOST"), "\(text)")
    let xml = String(
      decoding: JUnitReport.renderUTF8(state) { _ in nil }, as: UTF8.self)
    #expect(xml.contains("type=\"running\" message=\"the test is running: the run goes on\""))
    #expect(xml.contains("type=\"waiting\"") && !xml.contains("lost"), "\(xml)")
    #expect(xml.contains("tests=\"6\" failures=\"1\" errors=\"2\""), "\(xml)")
  }

  @Test func sentences() {
    let listing = RunProblem(severity: .error, code: .listingFailed, message: "m")
    #expect(
      verdict(run([(.passed, 115), (.failed, 2), (.crashed, 1), (.skipped, 2)], exitCode: 1))
        == "FAILED: 3 of 120 tests (2 failed, 1 crashed), 115 passed, 2 skipped in 3.2 s")
    #expect(verdict(run([(.passed, 3)], exitCode: 0)) == "PASSED: 3 tests in 3.2 s")
    #expect(
      verdict(run([(.passed, 3), (.knownIssue, 1)], exitCode: 0))
        == "PASSED: 4 tests: 3 passed, 1 with a known issue in 3.2 s")
    #expect(verdict(run([], exitCode: 3)) == "NOT BUILT: nothing was run in 3.2 s")
    #expect(
      verdict(run([], exitCode: 4) { $0.add(.problem(listing)) })
        == "NO TESTS: 1 problem outside of the tests, nothing was run in 3.2 s")
    #expect(
      verdict(run([(.passed, 2)], exitCode: 4) { $0.add(.problem(listing)) })
        == "FAILED: 1 problem outside of the tests, 2 passed in 3.2 s")
    #expect(
      verdict(run([(.passed, 2)], exitCode: 5))
        == "FAILED: no test failed, but the run ended with exit code 5, 2 passed in 3.2 s")
    #expect(
      verdict(run([(.skipped, 2)], exitCode: 0))
        == "NOTHING RAN: all 2 tests were skipped in 3.2 s")
    #expect(
      verdict(run([(.skipped, 1)], exitCode: 0))
        == "NOTHING RAN: the only test was skipped in 3.2 s")
    let ended: [(Verdict, Int)] = [(.passed, 3), (.interrupted, 2), (.notRun, 5)]
    #expect(
      verdict(run(ended, exitCode: 143, interruptedBy: "SIGTERM"))
        == "INTERRUPTED by SIGTERM: 7 of 10 tests (2 interrupted, 5 not run), 3 passed in 3.2 s")
    #expect(
      verdict(run([(.passed, 1), (.leaked, 1)], exitCode: 0), leaksFail: false)
        == "PASSED: 2 tests: 1 passed, 1 leaked in 3.2 s")
  }

  @Test func runThatWasKilledSaysSo() {
    var run = SampleRun()
    run.run(SampleRun.id("M.a()"), .passed)
    run.plan(SampleRun.id("M.b()"))
    #expect(verdict(run) == "FAILED: 1 of 2 tests (1 not run), 1 passed")
  }

  /// As `swift test` shows them: the author's comments below what failed.
  @Test func commentsAndArgumentsAreShown() {
    let huge = "start " + String(repeating: "y", count: 1 << 20) + "\nthe comment"
    let run = run([], exitCode: 1) { run in
      run.run(SampleRun.id("M.f(_:)"), .failed) {
        $0.issues = [
          issue("slow", severity: .warning),
          issue("Expectation failed: x == 1\nthe comment\r\nanother", caseName: "2"),
        ]
        $0.cases = (1...8).map {
          TestCaseResult(name: "\($0)", verdict: $0 > 1 ? .failed : .passed)
        }
      }
      run.run(SampleRun.id("M.g()"), .failed) { $0.issues = [issue(huge)] }
    }
    let console = ConsoleReport(
      style: ConsoleReport.Style(), tests: [], packagePath: nil, runFolder: "r")
    let lines = console.summary(of: run.state, recordPath: nil).split(separator: "\n")
    let place = "/home/u/Notes/Tests/NoteTests.swift:12: "
    #expect(
      lines[1...5] == [
        "  FAIL    M.f(_:)", "    \(place)[2] Expectation failed: x == 1", "    ↳ the comment",
        "    ↳ another", "    7 of 8 cases failed: 2, 3, 4, 5, 6 and 2 more",
      ])
    #expect(lines[8].hasPrefix("    \(place)start yyy") && lines[8].utf8.count < 250)
    #expect(lines[9].hasPrefix("    ↳ [carrel: ") && lines[11] == "    ↳ the comment")
  }

  @Test func listsAreBounded() {
    let run = run([(.failed, 250)], exitCode: 1)
    let console = ConsoleReport(
      style: ConsoleReport.Style(), tests: [], packagePath: nil, runFolder: "r")
    let lines = console.summary(of: run.state, recordPath: nil).split(separator: "\n")
    #expect(lines.count { $0.hasPrefix("  FAIL") } == 100)
    #expect(lines.contains("  and 150 more"))
  }

  /// Tests that did not run for one reason are told once, with that reason.
  @Test func testsThatDidNotRunAreToldTogether() {
    let run = run([(.passed, 1)], exitCode: 130, interruptedBy: "SIGINT") { run in
      for number in 0..<12 {
        run.plan(SampleRun.id("M.n\(number)()"))
        run.finish(
          SampleRun.id("M.n\(number)()"), .notRun, attempts: 0,
          reason: number == 3 ? "for another reason" : "the run was interrupted")
      }
    }
    let console = ConsoleReport(
      style: ConsoleReport.Style(), tests: [], packagePath: nil, runFolder: "r")
    let lines = console.summary(of: run.state, recordPath: nil).split(separator: "\n")
    #expect(
      lines.dropLast() == [
        "Did not succeed:", "  NOTRUN  M.n3()", "    for another reason",
        "  NOTRUN  11 tests:", "    the run was interrupted", "    M.n0()", "    M.n1()",
        "    M.n2()",
        "    M.n4()", "    M.n5()", "    M.n6()", "    M.n7()", "    M.n8()", "    M.n9()",
        "    M.n10()", "    and 1 more",
      ])
  }

  @Test func testsStoppedByOneFaultAreToldTogether() {
    let run = run([], exitCode: 6) { run in
      for name in ["M.a()", "M.b()"] {
        run.run(SampleRun.id(name), .environment) { $0.reason = "no app answers\nit wrote: no" }
      }
      run.run(SampleRun.id("M.c()"), .environment) { $0.reason = "no space left" }
    }
    let console = ConsoleReport(
      style: ConsoleReport.Style(), tests: [], packagePath: nil, runFolder: "r")
    let lines = console.summary(of: run.state, recordPath: nil).split(separator: "\n")
    #expect(
      lines[1...].prefix(9) == [
        "  ENV     M.c()", "    no space left", "    bundle: r/bundles/c-1.tar.zst",
        "  ENV     2 tests:", "    no app answers", "    ↳ it wrote: no", "    M.a()", "    M.b()",
        "    bundle: r/bundles/a-1.tar.zst",
      ])
  }

  @Test func nameForPeopleFollowsTheTest() {
    var run = SampleRun()
    for (name, display) in [("M.f()", "Saves a \u{1B}[31mnote"), ("M.`raw name`()", "raw name")] {
      var test = TestDescriptor(id: SampleRun.id(name))
      test.displayName = display
      run.add(.testPlanned(test))
      run.attempt(test.id, .failed)
      run.finish(test.id, .failed)
    }
    let console = ConsoleReport(
      style: ConsoleReport.Style(), tests: [], packagePath: nil, runFolder: "r")
    let lines = console.summary(of: run.state, recordPath: nil).split(separator: "\n")
    #expect(lines.contains("  FAIL    M.f() “Saves a \\u{1B}[31mnote”"))
    #expect(lines.contains("  FAIL    M.`raw name`()"))
  }

  @Test func longNamesAreCutInTheMiddle() {
    var run = SampleRun()
    run.run(SampleRun.id("M." + String(repeating: "x", count: 200_000) + "()"), .failed)
    let console = ConsoleReport(
      style: ConsoleReport.Style(), tests: [], packagePath: nil, runFolder: "r")
    let lines = console.summary(of: run.state, recordPath: nil).split(separator: "\n")
    #expect(lines[1].utf8.count < 700)
    #expect(lines[1].hasPrefix("  FAIL    M.xxx") && lines[1].hasSuffix("x()"))
  }
}
