import CSystem
import FoundationEssentials
import Glibc
import RunModel
import TestSupport
import Testing
import Workers

extension EndToEnd {
  /// The level of isolation `sandbox`.
  @Suite(.enabled(if: Sandbox.problem() == nil, "no sandbox can be made here"))
  struct SandboxTests {
    private func run(_ options: String...) async throws -> CarrelRun {
      try await Carrel.run("Torture", ["--isolation", "sandbox"] + options)
    }

    /// Each test takes for itself what there is once on a machine.
    @Test func testsDoNotMeet() async throws {
      let run = try await run("--filter", "TortureXCTests", "--batch", "1", "--workers", "4")
      #expect(run.output.status == 0, "\(run)")
      #expect(try run.state.tests.count == 40)
      #expect(try run.state.tests.allSatisfy { $0.result.verdict == .passed })
      #expect(try run.state.header?.isolation == "sandbox")
      #expect(try run.state.header?.network == "loopback")
    }

    /// The same tests meet at the level below, so that they show something.
    @Test func testsMeetWithoutIt() async throws {
      let run = try await Carrel.run(
        "Torture", "--isolation", "processes", "--filter", "SharedMemory|MessageQueue", "--batch",
        "1", "--workers", "2")
      defer {
        shm_unlink("/carrel-torture")
        msgctl(msgget(0x4361_7272, 0), IPC_RMID, nil)
      }
      let failed = try run.state.tests.filter { $0.result.verdict == .failed }
      #expect(failed.count == 8, "\(run)")
    }

    @Test(arguments: ["loopback", "host", "none"])
    func whatATestSees(network: String) async throws {
      // Foundation's Process does not work without a loopback interface.
      let filter = network == "none" ? "testPrintsWhatItSees" : "testPrints"
      let run = try await run("--filter", filter, "--network", network)
      #expect(run.output.status == 0, "\(run)")
      let log = try run.log(try run.test("testPrintsWhatItSees").decisive?.stdout)
      let lines = String(decoding: log, as: UTF8.self).split(separator: "\n").map { String($0) }
      let seen = Dictionary(
        uniqueKeysWithValues: lines.compactMap { line in
          line.firstIndex(of: ":").map {
            (String(line[..<$0]), String(line[$0...].dropFirst(2)))
          }
        })
      #expect(seen["home"] == "/tmp/carrel/home" && seen["temporary"] == "/tmp/carrel/tmp/")
      #expect(seen["working"] == run.package.path)
      #expect(seen["processes"] == "2" && seen["read-only"] == "true")
      #expect((seen["interfaces"] == "lo") == (network != "host"))
      if network == "none" { return }
      let child = try run.log(try run.test("testPrintsHomeOfChild").decisive?.stdout)
      #expect(String(decoding: child, as: UTF8.self).contains(":/tmp/carrel/home:"))
    }

    /// A copy of a warm process has the same privileges, descriptors, variables and mounts as a
    /// process that was loaded in its sandbox.
    @Test(arguments: [0, 65534] as [uid_t], ["loopback", "host"])
    func copiesSeeTheSame(user: uid_t, network: String) async throws {
      // Only root can become somebody else.
      if geteuid() != 0 && user != 0 { return }
      let package = try await FixturePackage.prepare("Torture")
      let folder = try TemporaryFolder()
      #expect(chown(folder.path, user, user) == 0 || geteuid() != 0)
      let change =
        user == 0
        ? [] : ["/usr/bin/setpriv", "--reuid=\(user)", "--regid=\(user)", "--clear-groups"]
      var seen: [String: [String]] = [:]
      for start in ["cold", "warm"] {
        let output = try await runProcess(
          change + [
            Carrel.executable, "run", package.path, "--skip-build", "--isolation", "sandbox",
            "--output", folder.path(of: start), "--filter", "testPrintsItsSurroundings",
            "--network", network, "--batch", "1", "--start", start,
          ],
          environment: Carrel.variables(adding: [
            "HOME": folder.path(of: "home"), "XDG_CACHE_HOME": folder.path(of: "cache"),
            "CARREL_WORK_DIR": folder.path(of: "work"),
          ]))
        let run = CarrelRun(package: package, output: output, folder: folder)
        #expect(output.status == 0, "\(run)")
        let record = try recordFolder(in: folder.path(of: start))
        let events = try readEvents("\(record)/events.jsonl")
        let starts = events.compactMap { event in
          if case .batchStarted(let batch) = event.kind { batch.start?.rawValue } else { nil }
        }
        #expect(starts == [start], "\(run)")
        let attempt = try #require(RunState(events).tests.first?.decisive)
        let log = try readSmallFile("\(record)/\(try #require(attempt.stdout).path)")
        seen[start] = String(decoding: log, as: UTF8.self).split(separator: "\n").map {
          String($0)
        }
      }
      #expect(seen["cold"] == seen["warm"])
      #expect(seen["cold"]?.contains("CapPrm: 0000000000000000") == (user != 0))
      #expect((seen["cold"]?.count ?? 0) > 40)
    }

    /// What no namespace keeps apart cannot be had, in copies neither.
    @Test(arguments: ["cold", "warm"]) func someCallsAreForbidden(start: String) async throws {
      let run = try await run(
        "--filter", "testPrintsWhatIsForbidden", "--batch", "1", "--start", start)
      #expect(run.output.status == 0, "\(run)")
      let log = try run.log(try run.test("testPrintsWhatIsForbidden").decisive?.stdout)
      #expect(String(decoding: log, as: UTF8.self) == "users: true, hypervisor: true\n", "\(run)")
    }

    /// A failed write outside the container is explained, and can be allowed.
    @Test func writesOutsideAreExplained() async throws {
      let package = try await FixturePackage.prepare("Torture")
      let folder = "\(package.path)/Tests/OutsideTests"
      let snapshots = ["snapshot.txt", "snapshot2.txt"].map { "\(folder)/\($0)" }
      let refused = try await run("--filter", "ritesSnapshot|testWritesNowhere")
      #expect(refused.output.status == 1, "\(refused)")
      for name in ["testWritesSnapshot", "writesSnapshot()"] {
        let attempt = try #require(try refused.test(name).decisive)
        #expect(attempt.verdict == .failed)
        let note = try #require(attempt.issues.last { $0.severity == .warning }, "\(refused)")
        #expect(note.message.hasPrefix("the test could not write to '\(folder)/"))
        #expect(note.message.contains("allow it with --writable '\(folder)', or with --scratch "))
        #expect(note.message.contains("--scratch '\(folder)' when what it writes may end"))
      }
      let passed = try #require(try refused.test("testWritesNowhereAndPasses").decisive)
      #expect(passed.verdict == .passed && passed.issues.isEmpty)
      #expect(snapshots.allSatisfy { access($0, F_OK) != 0 })

      defer { for path in snapshots { unlink(path) } }
      let allowed = try await run("--filter", "ritesSnapshot", "--writable", folder)
      #expect(allowed.output.status == 0, "\(allowed)")
      #expect(snapshots.allSatisfy { access($0, F_OK) == 0 })
    }

    /// A fixture that lies in a folder which each sandbox has for itself.
    @Test func whatIsNotSeenIsExplained() async throws {
      let folder = try TemporaryFolder(in: "/var/tmp")
      try Data("text".utf8).write(to: URL(filePath: folder.path(of: "a.txt")))
      func run(_ options: String...) async throws -> CarrelRun {
        try await Carrel.run(
          "Torture",
          ["--filter", "testReadsWhatIsNotSeen", "--pass-env", "CARREL_TEST_UNSEEN"] + options,
          environment: ["CARREL_TEST_UNSEEN": folder.path])
      }
      let lost = try await run("--isolation", "sandbox")
      let attempt = try #require(try lost.test("testReadsWhatIsNotSeen").decisive)
      #expect(attempt.verdict == .failed)
      let notes = attempt.issues.filter { $0.severity == .warning }.map(\.message)
      #expect(
        notes == [
          "the test did not find '\(folder.path)', because each sandbox has a /var/tmp of its own; "
            + "show it with --scratch '\(folder.path)', or with --writable '\(folder.path)' when "
            + "what tests write there shall stay"
        ], "\(lost)")
      // Beside the test and in the summary.
      #expect(
        lost.output.text.components(separatedBy: "because each sandbox has").count == 3, "\(lost)")
      #expect(try await run("--writable", folder.path).output.status == 0)
    }

    /// Tests see the folder's files and write to it; it stays as it is, also in a reproduction.
    @Test func scratchFoldersStayAsTheyAre() async throws {
      let package = try await FixturePackage.prepare("Torture")
      let folder = "\(package.path)/Tests/OutsideTests"
      let before = try sources(below: folder)
      let run = try await run(
        "--filter", "ritesSnapshot|testFailsInScratch", "--batch", "1", "--scratch", folder)
      #expect(run.output.status == 1, "\(run)")
      for name in ["testWritesSnapshot", "writesSnapshot()"] {
        #expect(try run.test(name).result.verdict == .passed, "\(run)")
      }
      #expect(try run.state.header?.scratch == [folder])
      #expect(try sources(below: folder) == before)
      let test = try run.test("testFailsInScratch")
      #expect(test.result.verdict == .failed)
      let output = String(decoding: try run.log(test.decisive?.stdout), as: UTF8.self)
      #expect(output.hasPrefix("sees itself: true, a snapshot: false\n"), "\(run)")

      let runs = run.folder.path(of: "repro")
      let repro = try await Carrel.invoke(
        ["repro", try run.bundle(test), package.path, "--skip-build", "--output", runs])
      #expect(repro.status == 0 && repro.text.contains("REPRODUCED"), "\(repro.allText)")
      let state = RunState(try readEvents("\(try recordFolder(in: runs))/events.jsonl"))
      #expect(state.header?.scratch == [folder])
      #expect(try sources(below: folder) == before)
    }

    /// Where no overlay can be mounted the run says so and runs nothing.
    @Test(.enabled(if: geteuid() == 0, "mounting needs root"))
    func scratchThatDoesNotWorkIsAnError() async throws {
      // A file system that cannot be the upper layer.
      let folder = try TemporaryFolder()
      let (work, parts) = (folder.path(of: "work"), folder.path(of: "parts"))
      for name in ["lower", "upper", "layers"] {
        mkdir(parts, 0o755)
        mkdir("\(parts)/\(name)", 0o755)
      }
      mkdir(work, 0o755)
      let options = "lowerdir=\(parts)/lower,upperdir=\(parts)/upper,workdir=\(parts)/layers"
      #expect(mount("overlay", work, "overlay", 0, options) == 0)
      defer { umount2(work, Int32(MNT_DETACH)) }
      let package = try await FixturePackage.prepare("Torture")
      let run = try await Carrel.run(
        "Torture", "--isolation", "sandbox", "--filter", "ritesSnapshot", "--scratch",
        "\(package.path)/Tests", environment: ["CARREL_WORK_DIR": work])
      #expect(run.output.status == 6, "\(run)")
      #expect(run.output.allText.contains("an overlay cannot be mounted"), "\(run)")
      #expect(run.output.allText.contains("set CARREL_WORK_DIR to a folder of"), "\(run)")
      let doctor = try await Carrel.invoke(["doctor"], environment: ["CARREL_WORK_DIR": work])
      #expect(doctor.text.contains("by copy, also in a sandbox"), "\(doctor.allText)")
    }

    /// What left session, environment and parent is found all the same.
    @Test func daemonsAreNamedAndEnded() async throws {
      let run = try await run("--filter", "testLeavesADaemon")
      #expect(run.output.status == 1, "\(run)")
      let attempt = try #require(try run.test("testLeavesADaemon").decisive)
      #expect(attempt.verdict == .leaked && attempt.leaks.map(\.command) == ["/bin/sleep 299"])
      let leak = try #require(attempt.leaks.first)
      #expect(kill(leak.pid, 0) != 0)
    }

    /// An ordinary user, a folder with spaces and other letters, and a path of 150 bytes.
    @Test(.enabled(if: geteuid() == 0, "only root can become somebody else"))
    func ordinaryUserInALongPath() async throws {
      let folder = try TemporaryFolder(name: "ä b " + String(repeating: "l", count: 125))
      #expect(folder.path.utf8.count >= 150)
      let package = try await FixturePackage.prepare("Torture")
      let nobody: uid_t = 65534
      for path in [folder.path, String(folder.path.prefix { $0 != " " }.dropLast(2))] {
        #expect(chown(path, nobody, nobody) == 0)
      }
      let output = try await runProcess(
        [
          "/usr/bin/setpriv", "--reuid=\(nobody)", "--regid=\(nobody)", "--clear-groups",
          Carrel.executable, "run", package.path, "--skip-build", "--isolation", "sandbox",
          "--output", folder.path(of: "runs"), "--filter", "Prints|Sockets|testPort",
        ],
        environment: Carrel.variables(adding: [
          "HOME": folder.path(of: "home"), "XDG_CACHE_HOME": folder.path(of: "cache"),
          "CARREL_WORK_DIR": folder.path(of: "work"),
        ]))
      let run = CarrelRun(package: package, output: output, folder: folder)
      #expect(output.status == 0, "\(run)")
      #expect(try run.state.header?.isolation == "sandbox")
      let child = try run.log(try run.test("testPrintsHomeOfChild").decisive?.stdout)
      #expect(String(decoding: child, as: UTF8.self).contains(":/tmp/carrel/home:"))
    }

    /// Apps are in the sandbox of their test: they see its files and its socket.
    @Test func appsAnswerInTheSandbox() async throws {
      let folder = try TemporaryFolder()
      let path = folder.path(of: "carrel.json")
      let text = """
        {"format": "1.0", "isolation": {"level": "sandbox"}, "intents": {"seed": {
          "bundle": "com.example.TestApp", "intent": "CreateNote", "parameters": {"title": "S"}}}}
        """
      try text.write(to: URL(filePath: path), atomically: true, encoding: .utf8)
      let run = try await Carrel.run(
        "Intents", "--filter", "testPrivate|testScreen|ErrorTests", "--workers", "2", "--config",
        path)
      #expect(run.output.status == 0, "\(run)")
      #expect(try run.state.header?.isolation == "sandbox")
      #expect(try run.state.tests.count > 4)
      #expect(try run.state.tests.allSatisfy { $0.result.verdict == .passed })
    }

    /// What failed in a sandbox is reproduced in one.
    @Test func failuresAreReproducedInASandbox() async throws {
      let failed = try await run("--filter", "testWritesSnapshot")
      let bundle = try failed.bundle(try failed.test("testWritesSnapshot"))
      let folder = failed.folder.path(of: "repro")
      let repro = try await Carrel.invoke(
        ["repro", bundle, failed.package.path, "--skip-build", "--output", folder])
      #expect(repro.status == 0 && repro.text.contains("REPRODUCED"), "\(repro.allText)")
      let state = RunState(try readEvents("\(try recordFolder(in: folder))/events.jsonl"))
      #expect(state.header?.isolation == "sandbox")
    }

    /// Limits hold, and what they do is named.
    @Test(arguments: [
      ("--file-limit", "100", "test5", Verdict.failed), ("--cpus", "1", "test8", .passed),
      ("--disk-limit", "8MiB", "test6", .crashed),
    ])
    func limitsHold(option: String, value: String, test: String, verdict: Verdict) async throws {
      let run = try await Carrel.run(
        "Outcomes", "--isolation", "sandbox", option, value, "--filter", "LimitXCTests/\(test)",
        "--company-check", "off", "--pass-env", "CARREL_TEST_*")
      let result = try #require(try run.state.tests.first?.result)
      #expect(try run.state.tests.count == 1 && result.verdict == verdict, "\(run)")
      if verdict == .crashed {
        let reason = try run.state.tests.first?.decisive?.reason
        #expect(reason?.contains("the disk limit of 8 MiB") == true, "\(run)")
      }
    }

    @Test func doctorTriesASandbox() async throws {
      let output = try await Carrel.invoke(["doctor", "--format", "json"])
      #expect(output.status == 0, "\(output.allText)")
      struct Finding: Decodable {
        var name: String
        var status: String
      }
      let findings = try JSONDecoder().decode([Finding].self, from: Data(output.text.utf8))
      #expect(findings.first { $0.name == "sandbox" }?.status == "ok")
      let lost = try await Carrel.invoke(["doctor"], environment: ["PATH": "/nowhere"])
      #expect(lost.status == 6 && lost.text.hasPrefix("FAILURE  toolchain"), "\(lost.allText)")
    }

    /// Killed without warning: the first process of each sandbox ends, and with it all others.
    @Test func nothingOutlivesCarrel() async throws {
      let run = try await HangingRun.start("--isolation", "sandbox")
      let process = run.process
      // Its record goes away with it.
      defer { withExtendedLifetime(run) {} }
      // Each sandbox has its first process and a test's.
      let descendants = descendants(of: process.pid)
      #expect(descendants.count >= 4)
      let descriptors = descendants.map { carrel_pidfd_open($0) }
      process.signal(SIGKILL)
      let output = try await process.output()
      #expect(output.end == .signaled(SIGKILL) && !output.isOutputHeldOpen)
      #expect(descriptors.allSatisfy { $0 >= 0 })
      for descriptor in descriptors where descriptor >= 0 {
        var ended = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        #expect(poll(&ended, 1, 3000) == 1)
        close(descriptor)
      }
    }

    private func descendants(of process: Int32) -> [Int32] {
      ProcessTable.children(of: process).flatMap { [$0] + descendants(of: $0) }
    }
  }
}
