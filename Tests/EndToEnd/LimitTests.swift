import Glibc
import RunModel
import TestSupport
import Testing

extension EndToEnd {
  /// Tests that take more than they may, in processes that are loaded anew and in copies.
  @Suite struct LimitTests {
    private static let starts = ["cold", "warm"]

    private func run(
      _ filter: String, start: String, _ options: String...
    ) async throws -> CarrelRun {
      try await Carrel.run(
        "Outcomes",
        [
          "--filter", "LimitXCTests/(test[19]|\(filter))", "--start", start, "--batch", "1",
          "--company-check", "off", "--workers", "2",
        ] + options)
    }

    /// The neighbours of a test that was ended are not harmed.
    private func expectNeighboursPassed(_ run: CarrelRun) throws {
      #expect(run.output.status == 1, "\(run)")
      for name in ["LimitXCTests/test1Passes", "LimitXCTests/test9Passes"] {
        #expect(try run.test(name).result.verdict == .passed, "\(run)")
      }
    }

    /// The kill is named, because the kernel counted it; a child's is said beside the failure.
    @Test(
      .enabled(if: canMakeControlGroups, "no control groups can be made here"), arguments: starts)
    func memory(start: String) async throws {
      let run = try await run(
        "test[23]", start: start, "--memory-limit", "256MiB", "--process-limit", "500")
      try expectNeighboursPassed(run)
      let killed = try #require(try run.test("test2TakesMemory").decisive)
      #expect(killed.verdict == .crashed && killed.end == .signaled(SIGKILL))
      #expect(killed.reason == "killed: the memory limit of 256 MiB was exceeded (cgroup)")
      #expect(run.output.text.contains("killed: the memory limit of 256 MiB was exceeded"))
      let child = try #require(try run.test("test3ChildTakesMemory").decisive)
      #expect(child.verdict == .failed)
      let reason =
        "the kernel killed a process of the batch for the memory limit of 256 MiB (cgroup)"
      #expect(child.reason == reason)
      #expect(run.output.text.contains(reason))
      let limits = try #require(try run.state.header?.limits)
      #expect(limits.mechanism.hasPrefix("cgroup v") && limits.notes == [])
      #expect(limits.limits == ResourceLimits(memory: 256 << 20, processes: 500))
    }

    /// In a batch only the test that ran is blamed, and those after it run in a fresh process.
    @Test(.enabled(if: canMakeControlGroups, "no control groups can be made here"))
    func memoryInCompany() async throws {
      let run = try await Carrel.run(
        "Outcomes", "--filter", "LimitXCTests/test[129]", "--memory-limit", "256MiB", "--workers",
        "1", "--batch", "auto")
      try expectNeighboursPassed(run)
      #expect(try run.test("test2TakesMemory").decisive?.reason?.contains("(cgroup)") == true)
    }

    @Test(
      .enabled(if: canMakeControlGroups, "no control groups can be made here"), arguments: starts)
    func processes(start: String) async throws {
      let run = try await run("test4", start: start, "--process-limit", "40")
      try expectNeighboursPassed(run)
      let attempt = try #require(try run.test("test4StartsProcesses").decisive)
      #expect(attempt.verdict == .failed)
      #expect(
        attempt.reason?.contains(
          "the kernel refused a process or thread of the batch for the limit of 40 (cgroup)")
          == true, "\(run)")
      #expect(!contains(try run.log(attempt.stderr), "started 200"))
      #expect(attempt.leaks.count < 40)
    }

    /// So few that not even the process that runs the tests can have its threads: it would wait for
    /// them for ever.
    @Test(
      .enabled(if: canMakeControlGroups, "no control groups can be made here"), arguments: starts,
      [1, 3])
    func fewerProcessesThanThreads(start: String, limit: Int) async throws {
      let run = try await Carrel.run(
        "Outcomes", "--filter", "BasicXCTests/testPasses$|BasicTests/passes", "--start", start,
        "--process-limit", "\(limit)", "--grace", "0.1", "--company-check", "off")
      #expect(run.output.status == 1, "\(run)")
      #expect(run.output.duration < 60)
      let reason =
        "killed: the process limit of \(limit) is less than the threads that the test's process "
        + "needs by itself (cgroup)"
      for test in try run.state.tests {
        #expect(test.result.verdict == .crashed, "\(run)")
        #expect(test.decisive?.reason == reason)
      }
      #expect(try run.state.tests.count == 2)
    }

    @Test(arguments: starts) func files(start: String) async throws {
      let run = try await run("test5", start: start, "--file-limit", "100")
      try expectNeighboursPassed(run)
      let attempt = try #require(try run.test("test5OpensFiles").decisive)
      let log = String(decoding: try run.log(attempt.stdout), as: UTF8.self)
      let count = try #require(log.firstMatch(of: #/opened ([0-9]+) files/#).flatMap { Int($0.1) })
      #expect((50..<100).contains(count), "\(run)")
    }

    /// One file that is too large, and many that are too much together.
    @Test(arguments: starts) func disk(start: String) async throws {
      let run = try await run("test[67]", start: start, "--disk-limit", "8MiB")
      try expectNeighboursPassed(run)
      let large = try #require(try run.test("test6WritesALargeFile").decisive)
      #expect(large.verdict == .crashed && large.end == .signaled(SIGXFSZ))
      #expect(large.reason == "killed: the disk limit of 8 MiB for a file was exceeded (SIGXFSZ)")
      let many = try #require(try run.test("test7WritesManyFiles").decisive)
      #expect(many.verdict == .crashed)
      #expect(
        many.reason?.hasPrefix("killed: the disk limit of 8 MiB was exceeded: the files in")
          == true,
        "\(run)")
    }

    @Test(arguments: starts) func processors(start: String) async throws {
      let run = try await run("test8", start: start, "--cpus", "1")
      #expect(run.output.status == 0, "\(run)")
      let log = try run.log(try run.test("test8CountsProcessors").decisive?.stdout)
      #expect(contains(log, "1 processors"))
    }

    /// An ordinary user without control groups: resource limits, and a warning that says so.
    @Test(.enabled(if: geteuid() == 0, "only root can become somebody else"))
    func ordinaryUser() async throws {
      let package = try await FixturePackage.prepare("Outcomes")
      let folder = try TemporaryFolder()
      let nobody: uid_t = 65534
      chown(folder.path, nobody, nobody)
      let output = try await runProcess(
        [
          "setpriv", "--reuid=\(nobody)", "--regid=\(nobody)", "--clear-groups",
          Carrel.executable, "run", package.path, "--skip-build", "--output",
          folder.path(of: "runs"), "--filter", "LimitXCTests/test[129]", "--workers", "1",
          "--memory-limit", "256MiB", "--process-limit", "200", "--company-check", "off",
        ], environment: Carrel.variables(adding: ["HOME": folder.path(of: "home")]))
      let run = CarrelRun(package: package, output: output, folder: folder)
      try expectNeighboursPassed(run)
      let attempt = try #require(try run.test("test2TakesMemory").decisive)
      #expect(attempt.verdict == .failed)
      #expect(contains(try run.log(attempt.stdout), "no more memory after 2"))
      // Nothing is claimed that nobody has counted.
      #expect(attempt.reason == nil)
      #expect(try run.state.header?.limits?.mechanism == "rlimits")
      let problem = try #require(
        try run.state.problems.first { $0.code.rawValue == "limits-weakened" })
      #expect(problem.message.contains("RLIMIT_DATA") && problem.message.contains("RLIMIT_NPROC"))
    }

    /// A test that says nothing is ended; one that is slow and goes on talking is not.
    @Test func silence() async throws {
      let run = try await Carrel.run(
        "Outcomes", "--filter", "SilenceXCTests", "--silence-limit", "2", "--batch", "1",
        "--company-check", "off")
      #expect(run.output.status == 1, "\(run)")
      let silent = try #require(try run.test("test1SaysNothing").decisive)
      #expect(silent.verdict == .timedOut && silent.reason == "no output for 2 s")
      #expect(try run.test("test2GoesOnTalking").result.verdict == .passed)
      let text = try await run.hangSnapshot(run.test("test1SaysNothing"))
      #expect(text.contains("that is all"))
    }

    /// An app that hangs is in the snapshot of the test that waits for it.
    @Test func appIsInTheSnapshot() async throws {
      let run = try await Carrel.run(
        "Intents", "--filter", "MisbehavingTests/testHangs", "--pass-env", "CARREL_TEST_*",
        "--silence-limit", "2", "--company-check", "off",
        environment: ["CARREL_TEST_CASE": "testHangs"])
      let attempt = try #require(try run.test("testHangs").decisive)
      #expect(attempt.verdict == .timedOut, "\(run)")
      #expect(attempt.reason?.hasPrefix("no output for 2 s; Hang of ") == true, "\(run)")
      let text = try await run.hangSnapshot(run.test("testHangs"))
      #expect(text.contains("  (app com.example.TestApp)\n"), "\(text)")
      #expect(text.contains("  (the test's process)\n"))
    }

    /// The limits of a run are those of its reproduction, unless others are given there.
    @Test func limitsAreReproduced() async throws {
      let run = try await run("test5", start: "cold", "--file-limit", "100")
      let bundle = try run.bundle(run.test("test5OpensFiles"))
      let folder = try TemporaryFolder()
      func reproduce(_ options: String...) async throws -> ProcessOutput {
        try await Carrel.invoke(
          [
            "repro", bundle, run.package.path, "--skip-build", "--output", folder.path(of: "runs"),
          ] + options)
      }
      let same = try await reproduce()
      #expect(same.status == 0 && same.text.contains("REPRODUCED"), "\(same.allText)")
      let other = try await reproduce("--file-limit", "none")
      #expect(other.status == 10, "\(other.allText)")
    }
  }
}

extension CarrelRun {
  /// The snapshot in the bundle of a test that hung.
  func hangSnapshot(_ test: RunState.Test) async throws -> String {
    let target = folder.path(of: "extracted-\(test.id.description.utf8.count)")
    let output = try await Carrel.invoke(["bundle", "extract", try bundle(test), target])
    guard output.status == 0 else { throw FixtureProblem("\(output.allText)") }
    return String(decoding: try readFile(target + "/hang.txt"), as: UTF8.self)
  }
}
