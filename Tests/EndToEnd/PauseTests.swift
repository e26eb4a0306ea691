import FoundationEssentials
import Glibc
import RunModel
import TestSupport
import Testing

extension EndToEnd {
  /// The command is stopped and continued while tests run.
  @Suite struct PauseTests {
    /// All that runs stops with the command, as long as it likes, and no clock counts the time.
    @Test(arguments: TeardownTests.starts) func aStopIsAPause(start: [String]) async throws {
      let limit = 5.0
      let run = try await TeardownRun(
        [
          "--filter", "TreeXCTests/testWaitsForAFile", "--leaks", "pass", "--timeout", "\(limit)",
          "--slow", "4",
        ] + start)
      #expect(run.sleepers == TeardownRun.tree)
      var watch = try FileWatch(run.runs)
      run.process.signal(SIGTSTP)
      try #require(run.process.waitForStop())
      let states = try familyStates(of: run.process.pid)
      #expect(states.count >= 7)
      // Those that do nothing by themselves are Carrel's own and go on.
      for (process, state) in states where !name(of: process).hasPrefix("carrel-") {
        #expect(state == "T", "\(commandLine(of: process))")
      }
      // Nothing is written meanwhile, for longer than the limit.
      let before = try size(of: run)
      #expect(
        try watch.first(within: limit + 1) { try size(of: run) != before ? true : nil } == nil)
      try run.openGate()
      run.process.signal(SIGCONT)
      let end = try await run.end()
      #expect(end.output.status == 0, "\(end)")
      let attempt = try #require(try end.test("testWaitsForAFile").decisive)
      #expect(attempt.verdict == .leaked && attempt.leaks.count >= 4)
      #expect(attempt.duration > 0 && attempt.duration < limit, "\(attempt.duration)")
      #expect(!end.output.text.contains("SLOW"), "\(end)")
      #expect(run.processes.left(after: 0) == [])
    }

    /// A signal that comes during the pause is answered after it.
    @Test func aSignalDuringAPauseIsAnsweredAfterIt() async throws {
      let run = try await TeardownRun(["--filter", "TreeXCTests/testHangsWithATree"])
      run.process.signal(SIGTSTP)
      try #require(run.process.waitForStop())
      run.process.signal(SIGTERM)
      run.process.signal(SIGCONT)
      let end = try await run.end()
      #expect(end.output.end == .exited(143), "\(end)")
      #expect(try end.state.tests.map(\.result.verdict) == [.interrupted])
      #expect(run.processes.left(after: 3) == [])
    }

    /// Also what is stopped is ended when the command is killed.
    @Test func nothingOutlivesACommandThatIsKilledInAPause() async throws {
      let run = try await TeardownRun(["--filter", "TreeXCTests/testHangsWithATree"])
      run.process.signal(SIGTSTP)
      try #require(run.process.waitForStop())
      run.process.signal(SIGKILL)
      #expect(run.processes.left(after: 3) == [])
      #expect(try await run.end().output.end == .signaled(SIGKILL))
    }

    /// Nothing runs any more, and the report goes to somebody who does not read it.
    @Test func aStopOutsideOfTheLoopStopsAtOnce() async throws {
      let run = try await BlockedReport()
      let (process, reader) = (run.process, run.reader)
      defer { withExtendedLifetime(run) {} }
      process.signal(SIGTSTP)
      try #require(process.waitForStop())
      process.signal(SIGCONT)
      var report: [UInt8] = []
      var buffer = [UInt8](repeating: 0, count: 4096)
      while !contains(Array(report.suffix(8192)), "</testsuites>") {
        var polled = pollfd(fd: reader, events: Int16(POLLIN), revents: 0)
        try #require(poll(&polled, 1, 30_000) == 1)
        let count = read(reader, &buffer, buffer.count)
        try #require(count > 0)
        report += buffer[..<count]
      }
      #expect(try await process.output().end == .exited(0))
    }

    private func size(of run: TeardownRun) throws -> Int {
      try readFile("\(recordFolder(in: run.runs))/events.jsonl").count
    }

    /// What the kernel calls a process.
    private func name(of process: pid_t) -> String {
      String(decoding: (try? readSmallFile("/proc/\(process)/comm")) ?? [], as: UTF8.self)
    }
  }
}
