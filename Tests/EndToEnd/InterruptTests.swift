import FoundationEssentials
import Glibc
import RunModel
import TestSupport
import Testing

extension EndToEnd {
  /// The command is told to end, or is killed, while tests run.
  @Suite struct InterruptTests {
    @Test(arguments: [
      (SIGINT, Int32(130), "SIGINT"), (SIGTERM, 143, "SIGTERM"), (SIGHUP, 129, "SIGHUP"),
      (SIGQUIT, 131, "SIGQUIT"),
    ])
    func signalEndsTheRunOrderly(signal: Int32, status: Int32, name: String) async throws {
      let run = try await runUntilTwoHang { $0.signal(signal) }
      #expect(run.output.status == status, "\(run)")
      #expect(run.output.duration < 30 && !run.output.isOutputHeldOpen)
      let again = signal == SIGINT ? "Ctrl-C again" : "another signal"
      let line = "carrel: \(name): ending what runs; \(again) stops it at once\n"
      #expect(run.output.errorText.contains(line), "\(run)")
      let state = try run.state
      try checkVerdicts(run, running: .interrupted)
      #expect(state.finish?.interruptedBy == name)
      #expect(state.finish?.exitCode == status)
      for test in state.tests where test.result.verdict == .interrupted {
        #expect(test.attempts.count == 1 && test.bundles.count == 1)
        #expect((test.attempts.first?.duration ?? 0) > 0)
      }
      let report = try await run.junit
      #expect(report.statuses.count == 8)
      #expect(report.miscounts == [])
      #expect(try processes(named: "OutcomesPackageTests.xctest", below: run) == [])
    }

    /// Killed without warning: the log tells what was running, and no test process lives on.
    @Test func killedCommandLeavesNothingBehind() async throws {
      let run = try await runUntilTwoHang { $0.signal(SIGKILL) }
      #expect(run.output.end == .signaled(SIGKILL))
      let state = try run.state
      #expect(state.finish == nil)
      try checkVerdicts(run, running: .lost)
      // Its outputs were inherited by nobody, or by processes that are gone too.
      #expect(!run.output.isOutputHeldOpen)
      #expect(try processes(named: "OutcomesPackageTests.xctest", below: run) == [])
    }

    /// Selecting tests may take longer than anybody lives.
    @Test func aSignalEndsTheSelection() async throws {
      let package = try await FixturePackage.prepare("ManySmall")
      let folder = try TemporaryFolder()
      let runs = folder.path(of: "runs")
      mkdir(runs, 0o755)
      var watch = try FileWatch(runs)
      let process = try ChildProcess(
        [
          Carrel.executable, "run", package.path, "--skip-build", "--output", runs, "--filter",
          "(.+.+.+)+!",
        ], environment: Carrel.variables(adding: [:]), timeout: 90)
      // Written right before.
      let isSelecting = watch.first(within: 60) { () -> Bool? in
        guard let record = try? recordFolder(in: runs) else { return nil }
        return FileManager.default.fileExists(atPath: "\(record)/run.json") ? true : nil
      }
      #expect(isSelecting == true)
      process.signal(SIGINT)
      let output = try await process.output()
      #expect(output.status == 130 && !output.didTimeOut, "\(output.allText)")
      #expect(output.end == .exited(130))
      let state = RunState(try readEvents("\(try recordFolder(in: runs))/events.jsonl"))
      #expect(state.finish?.interruptedBy == "SIGINT" && state.tests.isEmpty)
    }

    /// The report goes to somebody who does not read it.
    @Test func aSecondSignalEndsTheProgramOutsideOfTheLoop() async throws {
      let run = try await BlockedReport()
      let process = run.process
      // Its pipe stays open.
      defer { withExtendedLifetime(run) {} }
      // Two of different kinds, because two of a kind may become one before they are seen.
      process.signal(SIGINT)
      process.signal(SIGTERM)
      let output = try await process.output()
      #expect(
        output.end == .signaled(SIGTERM) || output.end == .signaled(SIGINT), "\(output.end)")
    }

    /// As nohup(1) and shells do it for what runs in the background.
    @Test(arguments: ["HUP", "TSTP", "INT"])
    func anIgnoredSignalStaysIgnored(name: String) async throws {
      let package = try await FixturePackage.prepare("ManySmall")
      let folder = try TemporaryFolder()
      let output = try await runProcess(
        [
          "/bin/sh", "-c", #"trap '' $0; "$@" & kill -s $0 $!; wait $!"#, name, Carrel.executable,
          "run", package.path, "--skip-build", "--output", folder.path(of: "runs"), "--filter",
          "Small1XCTests/test000",
        ], environment: Carrel.variables(adding: [:]), timeout: 90)
      #expect(output.status == 0, "\(output.allText)")
    }

    /// One has passed, two were running, the others were waiting behind them.
    private func checkVerdicts(_ run: CarrelRun, running: Verdict) throws {
      let state = try run.state
      #expect(state.tests.count == 8)
      #expect(try run.test("test1Passes").result.verdict == .passed, "\(run)")
      #expect(try run.test("test2PrintsAndHangs").result.verdict == running, "\(run)")
      #expect(try run.test("test3Passes").result.verdict == .notRun, "\(run)")
      let others = state.tests.filter { $0.id.library == .testing }
      #expect(others.count { $0.result.verdict == running } == 1, "\(run)")
      for test in others where test.result.verdict != running {
        let mayPass = test.id.function.hasPrefix("quick")
        let verdict = test.result.verdict
        #expect(verdict == .notRun || (mayPass && verdict == .passed), "\(test.id)")
      }
    }

    /// Runs two batches, one for each library, and acts on the command when the log says that a
    /// test hangs in both.
    private func runUntilTwoHang(
      _ action: (ChildProcess) -> Void
    ) async throws -> CarrelRun {
      let run = try await HangingRun.start("--timeout", "100")
      action(run.process)
      return CarrelRun(
        package: run.package, output: try await run.process.output(), folder: run.folder)
    }

    /// Processes of an executable that belong to the run's folder by their environment.
    private func processes(named name: String, below run: CarrelRun) throws -> [String] {
      let names = try FileManager.default.contentsOfDirectory(atPath: "/proc")
      return names.compactMap { pid_t($0) }.filter { process in
        guard isSameProcess(process, command: name),
          let variables = try? readSmallFile("/proc/\(process)/environ")
        else { return false }
        return contains(variables, run.folder.path)
      }.map { "\($0)" }
    }
  }
}
