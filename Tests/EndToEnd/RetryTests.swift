import RunModel
import TestSupport
import Testing

extension EndToEnd {
  /// More than one attempt: retries, and what the neighbours have to do with it.
  @Suite struct RetryTests {
    @Test func flakyTestKeepsTheBundlesOfItsFailures() async throws {
      let run = try await runRetries("testPassesOnThirdAttempt|passesOnThirdAttempt", retries: "3")
      #expect(run.output.status == 0, "\(run)")
      let test = try run.test("testPassesOnThirdAttempt")
      #expect(test.result.verdict == .passed && test.result.isFlaky)
      let attempts = test.attempts.filter { $0.purpose == .planned || $0.purpose == .retry }
      #expect(attempts.map(\.verdict) == [.failed, .failed, .passed])
      #expect(test.bundles.keys.sorted() == [1, 2])
      for attempt in 1...2 {
        let folder = try TemporaryFolder()
        let extracted = try await Carrel.invoke([
          "bundle", "extract", try run.bundle(test, attempt: attempt), folder.path(of: "out"),
        ])
        #expect(extracted.status == 0, "\(extracted.text)\(extracted.errorText)")
        let files = try sources(below: folder.path(of: "out"))
        let own = try #require(files.first { $0.hasSuffix("/attempt-\(attempt).txt") }, "\(files)")
        #expect(contains(try readFile(own), "written by attempt \(attempt)"))
        #expect(files.count { $0.contains("/attempt-") } == 1)
        let logs = try files.filter { $0.hasSuffix("stdout.log") || $0.contains("stdout") }
          .map(readFile)
        #expect(logs.contains { contains($0, "output of attempt \(attempt)\n") }, "\(files)")
      }
      let report = try #require(try await run.junit.testCase(test.id))
      let failures = report.children("flakyFailure")
      #expect(failures.count == 2)
      for (attempt, failure) in zip(1..., failures) {
        let name = try #require(try run.bundle(test, attempt: attempt).split(separator: "/").last)
        #expect(failure.descendants("system-out").contains { $0.text.contains(name) })
      }
      #expect(try run.test("passesOnThirdAttempt()").result.isFlaky)
    }

    @Test func testsThatNeverPassKeepTheirVerdict() async throws {
      let run = try await runRetries("RetryXCTests", retries: "3")
      #expect(run.output.status == 1, "\(run)")
      func counting(_ name: String) throws -> [Verdict] {
        try run.test(name).attempts.filter { $0.purpose == .planned || $0.purpose == .retry }
          .map(\.verdict)
      }
      #expect(try counting("testAlwaysFails") == Array(repeating: .failed, count: 4))
      #expect(try counting("testAlwaysCrashes") == Array(repeating: .crashed, count: 4))
      #expect(try counting("testPassesAtOnce") == [.passed])
      #expect(try run.test("testAlwaysFails").result.verdict == .failed)
      #expect(try run.test("testAlwaysCrashes").result.verdict == .crashed)
      #expect(try run.test("testAlwaysFails").bundles.count == 4)
      #expect(try await run.junit.miscounts == [])
    }

    private func runRetries(_ filter: String, retries: String) async throws -> CarrelRun {
      let counters = try TemporaryFolder()
      return try await Carrel.run(
        "Outcomes", "--filter", filter, "--retries", retries, "--batch", "1", "--pass-env",
        "OUTCOMES_COUNTERS", "--writable", counters.path,
        environment: ["OUTCOMES_COUNTERS": counters.path])
    }

    /// In company: one fails because of a neighbour, one fails anyhow.
    @Test func failuresInCompany() async throws {
      let run = try await Carrel.run(
        "Outcomes", "--filter", "OrderXCTests", "--batch", "4", "--workers", "1")
      #expect(run.output.status == 1, "\(run)")
      let spoiled = try run.test("test2FailsAfterMark")
      #expect(spoiled.result.verdict == .failed)
      guard case .onlyAfter(let neighbours) = spoiled.result.company else {
        Issue.record("found \(String(describing: spoiled.result.company))\n\(run)")
        return
      }
      #expect(neighbours.contains { $0.name.hasSuffix("test1LeavesMark") })
      #expect(run.output.text.contains("test1LeavesMark"))
      #expect(try run.test("test3FailsWithoutMark").result.verdict == .passed)
      #expect(try run.test("test4AlwaysFails").result.company == .alsoAlone)
      #expect(try run.test("test4AlwaysFails").result.verdict == .failed)
    }

    /// Alone: one fails because it has no neighbours, one fails anyhow.
    @Test func failuresAlone() async throws {
      let run = try await Carrel.run(
        "Outcomes", "--filter", "OrderXCTests", "--batch", "1", "--workers", "1")
      #expect(run.output.status == 1, "\(run)")
      #expect(try run.test("test2FailsAfterMark").result.verdict == .passed)
      let lonely = try run.test("test3FailsWithoutMark")
      #expect(lonely.result.verdict == .failed)
      if case .onlyAlone(let neighbours) = lonely.result.company {
        #expect(neighbours.contains { $0.name.hasSuffix("test1LeavesMark") })
      } else {
        Issue.record("found \(String(describing: lonely.result.company))\n\(run)")
      }
      #expect(try run.test("test4AlwaysFails").result.company == .alsoInCompany)
    }
  }
}
