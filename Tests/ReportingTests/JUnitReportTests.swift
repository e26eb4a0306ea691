import Reporting
import RunModel
import Testing

@Suite struct JUnitReportTests {
  private func parse(_ run: SampleRun, runFolder: String = "") throws -> XMLElement {
    let options = JUnitReport.Options(runFolder: runFolder)
    return try StrictXML.parse(
      JUnitReport.render(run.state, options: options, logText: SampleRun.logText))
  }

  private func testCase(_ name: String, in root: XMLElement) throws -> XMLElement {
    try #require(
      root.all("testsuite").lazy.flatMap { $0.all("testcase") }
        .first { $0.attributes["name"] == name })
  }

  @Test(arguments: [true, false])
  func everyKindOfVerdict(leaksFail: Bool) throws {
    let state = SampleRun.everyKind(leaksFail: leaksFail).state
    let options = JUnitReport.Options(
      runFolder: ".carrel/runs/20260301-123005-ab12", companyAdvice: "a command runs them first")
    let text = JUnitReport.render(state, options: options, logText: SampleRun.logText)
    _ = try StrictXML.parse(text)
    try expectSnapshot(text, leaksFail ? "junit.xml" : "junit-leaks-allowed.xml")
  }

  @Test func lookalikesHaveTestCasesOfTheirOwn() throws {
    var run = SampleRun()
    let names = ["M.S/caf\u{E9}()", "M.S/cafe\u{301}()", "M.\u{E9}/f()", "M.e\u{301}/f()"]
    for (index, name) in names.enumerated() {
      run.run(SampleRun.id(name), index % 2 == 0 ? .passed : .failed)
    }
    run.run(SampleRun.id(names[0], library: .xctest), .passed)
    let root = try parse(run)
    let suites = root.all("testsuite")
    #expect(suites.map { $0.number("tests") } == [3, 1, 1])
    #expect(root.number("failures") == 2)
    let cases = suites[0].all("testcase").compactMap { $0.attributes["name"] }
    #expect(cases.map { ExactText($0) }.map(\.text).count == 3 && Set(cases).count == 3)
    let ids = suites.flatMap { $0.all("testcase") }.compactMap { $0.property("carrel.id") }
    #expect(Set(ids.compactMap(TestID.init(parsing:))) == Set(run.state.tests.map(\.id)))
  }

  @Test func eachVerdictHasItsElement() throws {
    let root = try parse(.everyKind())
    let elements: [(String, String?, String?)] = [
      ("testTitle", nil, nil), ("title()", "failure", "failed"), ("trap()", "error", "crashed"),
      ("hang()", "error", "timed-out"), ("leak()", "error", "leaked"), ("gone()", "error", "lost"),
      ("noDisk()", "error", "environment"), ("stopped()", "error", "interrupted"),
      ("never()", "error", "not-run"), ("known()", nil, nil), ("runtime()", "skipped", "runtime"),
      ("disabled()", "skipped", "disabled"), ("cancelled()", "skipped", "cancelled"),
      ("no-arguments()", "skipped", "no-arguments"), ("flaky()", nil, nil),
      ("always()", "failure", "failed"),
    ]
    for (name, element, type) in elements {
      let testCase = try testCase(name, in: root)
      let found = testCase.children.filter { ["failure", "error", "skipped"].contains($0.name) }
      #expect(found.map(\.name) == (element.map { [$0] } ?? []), "\(name)")
      #expect(found.first?.attributes["type"] == type, "\(name)")
      #expect(found.first.map { $0.attributes["message"]?.isEmpty == false } ?? true, "\(name)")
    }
  }

  @Test func crashNamesTheSignalAlsoWhenTheReasonDoesNot() throws {
    var run = SampleRun()
    run.run(SampleRun.id("M.f()"), .crashed) {
      $0.reason = "ended early"
      $0.end = .signaled(6)
    }
    let error = try #require(try testCase("f()", in: parse(run)).all("error").first)
    #expect(error.attributes["message"] == "ended early (signal SIGABRT)")
  }

  @Test func countsAddUpToThePlan() throws {
    let run = SampleRun.everyKind()
    let root = try parse(run)
    #expect(root.number("tests") == run.state.tests.count)
    let cases = root.all("testsuite").flatMap { $0.all("testcase") }
    #expect(root.number("skipped") == 4)
    #expect(root.number("failures") == cases.count { !$0.all("failure").isEmpty })
    #expect(root.number("errors") == cases.count { !$0.all("error").isEmpty })
  }

  @Test func attemptsBeforeTheLastAreKeptWithTheirBundles() throws {
    let root = try parse(.everyKind(), runFolder: "run")
    let flaky = try testCase("flaky()", in: root)
    #expect(flaky.property("carrel.flaky") == "true")
    let failure = try #require(flaky.all("flakyFailure").first)
    #expect(
      failure.all("system-out").first?.text
        == "[[ATTACHMENT|run/bundles/flaky-1.tar.zst]]\noutput of 1")
    #expect(failure.all("stackTrace").count == 1)
    let error = try #require(flaky.all("flakyError").first)
    #expect(
      error.all("system-out").first?.text == "[[ATTACHMENT|run/bundles/flaky-2.tar.zst]]\n")
    #expect(flaky.all("system-out").isEmpty)

    let always = try testCase("always()", in: root)
    #expect(always.all("rerunFailure").count == 1)
    #expect(always.all("rerunError").count == 1)
    #expect(
      always.all("system-out").first?.text.contains("run/bundles/always-3.tar.zst") == true)
  }

  @Test func checksDoNotCountButAreTold() throws {
    let root = try parse(.everyKind())
    let needs = try testCase("needsNeighbours()", in: root)
    let text = try #require(needs.all("failure").first?.text)
    #expect(text.contains("only after NotesTests.NoteTests/testTitle, NotesTests.a()"))
    #expect(text.contains("alone check: passed"))
    #expect(needs.property("carrel.company")?.hasPrefix("only after ") == true)
    #expect(needs.all("rerunFailure").isEmpty)
    let alone = try testCase("alsoAlone()", in: root)
    #expect(alone.property("carrel.company")?.hasPrefix("also alone") == true)
    #expect(alone.all("rerunFailure").isEmpty)
  }

  @Test func problemIsATestCaseThatFails() throws {
    var run = SampleRun()
    run.run(SampleRun.id("M.f()"), .passed)
    for product in ["A", "B"] {
      run.add(
        .problem(
          RunProblem(
            severity: .error, code: .listingFailed, message: "\(product) ended by SIGILL",
            output: "trap\u{1B}")))
    }
    run.add(
      .problem(
        RunProblem(severity: .warning, code: .init(rawValue: "inherited"), message: "not found")))
    run.end(exitCode: 4)
    let root = try parse(run)
    #expect(root.number("tests") == 3)
    #expect(root.number("errors") == 2)
    let suite = try #require(root.all("testsuite").last)
    #expect(suite.attributes["name"] == "carrel")
    #expect(
      suite.all("testcase").map { $0.attributes["name"] } == [
        "listing-failed", "listing-failed (2)",
      ])
    #expect(suite.all("testcase").first?.all("error").first?.text.contains("trap\\u{1B}") == true)
    #expect(suite.all("system-err").first?.text == "warning: inherited: not found\n")
  }

  @Test func noTestsIsAnErrorUnlessAllowed() throws {
    var run = SampleRun()
    #expect(try parse(run).number("errors") == 1)
    run.end(exitCode: 0)
    #expect(try parse(run).number("tests") == 0)
  }

  @Test func logThatStopsInTheMiddleLosesNoTest() throws {
    let events = SampleRun.everyKind().events
    let planned = events.filter { if case .testPlanned = $0.kind { true } else { false } }
    for count in 0...events.count {
      let state = RunState(planned + events.prefix(count))
      let text = JUnitReport.render(state, logText: { _ in nil })
      let root = try StrictXML.parse(text)
      #expect(root.number("tests") == planned.count)
    }
  }

  @Test func attemptThatIsStillOpenDecides() throws {
    var run = SampleRun(retries: 1)
    let test = SampleRun.id("M.f()")
    run.plan(test)
    run.attempt(test, .lost) { $0.reason = "first" }
    run.add(.attemptStarted(AttemptStart(test: test, attempt: 2, batch: 2, worker: 1)))
    let testCase = try testCase("f()", in: parse(run))
    let message = try #require(testCase.all("error").first?.attributes["message"])
    #expect(message.hasPrefix("the run ended without a result"))
    #expect(testCase.all("rerunError").map { $0.attributes["message"] } == ["first"])
  }

  @Test func sameSuiteInTwoProductsIsTwoSuites() throws {
    var run = SampleRun()
    for product in ["A", "B"] { run.run(SampleRun.id("M.S/f()", product: product), .passed) }
    run.run(SampleRun.id("M.S/f()", library: .xctest, product: "A"), .passed)
    let suites = try parse(run).all("testsuite")
    #expect(suites.map { $0.attributes["name"] } == ["A:M.S", "B:M.S"])
    #expect(suites[0].all("testcase").map { $0.attributes["name"] } == ["f()", "f() (xctest)"])
    let ids = suites.flatMap { $0.all("testcase") }.compactMap { $0.property("carrel.id") }
    #expect(ids.compactMap(TestID.init(parsing:)).sorted() == run.state.tests.map(\.id).sorted())
  }
}
