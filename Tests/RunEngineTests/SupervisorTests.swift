import Glibc
import RunModel
import Synchronization
import TestSupport
import Testing
import Workers

@testable import RunEngine

extension RunsProcesses {
  @Suite struct SupervisorTests {
    /// What came of processes that ran side by side.
    struct Outcome: Sendable {
      var results: [Result<ProcessEnd, WorkersError>] = []
      var output: [Int: [ProcessStream: String]] = [:]
      var interruption: String?
      /// What reached the handler that was there before; −1 is sent to it afterwards.
      var passedOn: [Int] = []
    }

    /// Runs shell scripts on a thread of their own, whose signals belong to nobody else.
    private func run(
      _ scripts: [String], limit: Double? = nil,
      onOutput: @escaping @Sendable (Int) -> Void = { _ in }
    ) async throws -> Outcome {
      let requests = scripts.enumerated().map { index, script in
        ProcessRequest(
          executable: script.hasPrefix("/") ? script : "/bin/sh", arguments: ["-c", script],
          environment: ["PATH": "/usr/bin:/bin"], hasChannel: true, scope: "supervisor-\(index)")
      }
      return try await onOwnThread {
        let supervisor = try Supervisor(ownsAllChildren: false)
        var outcome = Outcome()
        supervisor.onInterruption = { outcome.passedOn.append($0) }
        outcome.results = supervisor.run(requests, limit: limit) { index, stream, bytes in
          outcome.output[index, default: [:]][stream, default: ""] +=
            String(decoding: bytes, as: UTF8.self)
          onOutput(index)
        }
        outcome.interruption = supervisor.interruption
        supervisor.onInterruption?(-1)
        return outcome
      }
    }

    private func ends(_ outcome: Outcome) -> [ProcessEnd?] { outcome.results.map { try? $0.get() } }

    @Test func everyProcessHasItsOwnEndAndOutput() async throws {
      let outcome = try await run([
        "echo one; echo error >&2; echo record >&3", "printf two; exit 3", "kill -KILL $$", ":",
      ])
      #expect(ends(outcome) == [.exited(0), .exited(3), .signaled(SIGKILL), .exited(0)])
      #expect(outcome.output[0] == [.stdout: "one\n", .stderr: "error\n", .channel: "record\n"])
      #expect(outcome.output[1] == [.stdout: "two"])
      #expect(outcome.output[2] == nil && outcome.output[3] == nil)
      #expect(outcome.interruption == nil)
    }

    @Test func theyRunSideBySide() async throws {
      // Each waits for the other.
      let folder = try TemporaryFolder()
      let scripts = [("a", "b"), ("b", "a")].map { own, other in
        "touch '\(folder.path)/\(own)'; until [ -e '\(folder.path)/\(other)' ]; do :; done; "
          + "echo met"
      }
      let outcome = try await run(scripts)
      #expect(ends(outcome) == [.exited(0), .exited(0)])
      #expect(outcome.output.mapValues { $0[.stdout] } == [0: "met\n", 1: "met\n"])
    }

    @Test func nothingToRunIsNothingToWaitFor() async throws {
      #expect(try await run([]).results.isEmpty)
    }

    @Test func aMissingExecutableDoesNotStopTheOthers() async throws {
      let outcome = try await run(["/nowhere/program", "echo fine"])
      guard case .failure(let error) = outcome.results[0] else {
        Issue.record("\(outcome)")
        return
      }
      #expect(error.code == .launch && error.message.contains("/nowhere/program"))
      #expect(ends(outcome) == [nil, .exited(0)])
      #expect(outcome.output[1]?[.stdout] == "fine\n")
    }

    @Test func theLimitKillsWhoeverStillRuns() async throws {
      let outcome = try await run(["trap '' TERM; sleep 1241", "sleep 1242 & wait"], limit: 0.05)
      #expect(ends(outcome) == [.signaled(SIGKILL), .signaled(SIGKILL)])
      #expect(outcome.interruption == nil)
    }

    @Test(arguments: [SIGINT, SIGTERM, SIGHUP, SIGQUIT])
    func aSignalEndsThemAll(signal: Int32) async throws {
      let outcome = try await run([
        "echo ready; while :; do sleep 1243; done", "while :; do sleep 1244; done",
      ]) { _ in pthread_kill(pthread_self(), signal) }
      #expect(ends(outcome) == [.signaled(SIGTERM), .signaled(SIGTERM)])
      #expect(outcome.interruption == signalName(signal))
      // Their end is this call's business alone.
      #expect(outcome.passedOn == [-1])
    }

    @Test func workIsDoneAside() async throws {
      let value = try await onOwnThread { try Supervisor(ownsAllChildren: false).compute { 6 * 7 } }
      #expect(value == 42)
    }

    /// Work that never ends, such as looking for a regular expression.
    @Test func aSignalEndsTheWaitForWork() async throws {
      let pipe = try Pipe()
      let isAbandoned = try await onOwnThread {
        let supervisor = try Supervisor(ownsAllChildren: false)
        let thread = pthread_self()
        let result = supervisor.compute { () -> Int in
          pthread_kill(thread, SIGINT)
          var byte: UInt8 = 0
          return read(pipe.reader, &byte, 1)
        }
        // What comes next is not even begun.
        let next = supervisor.compute { 1 }
        return result == nil && next == nil && supervisor.interruption == "SIGINT"
      }
      #expect(isAbandoned)
      close(pipe.writer)
      close(pipe.reader)
    }

    /// A signal outside of the loop is known at once, and handled in the loop.
    @Test func aSignalBetweenLoopsIsKept() async throws {
      let seen = try await onOwnThread {
        let supervisor = try Supervisor(ownsAllChildren: false)
        var counts: [Int] = []
        supervisor.onInterruption = { counts.append($0) }
        pthread_kill(pthread_self(), SIGHUP)
        #expect(supervisor.interruption == "SIGHUP" && counts == [])
        supervisor.loop.run { !counts.isEmpty }
        return (supervisor.interruption, counts)
      }
      #expect(seen.0 == "SIGHUP" && seen.1 == [1])
    }

    @Test func aSecondSignalKillsWhoIgnoresTheFirst() async throws {
      // The trap says that the first one came.
      let script = "trap 'echo ignored' TERM; echo ready; while :; do sleep 1245; done"
      // The third one would end this process.
      let sent = Atomic(0)
      let outcome = try await run([script]) { _ in
        if sent.add(1, ordering: .relaxed).oldValue < 2 { pthread_kill(pthread_self(), SIGTERM) }
      }
      #expect(ends(outcome) == [.signaled(SIGKILL)])
      #expect(outcome.output[0]?[.stdout]?.hasPrefix("ready\n") == true)
      #expect(outcome.interruption == "SIGTERM")
    }
  }
}

/// Everything that starts processes, one at a time: a process has only one set of children.
@Suite(.serialized) enum RunsProcesses {}
