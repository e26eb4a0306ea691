import Reporting
import RunModel

extension SampleRun {
  /// A run with every verdict, retries, checks in company and alone, and hostile text.
  static func everyKind(leaksFail: Bool = true) -> SampleRun {
    var run = SampleRun(retries: 2, leaksFail: leaksFail)
    run.run(id("NotesTests.NoteTests/testTitle", library: .xctest), .passed)

    run.run(id("NotesTests.Notes/title()"), .failed) {
      $0.issues = [
        issue("Expectation failed: (note.title → \"a\") == \"b\""),
        issue("colour \u{1B}[31mred\u{1B}[0m, NUL \0, BEL \u{7}, \u{FFFE}, ]]> & <tag>", line: 13),
      ]
      $0.stdout = log("title-out", bytes: 40)
      $0.stderr = log("title-err", bytes: 20)
    }
    run.run(id("NotesTests.Notes/saves()"), .failed) {
      $0.issues = [
        issue("Expectation failed: saved == wanted\nremoved [\"Ideas\"]\none note was saved")
      ]
    }
    run.largeResults()
    let cases = id("NotesTests.Notes/cases(_:)")
    run.plan(cases, line: 30, parameterized: true)
    run.attempt(cases, .failed) {
      $0.issues = [issue("Expectation failed: value > 1", line: 33, caseName: "1")]
      $0.cases = [
        TestCaseResult(name: "1", verdict: .failed, duration: 0.001),
        TestCaseResult(name: "2", verdict: .passed, duration: 0.001),
        TestCaseResult(name: "\"a\u{202E}b\"", verdict: .failed),
      ]
    }
    run.finish(cases, .failed)

    run.run(id("NotesTests.Notes/trap()"), .crashed) {
      $0.reason = "the process ended by SIGILL while the test was running"
      $0.end = .signaled(4)
      $0.issues = [issue("recorded before the crash")]
    }
    run.run(id("NotesTests.Notes/hang()"), .timedOut) {
      $0.reason = "exceeded the time limit of 60 s"
      $0.duration = 61.5
      $0.end = .signaled(9)
    }
    run.run(id("NotesTests.Notes/leak()"), .leaked) {
      $0.leaks = [
        LeakedProcess(
          pid: 4711, command: "sleep 300", pipes: [.stdout, .stderr],
          sockets: [
            .init(kind: .tcp, address: "127.0.0.1:8080"), .init(kind: .unix, address: "@name"),
          ])
      ]
    }
    run.run(id("NotesTests.Notes/gone()"), .lost) { $0.end = .exited(0) }
    run.skips()
    run.run(id("NotesTests.Notes/known()"), .knownIssue) {
      $0.issues = [issue("title is empty", known: true), issue("slow", severity: .warning)]
    }
    run.run(id("NotesTests.Notes/noDisk()"), .environment) { $0.reason = "no space left" }
    run.run(id("NotesTests.Notes/stopped()"), .interrupted)
    run.plan(id("NotesTests.Notes/never()"))
    run.finish(
      id("NotesTests.Notes/never()"), .notRun, attempts: 0, reason: "the run was interrupted")
    run.retriesAndChecks()
    run.end(exitCode: 1)
    return run
  }

  /// Results of which limits left something out.
  private mutating func largeResults() {
    let long = String(repeating: "x", count: 70)
    let lines = (1...6).map { "line \($0)" }.joined(separator: "\n")
    run(Self.id("NotesTests.Notes/much(_:)"), .failed) {
      $0.issues = [issue(lines + "\n" + long, caseName: long)]
      $0.cases = (1...6).map { TestCaseResult(name: "\($0)-\(long)", verdict: .failed) }
      $0.omitted = OmittedCounts(issues: 2000, cases: 5000, failedCases: 1000, leaks: 3)
      $0.leaks = [LeakedProcess(pid: 4712, command: "sleep 301")]
      $0.stdout = log("much-out", bytes: 1 << 20)
    }
  }

  private mutating func skips() {
    let kinds: [(SkipKind, String?)] = [
      (.runtime, "no network"), (.disabled, "see the bug tracker"), (.cancelled, nil),
      (.noArguments, nil),
    ]
    for (kind, reason) in kinds {
      run(Self.id("NotesTests.Skips/\(kind.rawValue)()"), .skipped) {
        $0.skip = Skip(kind: kind, reason: reason)
      }
    }
  }

  private mutating func retriesAndChecks() {
    let flaky = Self.id("NotesTests.Retries/flaky()")
    plan(flaky)
    attempt(flaky, .failed) {
      $0.issues = [issue("first", line: 50)]
      $0.stdout = log("flaky-1", bytes: 10)
    }
    attempt(flaky, .crashed, number: 2, purpose: .retry) { $0.end = .signaled(11) }
    attempt(flaky, .passed, number: 3, purpose: .retry)
    finish(flaky, .passed, attempts: 3, isFlaky: true)

    let always = Self.id("NotesTests.Retries/always()")
    plan(always)
    attempt(always, .failed) { $0.issues = [issue("one", line: 60)] }
    attempt(always, .timedOut, number: 2, purpose: .retry) { $0.reason = "exceeded 60 s" }
    attempt(always, .failed, number: 3, purpose: .retry) { $0.issues = [issue("three", line: 60)] }
    finish(always, .failed, attempts: 3)

    let company = Self.id("NotesTests.Company/needsNeighbours()")
    plan(company)
    attempt(company, .failed) {
      $0.issues = [issue("dirty state", line: 70)]
      $0.hadCompany = true
    }
    attempt(company, .passed, number: 2, purpose: .aloneCheck)
    finish(
      company, .failed, attempts: 2,
      company: .onlyAfter([
        Self.id("NotesTests.NoteTests/testTitle", library: .xctest), Self.id("NotesTests.a()"),
      ]))

    let alone = Self.id("NotesTests.Company/alsoAlone()")
    plan(alone)
    attempt(alone, .failed) { $0.issues = [issue("wrong", line: 80)] }
    attempt(alone, .failed, number: 2, purpose: .aloneCheck) {
      $0.issues = [issue("wrong again", line: 80)]
    }
    finish(alone, .failed, attempts: 2, company: .alsoAlone)
  }

  /// The logs that ``everyKind(leaksFail:)`` refers to.
  static func logText(_ log: LogReference) -> LogEnd? {
    let text: String? =
      switch log.path {
      case "logs/title-out": "plain line\n\u{1B}[2Jcleared\n10%\r20%\n\u{FFFD}\u{FFFD}]]>\n"
      case "logs/title-err": "warning: <odd> & odd"
      case "logs/flaky-1": "output of 1"
      default: nil
      }
    if log.path == "logs/much-out" {
      return LogEnd("half a line\nthe last line\n".utf8, isWhole: false)
    }
    return text.map { LogEnd(whole: $0) }
  }
}
