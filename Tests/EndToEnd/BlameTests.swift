import FoundationEssentials
import RunModel
import TestSupport
import Testing

extension EndToEnd {
  /// Who is charged with what happens outside of tests, and with what is done to the observer.
  @Suite struct BlameTests {
    static let starts = [["--start", "cold"], ["--start", "warm"]]

    /// The verdict of each test, by the end of its name.
    private func verdicts(_ run: CarrelRun) throws -> [String: Verdict] {
      var result: [String: Verdict] = [:]
      for test in try run.state.tests {
        result[String(test.id.name.split(separator: "/").last ?? "")] = test.result.verdict
      }
      return result
    }

    /// A failure whose record is lost beside one that explains the status of the process.
    @Test(arguments: starts) func lostRecordsAreNoPasses(start: [String]) async throws {
      let run = try await Carrel.run(
        "Outcomes", ["--filter", "ChannelTests/", "--batch", "10", "--workers", "1"] + start)
      #expect(
        try verdicts(run) == [
          "failsWithHugeMessage()": .failed, "writesGarbage()": .lost,
          "writesGarbageWithoutEnd()": .lost, "failsInCompany()": .failed,
          "passesInCompany()": .passed,
        ], "\(run)")
      let huge = try run.test("failsWithHugeMessage()")
      let message = try #require(huge.decisive?.issues.first?.message)
      #expect(message.contains(" bytes left out here]") && message.utf8.count < 1 << 18, "\(run)")
      let garbage = try run.test("writesGarbage()")
      #expect(garbage.decisive?.headline?.contains("no record") == true, "\(run)")
    }

    @Test(arguments: starts) func classThatCannotBeSetUp(start: [String]) async throws {
      let run = try await Carrel.run(
        "Outcomes", ["--filter", "Suite[1-4]", "--batch", "10", "--workers", "1"] + start)
      var verdicts: [String: Verdict] = [:]
      for test in try run.state.tests {
        verdicts[String(test.id.name.dropFirst("OutcomesTests.".count))] = test.result.verdict
        #expect(test.result.company != .onlyAfter([]) && !test.result.isFlaky)
        if case .onlyAfter = test.result.company { Issue.record("\(test.id): \(run)") }
      }
      #expect(
        verdicts == [
          "Suite1XCTests/testPasses": .passed, "Suite2SetUpCrashesXCTests/test1": .crashed,
          "Suite2SetUpCrashesXCTests/test2": .crashed,
          "Suite3TearDownCrashesXCTests/test1": .passed,
          "Suite3TearDownCrashesXCTests/test2": .crashed, "Suite4XCTests/testPasses": .passed,
        ], "\(run)")
      for (name, text, message) in [
        ("Suite2SetUpCrashesXCTests/test1", "the database is not there", "cannot set up the class"),
        ("Suite3TearDownCrashesXCTests/test2", "still in use", "cannot tear down the class"),
      ] {
        let attempt = try #require(try run.test(name).attempts.first)
        #expect(attempt.headline?.contains(message) == true, "\(run)")
        let log = try run.log(attempt.stdout)
        #expect(contains(log, "[carrel: written outside of any test]\n"), "\(run)")
        #expect(contains(log, text), "\(run)")
        #expect(contains(try run.log(attempt.stderr), message), "\(run)")
        #expect(run.output.text.contains(text), "\(run)")
        let bundle = try run.bundle(try run.test(name), attempt: attempt.attempt)
        let shown = try await Carrel.invoke(["bundle", "show", bundle])
        #expect(shown.text.contains(text), "\(shown.allText)")
      }
    }

    @Test(arguments: starts) func suiteScopeThatCannotBeEntered(start: [String]) async throws {
      let run = try await Carrel.run(
        "Outcomes", ["--filter", "SuiteScopeTests", "--batch", "10", "--workers", "1"] + start)
      #expect(try verdicts(run) == ["passes()": .passed, "neverStarts()": .crashed], "\(run)")
      let attempt = try #require(try run.test("neverStarts()").attempts.first)
      #expect(contains(try run.log(attempt.stdout), "the trait finds nothing\n"), "\(run)")
    }

    /// What a process says before it ends without having started a test.
    @Test func processThatCannotStartSaysWhy() async throws {
      let counters = try TemporaryFolder()
      let run = try await Carrel.run(
        "StartFailure", "--batch", "1", "--workers", "1", "--filter", "case01",
        "--pass-env", "START_*", "--writable", counters.path,
        environment: ["START_COUNTERS": counters.path, "START_FAILURES": "all"])
      let attempt = try #require(try run.test("case01()").decisive)
      #expect(contains(try run.log(attempt.stderr), "the surroundings are not ready\n"), "\(run)")
      #expect(run.output.text.contains("the surroundings are not ready"), "\(run)")
    }

    @Test(arguments: starts, ["1", "10"])
    func whoTakesAwayWhatTheObserverNeeds(start: [String], batch: String) async throws {
      let run = try await Carrel.run(
        "Outcomes",
        ["--filter", "Descriptor(XC)?Tests/", "--batch", batch, "--workers", "1"] + start)
      #expect(
        try verdicts(run) == [
          "test1Passes": .passed, "test2ClosesAll": .crashed, "test3ReplacesAll": .crashed,
          "test4RemovesItsFolder": .failed, "test5RemovesAllFolders": .failed,
          "test6Passes": .passed, "test7UsesHighDescriptors": .passed, "passes()": .passed,
          "closesAll()": .crashed, "alsoPasses()": .passed,
        ], "\(run)")
      #expect(run.output.text.contains("closed descriptors"), "\(run)")
      #expect(run.output.status == 1)
    }

    @Test func fewDescriptors() async throws {
      let package = try await FixturePackage.prepare("Outcomes")
      let folder = try TemporaryFolder()
      let output = try await ChildProcess(
        [
          "/bin/sh", "-c", "ulimit -n 40; exec \"$@\"", "sh", Carrel.executable, "run",
          package.path, "--skip-build", "--output", folder.path(of: "runs"), "--workers", "1",
          "--filter", "CrashXCTests/test[17]|BasicTests/passes",
        ], environment: Carrel.variables(adding: [:]), timeout: 120
      ).output()
      #expect(output.status == 0, "\(output.allText)")
    }

    /// A process that only forks is known by the variable that it shares with its parent, one that
    /// has no variables by its number.
    @Test(arguments: starts) func forkedProcessesAreChargedToTheirTest(start: [String]) async throws
    {
      let run = try await Carrel.run(
        "Outcomes", ["--filter", "Fork(XC)?Tests", "--batch", "10", "--workers", "1"] + start)
      #expect(
        try verdicts(run) == [
          "test1Forks": .leaked, "test2Passes": .passed, "test3ClearsEnvironment": .leaked,
          "test4Passes": .passed, "forks()": .leaked, "clearsEnvironment()": .leaked,
          "passes()": .passed, "alsoPasses()": .passed,
        ], "\(run)")
    }

    /// Text without a line's end, from a process that is killed.
    @Test(arguments: starts) func lastWordsAreKept(start: [String]) async throws {
      let run = try await Carrel.run(
        "Outcomes",
        ["--filter", "LastWords", "--timeout", "2", "--grace", "0", "--company-check", "off"]
          + start)
      for (name, text) in [
        ("test1PrintsAndHangs", "whole line\nlast words before the hang"),
        ("test2PrintsAndCrashes", "last words before the crash"),
        ("printsAndExits()", "last words before the exit"),
      ] {
        let log = try run.log(try run.test(name).decisive?.stdout)
        #expect(String(decoding: log, as: UTF8.self) == text, "\(run)")
        let line = text.split(separator: "\n").last ?? ""
        #expect(run.output.text.contains(line), "\(run)")
      }
    }

    @Test(arguments: ["1", "10"]) func linesThatLookLikeXCTestsAreKept(batch: String) async throws {
      let run = try await Carrel.run(
        "Outcomes", "--filter", "OutputXCTests/testForges|CrashXCTests/test1", "--batch", batch)
      let log = try run.log(try run.test("testForgesItsOwnLines").decisive?.stdout)
      #expect(
        String(decoding: log, as: UTF8.self) == """
          Test Case 'OutputXCTests.testForgesItsOwnLines' started at 2001-01-01 00:00:00.000
          Test Case 'OutputXCTests.testForgesItsOwnLines' passed (0.001 seconds)

          """)
      #expect(try run.test("test1Passes").decisive?.stdout == nil)
    }
  }
}
