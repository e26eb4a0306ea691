import FoundationEssentials
import Glibc
import RunModel
import TestSupport
import Testing

extension EndToEnd {
  /// Runs in which it matters which tests have ended, run or wait at a moment.
  @Suite struct OrderedEndTests {
    /// Three have passed, two run, five wait.
    @Test func terminationKeepsWhatIsKnown() async throws {
      let run = try await TeardownRun(["--filter", "TenXCTests", "--workers", "2", "--batch", "1"])
      let began = now()
      run.process.signal(SIGTERM)
      let end = try await run.end()
      // Who sent it would send SIGKILL after ten seconds.
      #expect(now() - began < 10)
      #expect(end.output.end == .exited(143), "\(end)")
      let tests = try end.state.tests
      let verdicts = tests.map(\.result.verdict)
      #expect(verdicts.count { $0 == .passed } == 3, "\(end)")
      #expect(verdicts.count { $0 == .notRun } == 5)
      let running = tests.filter { $0.result.verdict == .interrupted }
      #expect(running.count == 2)
      for test in running {
        let attempt = try #require(test.decisive)
        #expect(attempt.duration > 0)
        #expect(contains(try end.log(attempt.stdout), "partial output of number "))
        #expect(test.bundles.count == 1)
      }
      let report = try await end.junit
      #expect(report.statuses.count == 10 && report.miscounts == [])
      #expect(report.statuses.values.count { $0.kind == "passed" } == 3)
      #expect(run.processes.left(after: 0) == [])
    }

    /// The reader of both streams is stopped while more is written than the pipes take.
    @Test func aStoppedReaderLosesNothing() async throws {
      let run = try await TeardownRun(["--filter", "WritingXCTests", "--timeout", "60"])
      var watch = try FileWatch(run.folder.path(of: "signs"))
      run.process.signal(SIGSTOP)
      try #require(run.process.waitForStop())
      try run.openGate()
      let done = "\(run.folder.path(of: "signs"))/ready.done"
      let isDone = watch.first(within: 5) {
        FileManager.default.fileExists(atPath: done) ? true : nil
      }
      #expect(isDone == nil)
      run.process.signal(SIGCONT)
      let end = try await run.end()
      #expect(end.output.status == 0, "\(end)")
      let attempt = try #require(try end.test("testWritesMuch").decisive)
      #expect(try end.log(attempt.stdout).count { $0 == UInt8(ascii: "e") } >= 300 << 10)
      #expect(try end.log(attempt.stderr).count { $0 == UInt8(ascii: "e") } >= 300 << 10)
    }

    /// A worker's process is killed in the middle of a test, another one a little later, then two
    /// at the same moment.
    @Test(arguments: ["auto", "1"]) func killedWorkersAreReplaced(batch: String) async throws {
      let package = try await FixturePackage.prepare("Teardown")
      let folder = try TemporaryFolder()
      let output = try await Carrel.invoke(
        [
          "run", package.path, "--skip-build", "--output", folder.path(of: "runs"), "--filter",
          "ManyXCTests", "--workers", "4", "--batch", batch, "--company-check", "off",
          "--pass-env", "CARREL_TEST_READY", "--writable", folder.path,
        ], environment: ["CARREL_TEST_READY": folder.path(of: "ready")])
      let run = CarrelRun(package: package, output: output, folder: folder)
      #expect(output.status == 1, "\(run)")
      let tests = try run.state.tests
      #expect(tests.count == 200 && tests.allSatisfy { $0.logged != nil })
      let crashed = tests.filter { $0.result.verdict == .crashed }
      #expect(crashed.count == 4, "\(run)")
      for test in crashed {
        #expect(test.decisive?.end == .signaled(SIGKILL))
        #expect(test.decisive?.headline?.contains("SIGKILL") == true)
      }
      #expect(tests.count { $0.result.verdict == .passed } == 196)
      let finished = try run.events.count {
        if case .testFinished = $0.kind { true } else { false }
      }
      #expect(finished == 200)
      #expect(try await run.junit.statuses.values.count { $0.kind == "error" } == 4)
    }
  }
}
