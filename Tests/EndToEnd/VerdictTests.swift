import RunModel
import TestSupport
import Testing

extension EndToEnd {
  /// The whole table, in every way of sharing processes and workers.
  @Suite struct VerdictTests {
    @Test(arguments: [
      ["--workers", "1", "--batch", "1", "--start", "cold"],
      ["--workers", "2", "--batch", "1", "--start", "cold"],
      ["--workers", "1", "--batch", "auto"], ["--workers", "2", "--batch", "auto"],
      ["--workers", "2", "--batch", "7"],
      ["--workers", "2", "--batch", "1", "--start", "warm"],
      ["--workers", "1", "--batch", "7", "--start", "warm"],
    ])
    func tableHolds(options: [String]) async throws {
      let run = try await Carrel.run("Outcomes", options + OutcomeTable.selection)
      let differences = try run.differences(from: OutcomeTable.all, module: "OutcomesTests")
      #expect(differences.isEmpty, "\(differences.joined(separator: "\n"))\n\(run)")
      #expect(run.output.status == 1, "\(run)")
      #expect(!run.output.didTimeOut && !run.output.isOutputHeldOpen)

      // Every planned test is in the report, and every attempt that needs a bundle has one.
      let state = try run.state
      let report = try await run.junit
      #expect(Set(report.statuses.keys) == Set(state.tests.map(\.id.description)))
      #expect(report.miscounts == [])
      let unpacked = state.tests.flatMap { test in
        test.attempts.filter { $0.verdict.needsBundle && test.bundles[$0.attempt] == nil }
      }
      #expect(unpacked.map(\.test.description) == [])
      #expect(try run.bundles.count == state.tests.reduce(0) { $0 + $1.bundles.count })
      #expect(state.finish?.exitCode == 1)
    }

    @Test func allPassed() async throws {
      let run = try await Carrel.run(
        "Outcomes", "--filter", "CrashXCTests/test[17]|BasicTests/passes|/knownIssue\\(|testSkips$")
      #expect(run.output.status == 0, "\(run)")
      #expect(try run.state.tests.count == 5)
      #expect(try run.bundles.isEmpty)
    }

    /// The verdict of each attempt is on disk in the order of the design: planned, started, ended.
    @Test func eventsAreInOrder() async throws {
      let run = try await Carrel.run("Outcomes", "--filter", "BasicXCTests", "--workers", "2")
      var planned: Set<String> = []
      var started: Set<String> = []
      for event in try run.events {
        switch event.kind {
        case .testPlanned(let test): planned.insert(test.id.description)
        case .batchStarted(let batch):
          #expect(batch.tests.allSatisfy { planned.contains($0.description) })
        case .attemptStarted(let start):
          started.insert("\(start.test) \(start.attempt)")
        case .attemptFinished(let result):
          #expect(started.contains("\(result.test) \(result.attempt)"), "\(result.test)")
        default: break
        }
      }
      #expect(planned.count == 9)
      guard case .runStarted = try run.events.first?.kind else {
        Issue.record("the log does not begin with the run's start")
        return
      }
      guard case .runFinished = try run.events.last?.kind else {
        Issue.record("the log does not end with the run's end")
        return
      }
    }

    @Test func hundredsOfSmallTests() async throws {
      let run = try await Carrel.run("ManySmall", "--workers", "2")
      #expect(run.output.status == 0, "\(run)")
      let tests = try run.state.tests
      #expect(tests.count == 700)
      #expect(tests.allSatisfy { $0.result.verdict == .passed && $0.attempts.count == 1 })
      #expect(Set(tests.map(\.id.suite)).count == 7)
    }
  }
}
