import Evidence
import Glibc
import Orchestration
import RunModel
import SystemFiles
import TestSupport
import Testing
import Workers

@testable import RunEngine

extension RunsProcesses {
  /// Runs that a signal ends early. The signal goes to the run's own thread alone.
  @Suite struct InterruptionTests {
    @Test(arguments: [SIGINT, SIGTERM]) func whatRunsIsEndedAndTheRestDoesNotStart(
      signal: Int32
    ) async throws {
      let package = try FakePackage([
        "M.A/test1": ":", "M.A/test2": "echo words; while :; do sleep 1249; done", "M.A/test3": ":",
        "M.B/test4": ":",
      ])
      let test2 = package.id("M.A/test2")
      let outcome = try await SessionOutcome.run(
        package, batch: .fixed(3), retries: 2, checksCompany: true,
        onEvent: { event in
          guard case .attemptStarted(let start) = event.kind, start.test == test2 else { return }
          pthread_kill(pthread_self(), signal)
        })
      #expect(outcome.interruption == signalName(signal))
      #expect(outcome.verdicts == [.passed, .interrupted, .notRun, .notRun])
      let tests = outcome.state.tests
      #expect(tests.map(\.attempts.count) == [1, 1, 0, 0])
      #expect(tests.map(\.bundles.count) == [0, 1, 0, 0])
      #expect(tests[1].decisive?.end == .signaled(SIGTERM))
      for test in tests[2...] {
        #expect(test.result.reason == "the run was interrupted by \(signalName(signal))")
      }
      #expect(tests.allSatisfy { $0.logged != nil && $0.open == nil })
      #expect(outcome.events == outcome.seen)
      #expect(package.lines("starts").count == 1)
    }

    /// Packing a gigabyte would take seconds.
    @Test func aSecondSignalEndsThePacking() async throws {
      let package = try FakePackage([
        "M.A/test1": "fail first", "M.A/test2": "truncate -s 1500M \"$HOME/large\"; fail second",
      ])
      let outcome = try await SessionOutcome.run(
        package, configure: { $0.compression = .zstd },
        onEvent: { event in
          // The bundle of the batch is packed after this.
          guard case .batchFinished(let finish) = event.kind, finish.batch == 2 else { return }
          for _ in 0..<2 { pthread_kill(pthread_self(), SIGINT) }
        })
      #expect(outcome.interruption == "SIGINT")
      #expect(outcome.verdicts == [.failed, .failed])
      #expect(outcome.state.tests[1].bundles.isEmpty)
      #expect(outcome.writeFailures.contains { $0.contains("test2") && $0.contains("given up") })
      // There is no half of one.
      let names = folderEntries(outcome.record.path + "/bundles") ?? []
      #expect(!names.contains { $0.contains("test2") || $0.hasSuffix(".tmp") }, "\(names)")
      #expect(outcome.events == outcome.seen)
    }

    @Test func whoIgnoresTheSignalIsKilled() async throws {
      let package = try FakePackage([
        "M.A/test1": "trap '' TERM; echo ready; while :; do sleep 1250; done"
      ])
      let outcome = try await SessionOutcome.run(
        package, configure: { $0.grace = 0.01 },
        onEvent: { event in
          guard case .attemptStarted = event.kind else { return }
          pthread_kill(pthread_self(), SIGTERM)
        })
      #expect(outcome.verdicts == [.interrupted])
    }

    @Test func aSignalBeforeTheRunStartsNothing() async throws {
      let package = try FakePackage(["M.A/test1": ":", "M.A/test2": ":"])
      let outcome = try await SessionOutcome.run(package, interruptsBefore: true)
      #expect(outcome.interruption == "SIGTERM")
      #expect(outcome.verdicts == [.notRun, .notRun])
      #expect(
        outcome.state.tests.map(\.result.reason)
          == Array(repeating: "the run was interrupted by SIGTERM", count: 2))
      #expect(package.lines("starts") == [])
    }
  }
}
