import FoundationEssentials
import Glibc
import RunModel
import TestSupport
import Testing

extension EndToEnd {
  /// Processes that are copies of a warm one: nothing is different but the time they take. The
  /// table of outcomes is held to them in `VerdictTests`.
  @Suite struct WarmStartTests {
    private static let warm = ["--start", "warm", "--batch", "1"]

    /// How many batches were started in which way.
    private func starts(_ run: CarrelRun) throws -> [ProcessStart: Int] {
      var counts: [ProcessStart: Int] = [:]
      for event in try run.events {
        if case .batchStarted(let batch) = event.kind, let start = batch.start {
          counts[start, default: 0] += 1
        }
      }
      return counts
    }

    private func declined(_ run: CarrelRun) throws -> [RunProblem] {
      try run.state.problems.filter { $0.code == .warmStartDeclined }
    }

    /// What a test sees of its surroundings is what it sees after a cold start.
    @Test func surroundingsAreTheSame() async throws {
      var seen: [[String: [String: String]]] = []
      for start in ["cold", "warm"] {
        let run = try await Carrel.run(
          "Outcomes", "--filter", "rintsHomes|testPrintsEnvironment", "--batch", "1", "--workers",
          "1", "--start", start, "--pass-env", "NAMED_ONE", environment: ["NAMED_ONE": "a b=c"])
        #expect(run.output.status == 0, "\(run)")
        #expect(try starts(run) == [start == "cold" ? .cold : .warm: 3])
        var answers: [String: [String: String]] = [:]
        for test in try run.state.tests {
          let lines = try run.log(test.decisive?.stdout).split(separator: UInt8(ascii: "\n"))
          let line = try #require(lines.first { $0.first == UInt8(ascii: "{") })
          var answer = try JSONDecoder().decode([String: String].self, from: Data(line))
          // They differ from run to run.
          let home = answer["HOME"] ?? ""
          let root = home.split(separator: "/").dropLast(2).joined(separator: "/")
          #expect(!root.isEmpty)
          for (name, value) in answer {
            answer[name] = value.replacing("/\(root)/", with: "/ROOT/")
          }
          for name in ["CARREL_RUN_ID", "CARREL_SCOPE"] where answer[name] != nil {
            answer[name] = "\(answer[name]?.isEmpty == false)"
          }
          answers[test.id.name] = answer
        }
        seen.append(answers)
      }
      #expect(seen[0].count == 3)
      #expect(seen[0] == seen[1])
    }

    /// What one test leaves in its process is not there for the next one.
    @Test func copiesShareNothing() async throws {
      let run = try await Carrel.run(
        "Outcomes",
        ["--filter", "OrderXCTests/test[123]|testOwnPreferences", "--workers", "1"] + Self.warm)
      #expect(try run.test("test1LeavesMark").result.verdict == .passed, "\(run)")
      #expect(try run.test("test2FailsAfterMark").result.verdict == .passed)
      #expect(try run.test("test3FailsWithoutMark").result.verdict == .failed)
      #expect(try run.test("testOwnPreferences").result.verdict == .passed)
    }

    @Test func hangsAreEnded() async throws {
      let run = try await Carrel.run(
        "Outcomes",
        ["--filter", "HangXCTests|HangTests/", "--timeout", "3", "--grace", "1", "--workers", "2"]
          + Self.warm)
      for name in ["test2PrintsAndHangs", "blocks()", "neverResumed()", "swallowsCancellation()"] {
        #expect(try run.test(name).result.verdict == .timedOut, "\(name) \(run)")
      }
      let stuck = try run.test("test2PrintsAndHangs")
      #expect(contains(try run.log(stuck.decisive?.stdout), "the last words, not flushed"))
      #expect(try run.test("test3Passes").result.verdict == .passed)
      #expect(try run.test("quickToo()").result.verdict == .passed)
      #expect(try starts(run)[.cold] == nil)
    }

    @Test func leaksAreNamed() async throws {
      let run = try await Carrel.run(
        "Outcomes", ["--filter", "LeakXCTests/test[123]|LeakTests/", "--workers", "2"] + Self.warm)
      for (name, command) in [
        ("test1BackgroundProcess", "sleep 300"), ("test2Daemon", "sleep 301"),
        ("backgroundProcess()", "sleep 303"),
      ] {
        let test = try run.test(name)
        #expect(test.result.verdict == .leaked, "\(name) \(run)")
        let leak = try #require(test.decisive?.leaks.first { $0.command.contains(command) })
        #expect(!isSameProcess(leak.pid, command: command))
      }
      #expect(try run.test("test3Passes").result.verdict == .passed)
    }

    /// The crash report is in the bundle although the process that wrote it was a copy.
    @Test func crashReportIsInTheBundle() async throws {
      let run = try await Carrel.run(
        "Outcomes", ["--filter", "CrashXCTests/test[24]|CrashTests/fatal"] + Self.warm)
      #expect(try starts(run)[.cold] == nil)
      let crashed = try run.state.tests.filter { $0.result.verdict == .crashed }
      #expect(crashed.count >= 2, "\(run)")
      for test in crashed {
        let listing = try await Carrel.invoke(["bundle", "list", try run.bundle(test)])
        #expect(listing.text.contains("crash/"), "\(test.id): \(listing.text)")
      }
    }

    /// Without its warm process a run goes on as before, and says so.
    @Test func warmProcessMayDie() async throws {
      let package = try await FixturePackage.prepare("Outcomes")
      let folder = try TemporaryFolder()
      let runs = folder.path(of: "runs")
      mkdir(runs, 0o755)
      var watch = try FileWatch(runs)
      let process = try ChildProcess(
        [
          Carrel.executable, "run", package.path, "--skip-build", "--output", runs, "--workers",
          "1", "--timeout", "3", "--grace", "0", "--company-check", "off", "--filter",
          "HangXCTests", "--start", "warm", "--batch", "1",
        ], environment: Carrel.variables(adding: [:]), timeout: 90)
      let hangs = try watch.first(within: 60) { () -> Bool? in
        guard let record = try? recordFolder(in: runs) else { return nil }
        let state = RunState(try readEvents("\(record)/events.jsonl"))
        return state.tests.contains { $0.open != nil && $0.id.function == "test2PrintsAndHangs" }
          ? true : nil
      }
      #expect(hangs == true)
      for warm in try warmProcesses(of: process.pid) { kill(warm, SIGKILL) }
      let run = CarrelRun(package: package, output: try await process.output(), folder: folder)
      // The running copy is not affected.
      #expect(try run.test("test2PrintsAndHangs").result.verdict == .timedOut, "\(run)")
      #expect(try run.test("test1Passes").result.verdict == .passed)
      #expect(try run.test("test3Passes").result.verdict == .passed)
      #expect(try starts(run) == [.warm: 2, .cold: 1])
      #expect(try declined(run).count == 1)
      #expect(run.output.status == 1)
    }

    /// An executable that does more than load before its tests is not copied.
    @Test func surprisingProcessesAreStartedCold() async throws {
      let run = try await Carrel.run("EarlyOutput", Self.warm)
      #expect(run.output.status == 0, "\(run)")
      let count = try run.state.tests.count
      #expect(count == 3)
      #expect(try starts(run) == [.cold: count])
      #expect(try declined(run).map(\.severity) == [.warning])
      #expect(try declined(run).first?.message.contains("prints") == true)
    }

    /// A main function that somebody wrote is fine.
    @Test func ownMainFunction() async throws {
      let run = try await Carrel.run("LinuxMain", Self.warm)
      #expect(try starts(run)[.cold] == nil, "\(run)")
      #expect(try declined(run) == [])
    }

    @Test func manyProcessesAreStartedWarm() async throws {
      let run = try await Carrel.run(
        "ManySmall", "--batch", "1", "--workers", "2", "--filter", "Small1Tests|Small1XCTests")
      #expect(run.output.status == 0, "\(run)")
      #expect(try run.state.tests.allSatisfy { $0.result.verdict == .passed })
      #expect(try starts(run) == [.warm: 200])
    }

    @Test func fewProcessesAreStartedCold() async throws {
      let run = try await Carrel.run("Outcomes", "--filter", "SetUpXCTests", "--batch", "1")
      #expect(try starts(run)[.warm] == nil, "\(run)")
    }

    /// The warm processes that descend from a command.
    private func warmProcesses(of carrel: pid_t) throws -> [pid_t] {
      let warm = try familyStates(of: carrel).keys.filter {
        contains((try? readSmallFile("/proc/\($0)/environ")) ?? [], "-warm.")
      }
      #expect(warm.count == 1)
      return warm
    }
  }
}
