import FoundationEssentials
import Glibc
import RunModel
import TestSupport
import Testing

extension EndToEnd {
  /// Whatever ends a run or a test, no process of it stays.
  @Suite struct TeardownTests {
    static let starts = [["--start", "cold"], ["--start", "warm", "--batch", "1"]]

    /// Nobody can prepare for SIGKILL: the watchdog ends what the tests have started, too.
    @Test(arguments: starts) func nothingOutlivesAKilledCommand(start: [String]) async throws {
      let run = try await TeardownRun(["--filter", "TreeXCTests/testHangsWithATree"] + start)
      #expect(run.sleepers == TeardownRun.tree)
      let isWarm = start.contains("warm")
      #expect(run.processes.all.contains { $0.scope.contains("-warm") } == isWarm)
      let watchdogs = try familyStates(of: run.process.pid).keys.filter {
        commandLine(of: $0) == "carrel-watchdog"
      }
      #expect(watchdogs.count == 1)
      // Marks that only begin like the run's, and the run's in another variable.
      let others = try [
        "CARREL_SCOPE": "\(run.runID)0-1", "XCARREL_SCOPE": run.runID,
        "CARREL_SCOPE_OF": run.runID,
      ].map { name, value in
        try ChildProcess(["sleep", "1506"], environment: [name: value], timeout: 600)
      }
      run.process.signal(SIGKILL)
      let left = run.processes.left(after: 3)
      #expect(left == [])
      MarkedProcesses.kill(left)
      let end = try await run.end()
      #expect(end.output.end == .signaled(SIGKILL) && !end.output.isOutputHeldOpen)
      let (runID, watchdog) = (run.runID, try #require(watchdogs.first))
      #expect(try MarkedProcesses(of: runID + "-").all == [])
      // It has nothing to do any more.
      #expect(isGone(watchdog, command: "carrel-watchdog", within: 3))
      for other in others {
        other.signal(SIGTERM)
        #expect(try await other.output().end == .signaled(SIGTERM))
      }
      #expect(try end.state.tests.map(\.result.verdict) == [.lost])
      #expect(try end.state.finish == nil)
    }

    /// Everything that the tests started is ended in order; also when the end is wanted at once.
    @Test(arguments: [1, 2, 3]) func nothingOutlivesASignal(count: Int) async throws {
      let run = try await TeardownRun(["--filter", "TreeXCTests/testHangsWithATree"])
      #expect(run.sleepers == TeardownRun.tree)
      for signal in [SIGTERM, SIGINT, SIGHUP].prefix(count) { run.process.signal(signal) }
      let left = run.processes.left(after: 10)
      #expect(left == [])
      MarkedProcesses.kill(left)
      let end = try await run.end()
      #expect(!end.output.isOutputHeldOpen)
      guard count < 3 else {
        // The third one ends the program wherever it is, unless it was through before.
        #expect(end.output.end != .exited(0))
        return
      }
      #expect(end.output.end == .exited(143) || end.output.end == .exited(130), "\(end)")
      #expect(try end.state.tests.map(\.result.verdict) == [.interrupted], "\(end)")
      // The second signal ends the packing, too.
      #expect(try end.bundles.count == (count == 1 ? 1 : 0))
      #expect(try await end.junit.statuses.count == 1)
    }

    /// At the limit a hundred processes are ended, most of them in sessions of their own or deaf to
    /// SIGTERM; the partial output is there, and the next test runs.
    @Test func aHundredProcessesEndWithTheirTest() async throws {
      let run = try await TeardownRun([
        "--filter", "testHangsWithAHundred|testZPasses", "--timeout", "20", "--grace", "0.2",
        "--batch", "auto", "--workers", "1",
      ])
      #expect(run.processes.all.count { $0.command.hasPrefix("sleep 160") } == 100)
      // At the limit, not before: the run goes on by itself.
      let end = try await run.end()
      let left = run.processes.left(after: 0)
      #expect(left == [])
      MarkedProcesses.kill(left)
      let test = try end.test("testHangsWithAHundred")
      #expect(test.result.verdict == .timedOut, "\(end)")
      #expect(contains(try end.log(test.decisive?.stdout), "the tree is "))
      #expect(try end.test("testZPasses").result.verdict == .passed)
      // Those in sessions of their own at least.
      #expect((test.decisive?.leaks.count ?? 0) >= 50)
      #expect(try await end.junit.miscounts == [])
    }

    /// A deaf child that writes without end is gone with its test, which ends at its limit.
    @Test func aChildThatWritesWithoutEndEndsWithItsTest() async throws {
      let limit = 2.0
      let run = try await TeardownRun([
        "--filter", "testHangsWithAWriter", "--timeout", "\(limit)", "--grace", "0.5",
      ])
      #expect(run.processes.all.contains { $0.command.contains("growing") })
      let end = try await run.end()
      #expect(run.processes.left(after: 0) == [])
      let test = try end.test("testHangsWithAWriter")
      #expect(test.result.verdict == .timedOut, "\(end)")
      let attempt = try #require(test.decisive)
      // A little more than the limit as a rule; the writer would go on for ever.
      #expect(attempt.duration >= limit && attempt.duration < 15)
      #expect(contains(try end.log(attempt.stdout), "growing\ngrowing\n"))
    }

    /// Also what a build has started is ended.
    @Test func nothingOutlivesACommandThatIsKilledInABuild() async throws {
      let package = try await FixturePackage.prepare("TwoSuites", isBuilt: false)
      let folder = try TemporaryFolder()
      let signs = folder.path(of: "signs")
      mkdir(signs, 0o755)
      let build = """
        #!/bin/sh
        [ "$1" = build ] || exit 0
        (setsid sleep 1801 &)
        list() { cat /proc/[0-9]*/cmdline 2>/dev/null | tr '\\0' ' '; }
        until list | grep -q "[s]leep 1801 "; do :; done
        : >"$CARREL_TEST_READY"
        exec sleep 1802
        """
      for name in ["swift", "swiftc", "clang"] {
        let path = folder.path(of: name)
        try Data(build.utf8).write(to: URL(filePath: path))
        chmod(path, 0o755)
      }
      var watch = try FileWatch(signs)
      let process = try ChildProcess(
        [Carrel.executable, "run", package.path, "--output", folder.path(of: "runs")],
        environment: Carrel.variables(adding: [
          "PATH": "\(folder.path):/usr/bin:/bin", "CARREL_TEST_READY": "\(signs)/ready",
        ]), timeout: 60)
      let isReady = watch.first(within: 30) { () -> Bool? in
        FileManager.default.fileExists(atPath: "\(signs)/ready") ? true : nil
      }
      #expect(isReady == true)
      let processes = try MarkedProcesses(of: "carrel-\(process.pid)-")
      #expect(processes.all.contains { $0.command == "sleep 1801" })
      process.signal(SIGKILL)
      let left = processes.left(after: 3)
      #expect(left == [])
      MarkedProcesses.kill(left)
      let output = try await process.output()
      #expect(output.end == .signaled(SIGKILL) && !output.isOutputHeldOpen)
    }

    /// A record of a run that was killed is enough to run again what had no result.
    @Test func aKilledRunCanBeRunAgain() async throws {
      let run = try await TeardownRun([
        "--filter", "TreeXCTests/test(HangsWithATree|ZPasses)", "--workers", "1", "--batch", "1",
      ])
      run.process.signal(SIGKILL)
      #expect(run.processes.left(after: 3) == [])
      let end = try await run.end()
      #expect(try end.test("testHangsWithATree").result.verdict == .lost)
      #expect(try end.test("testZPasses").result.verdict == .notRun)
      let again = try await Carrel.invoke(
        [
          "rerun", try end.record, end.package.path, "--skip-build", "--output",
          end.folder.path(of: "again"), "--timeout", "1", "--grace", "0",
        ])
      #expect(again.status == 1, "\(again.allText)")
      let record = try recordFolder(in: end.folder.path(of: "again"))
      let state = RunState(try readEvents("\(record)/events.jsonl"))
      #expect(state.tests.map(\.result.verdict) == [.timedOut, .passed])
    }
  }
}

/// Whether a process ends within so many seconds.
func isGone(_ pid: pid_t, command: String, within seconds: Double) -> Bool {
  var processes = MarkedProcesses()
  processes.all = [.init(pid: pid, command: command, scope: "")]
  return processes.left(after: seconds).isEmpty
}
