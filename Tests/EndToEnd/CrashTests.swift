import FoundationEssentials
import RunModel
import TestSupport
import Testing

extension EndToEnd {
  /// Processes that end before their tests do.
  @Suite struct CrashTests {
    /// One test passes, one fails, one traps when the others have ended.
    @Test(arguments: ["1", "auto"])
    func crashKeepsTheOtherResults(batch: String) async throws {
      let run = try await Carrel.run(
        "Outcomes", "--filter", "CrashTrioTests", "--batch", batch, "--workers", "2")
      #expect(run.output.status == 1, "\(run)")
      let statuses = try await run.junit.statuses
      #expect(statuses.count == 3)
      #expect(statuses.first { $0.key.contains("passesAtOnce") }?.value.kind == "passed")
      #expect(statuses.first { $0.key.contains("failsAtOnce") }?.value.kind == "failure")
      let crash = try #require(statuses.first { $0.key.contains("trapsLater") }?.value)
      #expect(crash.kind == "error")
      #expect(try await run.junit.miscounts == [])
      let test = try run.test("trapsLater()")
      #expect(test.decisive?.end == .signaled(OutcomeTable.trapSignal))
      #expect(crash.message?.contains(signalName(OutcomeTable.trapSignal)) == true)
    }

    /// What the runtime said, where, and how the process ended, wherever a person looks first.
    @Test func failedChecksSayWhatTheyChecked() async throws {
      let run = try await Carrel.run("Outcomes", "--filter", "FailedCheckXCTests/")
      let junit = try await run.junit
      for (name, words) in [
        ("test1Precondition", "Precondition failed: the boiler is not lit"),
        ("test2Assertion", "Assertion failed: the whistle is missing"),
        ("test3Cast", "Could not cast value of type 'Swift.Int'"),
      ] {
        let test = try run.test(name)
        #expect(test.decisive?.headline?.hasPrefix(words) == true, "\(run)")
        let failure = junit.testCase(test.id)?.children("error").first
        #expect(failure?.attributes["message"]?.hasPrefix(words) == true)
        let summary = run.output.text.split(separator: "Did not succeed:").last ?? ""
        #expect(summary.contains(words), "\(run)")
        // The backtracer does not find its way back from the runtime's C++ functions.
        guard name != "test3Cast" else { continue }
        #expect(junit.testCase(test.id)?.attributes["file"]?.hasSuffix("/CrashTests.swift") == true)
        #expect(summary.contains(": \(words)"), "\(run)")
      }
    }

    /// A status of 0 in the middle of a test is no success, and hides nothing.
    @Test(arguments: ["1", "auto", "7"], ["ExitXCTests", "ExitTests"])
    func exitIsNoSuccess(batch: String, suite: String) async throws {
      let run = try await Carrel.run(
        "Outcomes", "--filter", suite + "/", "--batch", batch, "--workers", "1")
      #expect(run.output.status == 1, "\(run)")
      let table = OutcomeTable.all.filter { $0.name.hasPrefix(suite + "/") }
      #expect(table.count == 4)
      #expect(try run.differences(from: table, module: "OutcomesTests") == [])
    }

    @Test func crashReportIsInTheBundle() async throws {
      let run = try await Carrel.run("Outcomes", "--filter", "test2FatalError")
      let bundle = try run.bundle(try run.test("test2FatalError"))
      let listing = try await Carrel.invoke(["bundle", "list", bundle])
      #expect(listing.status == 0)
      #expect(listing.text.contains("crash"), "\(listing.text)")
    }

    /// One of four processes ends before its first test.
    @Test(arguments: ["2", "3", "all"])
    func processThatCannotStartLosesNoTest(failures: String) async throws {
      let counters = try TemporaryFolder()
      let run = try await Carrel.run(
        "StartFailure", "--batch", "10", "--workers", "1", "--filter", "case",
        "--pass-env", "START_COUNTERS", "--pass-env", "START_FAILURES", "--writable",
        counters.path,
        environment: ["START_COUNTERS": counters.path, "START_FAILURES": failures])
      let state = try run.state
      #expect(state.tests.count == 40)
      // Those of the process that failed are tried in fresh ones; in the end each alone, so that it
      // has a reason of its own.
      let verdict: Verdict = failures == "all" ? .lost : .passed
      for test in state.tests {
        #expect(test.result.verdict == verdict, "\(test.id)")
        let reason = "the process ended with exit status 9 before the test started"
        #expect(test.decisive?.reason == (failures == "all" ? reason : nil), "\(test.id)")
      }
      #expect(run.output.status == (failures == "all" ? 1 : 0), "\(run)")
      let report = try await run.junit
      #expect(report.statuses.count == 40)
      #expect(report.miscounts == [])
    }

    /// A test that is asked for twice is planned and reported once.
    @Test func duplicatesAreMerged() async throws {
      let id = "OutcomesPackageTests:testing:OutcomesTests.BasicTests/passes()"
      let run = try await Carrel.run("Outcomes", "--test", id, "--test", id)
      #expect(run.output.status == 0, "\(run)")
      #expect(try run.state.tests.map(\.id.description) == [id])
      #expect(try run.test("passes()").attempts.count == 1)
    }

    /// The listing of one library traps; the other one's tests run all the same.
    @Test func listingThatTraps() async throws {
      let run = try await Carrel.run("ListingCrash")
      // What failed says more than what could not be listed.
      #expect(run.output.status == 1, "\(run)")
      let state = try run.state
      #expect(try run.test("testPasses").result.verdict == .passed)
      #expect(try run.test("testFails").result.verdict == .failed)
      let problem = try #require(state.problems.first { $0.severity == .error })
      #expect(
        "\(problem.message) \(problem.output ?? "")".contains("the reason cannot be found"),
        "\(problem)")
      #expect(run.output.allText.contains("the reason cannot be found"), "\(run)")
      let report = try await run.junit
      #expect(report.root.count("errors") >= 1)
      #expect(report.miscounts == [])

      // Without another failure it is the listing that the exit code tells of.
      let passing = try await Carrel.run("ListingCrash", "--filter", "testPasses")
      #expect(passing.output.status == 5, "\(passing)")
    }

    /// A listing that ends the process with a status that looks like success.
    @Test func listingThatExits() async throws {
      let run = try await Carrel.run(
        "ListingCrash", "--filter", "testPasses", "--pass-env", "LISTING_STATUS",
        environment: ["LISTING_STATUS": "0"])
      #expect(try run.test("testPasses").result.verdict == .passed, "\(run)")
      #expect(run.output.status == 5, "\(run)")
      let problem = try #require(try run.state.problems.first { $0.severity == .error })
      #expect(problem.message.contains("ended with exit status 0"), "\(problem)")
      #expect(problem.output?.contains("output before the listing") == true, "\(problem)")
    }
  }
}
