import Evidence
import FoundationEssentials
import Glibc
import Orchestration
import RunModel
import SwiftTests
import SystemFiles
import TestSupport
import Testing
import Workers

@testable import RunEngine

extension RunsProcesses {
  /// Whole runs of a package whose test executable is a shell script.
  @Suite struct RunSessionTests {
    static let untilItSleeps = "until tr '\\0' ' ' </proc/$!/cmdline | grep -q '^sleep'; do :; done"

    /// One test for each way to end.
    static func package() throws -> FakePackage {
      try FakePackage([
        "M.A/test1Passes": "echo 'said by 1'",
        "M.A/test2Fails": """
        echo 'to out'; echo 'to err' >&2; echo left >"$HOME/Documents/left ä"; fail 'off by one'
        """,
        "M.A/test3Exits": "exit 0",
        "M.A/test4Dies": "kill -KILL $$",
        "M.B/test5Leaks": "sleep 1247 & \(untilItSleeps)",
        "M.B/test6Skips": "skip 'no printer'",
      ])
    }

    @Test(arguments: [1, 2]) func everyEndHasItsVerdict(workers: Int) async throws {
      let package = try Self.package()
      let outcome = try await SessionOutcome.run(package, workers: workers)
      #expect(
        outcome.verdicts == [.passed, .failed, .crashed, .crashed, .leaked, .skipped])
      #expect(outcome.writeFailures == [])
      #expect(outcome.state.problems == [])
      let attempts = try outcome.state.tests.map { test in
        #expect(test.attempts.count == 1, "\(test.id)")
        return try #require(test.decisive)
      }
      #expect(
        attempts.map(\.end) == [
          .exited(0), .exited(1), .exited(0), .signaled(SIGKILL), .exited(0), .exited(0),
        ])
      #expect(outcome.log(attempts[0].stdout) == "said by 1\n")
      #expect(attempts[0].duration == 0.25)
      #expect(
        attempts[1].issues == [
          TestIssue(
            message: "off by one", location: SourceLocation(file: "/src/T.swift", line: 7))
        ])
      #expect(outcome.log(attempts[1].stdout) == "to out\n")
      #expect(outcome.log(attempts[1].stderr) == "to err\n")
      #expect(attempts[2].reason?.contains("exit status 0") == true)
      #expect(attempts[3].reason?.contains("SIGKILL") == true)
      #expect(attempts[4].leaks.map(\.command) == ["sleep 1247"])
      #expect(attempts[5].skip?.reason == "no printer")
      #expect(attempts.allSatisfy { !$0.hadCompany })
      #expect(package.lines("starts") == Array(repeating: "1", count: 6))
    }

    /// The log on disk is what the listener was told, and tells the run in its order.
    @Test func theLogTellsTheRun() async throws {
      let outcome = try await SessionOutcome.run(try Self.package(), workers: 2)
      #expect(outcome.events == outcome.seen)
      var open: Set<TestID> = []
      var phases: [TestID: [String]] = [:]
      for event in outcome.events {
        switch event.kind {
        case .testPlanned(let test): phases[test.id, default: []].append("planned")
        case .batchStarted(let batch):
          #expect(open.isDisjoint(with: batch.tests) && batch.tests.count == 1)
          open.formUnion(batch.tests)
          for test in batch.tests { phases[test, default: []].append("batch") }
        case .attemptStarted(let start): phases[start.test, default: []].append("started")
        case .attemptFinished(let result):
          // The end of the process may say more of a result.
          if phases[result.test]?.last != "ended" {
            phases[result.test, default: []].append("ended")
          }
        case .testFinished(let result): phases[result.test, default: []].append("result")
        default: break
        }
      }
      #expect(
        phases.values.allSatisfy { $0 == ["planned", "batch", "started", "ended", "result"] },
        "\(phases)")
      #expect(phases.count == 6)
    }

    /// Processes of two builds are not mixed in one run, also when the first build comes back.
    @Test(arguments: [
      "touch -d '2001-01-01' \"$0\"", "rm \"$0\"", "cp \"$0\" \"$0.new\"; mv \"$0.new\" \"$0\"",
    ])
    func executableThatIsBuiltAnewIsNotStarted(change: String) async throws {
      let package = try FakePackage([
        "M.A/test1Passes": ":", "M.A/test2BuildsAnew": change, "M.A/test3": ":",
        "M.A/test4": ":",
      ])
      let outcome = try await SessionOutcome.run(package)
      #expect(outcome.verdicts == [.passed, .passed, .environment, .environment])
      #expect(outcome.state.problems.map(\.code.rawValue) == ["executable-changed"])
      for test in outcome.state.tests.suffix(2) {
        #expect(test.decisive?.reason?.contains("built anew or removed") == true)
      }
      #expect(package.lines("starts").count == 2)
    }

    @Test func failedAttemptsHaveBundles() async throws {
      let package = try Self.package()
      let outcome = try await SessionOutcome.run(package)
      let tests = outcome.state.tests
      #expect(tests.map(\.bundles.count) == [0, 1, 1, 1, 1, 0])
      #expect(try outcome.record.bundleIndex().map(\.test) == tests[1...4].map(\.id))
      for test in tests[1...4] {
        let bundle = try #require(outcome.bundle(test))
        #expect(try bundle.verify().isWhole)
        #expect(try bundle.manifest().test == test.id)
        #expect(try bundle.manifest().verdict == test.result.verdict)
      }
      let bundle = try #require(outcome.bundle(tests[1]))
      #expect(try bundle.read(BundlePaths.standardOutput) == Array("to out\n".utf8))
      #expect(try bundle.read(BundlePaths.standardError) == Array("to err\n".utf8))
      #expect(try bundle.read("container/home/Documents/left ä") == Array("left\n".utf8))
      let command = try JSONDecoder().decode(
        RecordedCommand.self, from: Data(try bundle.read(BundlePaths.command)))
      #expect(command.executable == package.executable)
      #expect(command.arguments == ["M.A/test2Fails"])
      #expect(command.directory == package.location.package)
      #expect(command.umask?.count == 4 && command.fileMask == ownFileMask())
      #expect(command.environment["HOME"] == command.container + "/home")
      #expect(command.environment[SupervisedProcess.scopeVariable] == "\(outcome.record.runID)-2")
      let kinds = try bundle.read(BundlePaths.events).split(separator: 10).map {
        try JSONDecoder().decode(RunEvent.self, from: Data($0)).kind
      }
      guard case .runStarted(let header) = kinds[0], case .batchStarted = kinds[1],
        case .attemptStarted = kinds[2], case .attemptFinished(let attempt) = kinds[3]
      else {
        Issue.record("\(kinds)")
        return
      }
      #expect(kinds.count == 4 && header.runID == outcome.record.runID)
      #expect(attempt == tests[1].decisive)
      // Nothing of the run's containers stays.
      let left = folderEntries(package.folder.path(of: "work/carrel-\(getuid())"))
      #expect(left == [])
    }

    @Test func oneProcessForAllKeepsTheirOutputsApart() async throws {
      let package = try FakePackage([
        "M.A/test1": "echo one", "M.A/test2": "echo two >&2; fail two", "M.A/test3": "echo three",
      ])
      let outcome = try await SessionOutcome.run(package, batch: .fixed(3))
      #expect(outcome.verdicts == [.passed, .failed, .passed])
      let attempts = outcome.state.tests.compactMap(\.decisive)
      #expect(attempts.map { outcome.log($0.stdout) } == ["one\n", nil, "three\n"])
      #expect(attempts.map { outcome.log($0.stderr) } == [nil, "two\n", nil])
      #expect(attempts.map(\.hadCompany) == [false, true, true])
      // The whole product needs no selection.
      #expect(package.lines("starts") == ["0"])
      let bundle = try #require(outcome.bundle(outcome.state.tests[1]))
      #expect(try bundle.manifest().predecessors.map(\.name) == ["M.A/test1"])
    }

    /// A process that dies takes nobody with it: the tests behind it run in another one.
    @Test func testsBehindACrashStillRun() async throws {
      let package = try FakePackage([
        "M.A/test1": ":", "M.A/test2": "kill -SEGV $$", "M.A/test3": "echo three", "M.A/test4": ":",
      ])
      let outcome = try await SessionOutcome.run(package, batch: .fixed(4))
      #expect(outcome.verdicts == [.passed, .crashed, .passed, .passed])
      #expect(outcome.state.tests.map(\.attempts.count) == [1, 1, 1, 1])
      #expect(package.lines("starts").count == 2)
    }

    @Test func retriesEndWithTheFirstSuccess() async throws {
      let package = try FakePackage([
        "M.A/testThird": """
        echo try >>"$package/tries"; [ "$(grep -c try "$package/tries")" = 3 ] || fail again
        """,
        "M.A/testNever": "fail never",
      ])
      let outcome = try await SessionOutcome.run(package, retries: 3)
      #expect(outcome.verdicts == [.passed, .failed])
      #expect(outcome.state.tests.map(\.result.isFlaky) == [true, false])
      #expect(
        outcome.state.tests.map { $0.attempts.map(\.verdict) } == [
          [.failed, .failed, .passed], [.failed, .failed, .failed, .failed],
        ])
      #expect(outcome.state.tests.map(\.bundles.count) == [2, 4])
    }

    @Test func failureInCompanyIsTriedAlone() async throws {
      let package = try FakePackage([
        "M.A/test1": "touch \"$HOME/mark\"", "M.A/test2": "[ ! -e \"$HOME/mark\" ] || fail marked",
      ])
      let outcome = try await SessionOutcome.run(package, batch: .fixed(2), checksCompany: true)
      #expect(outcome.verdicts == [.passed, .failed])
      #expect(outcome.state.tests[1].result.company == .onlyAfter([package.id("M.A/test1")]))
      #expect(outcome.state.tests[1].attempts.map(\.verdict) == [.failed, .passed])
    }

    @Test func whatHangsIsTimedOut() async throws {
      let package = try FakePackage(["M.A/testHangs": "while :; do sleep 1248; done"])
      let outcome = try await SessionOutcome.run(package, timeLimit: 0.5)
      #expect(outcome.verdicts == [.timedOut])
      #expect(outcome.state.tests[0].decisive?.end == .signaled(SIGTERM))
      #expect(outcome.state.tests[0].decisive?.reason?.contains("0.5 s") == true)
    }

    /// A report of a crash that the process survived.
    @Test func reportedCrashIsCharged() async throws {
      let package = try FakePackage([
        "M.A/test1": ":",
        "M.A/test2": """
        folder=${SWIFT_BACKTRACE##*output-to=}
        echo '{"description":"Bad pointer","registers":{"rax":"5345"}}' >"${folder}fake-$$-0.json"
        """,
        "M.A/test3": ":",
      ])
      let outcome = try await SessionOutcome.run(package, ["M.A/test2"])
      #expect(outcome.verdicts == [.crashed])
      let test = outcome.state.tests[0]
      #expect(test.decisive?.reason?.contains("Bad pointer") == true)
      let bundle = try #require(outcome.bundle(test))
      let names = try bundle.entries().map(\.path.displayName).filter { $0.hasPrefix("crash/") }
      #expect(names.count == 1 && names[0].hasSuffix("-carrel1.json"), "\(names)")
      let text = String(decoding: try bundle.read(names[0]), as: UTF8.self)
      #expect(text.contains("Bad pointer") && !text.contains("5345"))
    }

    @Test func whatCannotStartIsNoFaultOfTheTest() async throws {
      let package = try FakePackage(["M.A/test1": ":", "M.A/test2": ":"])
      unlink(package.executable)
      let outcome = try await SessionOutcome.run(package, batch: .fixed(2))
      #expect(outcome.verdicts == [.environment, .environment])
      for test in outcome.state.tests {
        #expect(test.decisive?.reason?.contains(package.executable) == true)
        #expect(test.bundles.count == 1)
      }
    }

    @Test func containerThatCannotBeFilledIsNoFaultOfTheTest() async throws {
      let package = try FakePackage(["M.A/test1": ":"])
      let outcome = try await SessionOutcome.run(
        package,
        configure: {
          $0.prepareContainer = { _ in throw WorkersError(.system, "no such bundle") }
        })
      #expect(outcome.verdicts == [.environment])
      #expect(outcome.state.tests[0].decisive?.reason?.contains("no such bundle") == true)
      #expect(package.lines("starts") == [])
    }

    @Test func containersAreFilledBeforeTheProcess() async throws {
      let package = try FakePackage(["M.A/test1": "[ -e \"$HOME/given\" ] || fail 'not there'"])
      let outcome = try await SessionOutcome.run(
        package,
        configure: { $0.prepareContainer = { try writeSmallFile($0.home + "/given", []) } })
      #expect(outcome.verdicts == [.passed])
    }

    /// Foundation's folders are asked for once for each product, and must be in the container.
    @Test func homeOutsideOfTheContainerIsAProblem() async throws {
      let code = """
        if [ -n "$CARREL_OBSERVER_HOMES" ]; then
          say '{"k":"homes","NSHomeDirectory":"/root","inside":"'"$HOME"'"}'
        fi
        """
      let package = try FakePackage(["M.A/test1": code, "M.A/test2": code])
      let outcome = try await SessionOutcome.run(package)
      #expect(outcome.state.problems.map(\.code.rawValue) == ["container-escaped"])
      #expect(outcome.state.problems[0].severity == .error)
      #expect(outcome.state.problems[0].message.contains("NSHomeDirectory is /root"))
      #expect(!outcome.state.problems[0].message.contains("inside"))
    }

    @Test func whatCannotBeWrittenIsToldOnce() async throws {
      let package = try FakePackage(["M.A/test1": "fail one", "M.A/test2": "fail two"])
      let outcome = try await SessionOutcome.run(
        package,
        onEvent: { event in
          guard case .runStarted(let header) = event.kind else { return }
          let bundles = package.folder.path(of: "runs/\(header.runID)/bundles")
          removeTree(bundles)
          try? writeSmallFile(bundles, Array("a file".utf8))
        })
      #expect(outcome.verdicts == [.failed, .failed])
      #expect(outcome.state.tests.allSatisfy { $0.bundles.isEmpty })
      #expect(outcome.writeFailures.count == 2)
      #expect(outcome.writeFailures.allSatisfy { $0.contains("the bundle of") })
    }

    /// A limit of failures ends the batch, not only the ones after it.
    @Test func aLimitOfFailuresEndsTheBatch() async throws {
      let package = try FakePackage([
        "M.A/test1": ":", "M.A/test2": "fail on purpose",
        "M.A/test3": "while :; do sleep 1249; done", "M.A/test4": ":", "M.B/test5": ":",
      ])
      let outcome = try await SessionOutcome.run(
        package, batch: .fixed(4), configure: { $0.scheduling.maxFailures = 1 })
      #expect(outcome.verdicts == [.passed, .failed, .interrupted, .notRun, .notRun])
      let reason = "the run was stopped after 1 failed test"
      #expect(
        outcome.state.tests[2].decisive?.reason == "\(reason) while the test was running")
      #expect(outcome.state.tests[3...].allSatisfy { $0.result.reason == reason })
      #expect(outcome.interruption == nil)
    }

    /// As `git clean -fdx` does it in another terminal.
    @Test func removedRecordIsNoProof() async throws {
      let package = try FakePackage([
        "M.A/test1": "echo one", "M.A/test2": "rm -r \"$package/runs\"",
      ])
      let outcome = try await SessionOutcome.run(package, readsLog: false)
      #expect(outcome.verdicts == [.passed, .passed])
      let failure = try #require(outcome.writeFailures.last)
      #expect(
        failure.contains("was removed while the run wrote it: events.jsonl and "), "\(failure)")
    }

    @Test func truncatedLogIsNoticed() async throws {
      let package = try FakePackage([
        "M.A/test1": "for log in \"$package\"/runs/*/events.jsonl; do : >\"$log\"; done"
      ])
      let outcome = try await SessionOutcome.run(package, readsLog: false)
      #expect(outcome.writeFailures.count == 1)
      #expect(outcome.writeFailures.first?.contains("was changed by somebody else") == true)
    }

    /// A test that puts links in place of the record's folders has nothing written elsewhere.
    @Test func linksInTheRecordAreNotFollowed() async throws {
      let package = try FakePackage([
        "M.A/test1": """
        cd "$package"/runs/*; rmdir logs bundles; mkdir "$package/elsewhere"
        ln -s "$package/elsewhere" logs; ln -s "$package/elsewhere" bundles; echo text; fail x
        """
      ])
      let outcome = try await SessionOutcome.run(package)
      #expect(outcome.verdicts == [.failed])
      #expect(folderEntries(package.folder.path(of: "elsewhere")) == [])
      #expect(outcome.writeFailures.count >= 2, "\(outcome.writeFailures)")
    }

    @Test func removedLogIsNoticed() async throws {
      let package = try FakePackage([
        "M.A/test1": "echo one", "M.A/test2": "rm \"$package\"/runs/*/logs/*",
      ])
      let outcome = try await SessionOutcome.run(package)
      let removed = try #require(outcome.state.tests[0].decisive?.stdout?.path)
      #expect(outcome.writeFailures.count == 1)
      #expect(outcome.writeFailures.first?.contains(": \(removed) is gone") == true)
    }

    @Test func testsListedTwiceAreToldOnce() async throws {
      let package = try FakePackage(["M.A/test1": ":", "M.A/test2": ":", "M.A/test3": ":"])
      var catalog = package.catalog
      catalog.tests.append(contentsOf: catalog.tests)
      let outcome = try await SessionOutcome.run(package, catalog: catalog)
      #expect(outcome.verdicts == [.passed, .passed, .passed])
      #expect(outcome.state.problems.map(\.code.rawValue) == ["duplicate-test"])
      #expect(outcome.state.problems[0].severity == .warning)
      #expect(outcome.state.problems[0].message.contains("M.A/test1"))
    }

    @Test func timesAreRemembered() async throws {
      let package = try FakePackage(["M.A/test1": ":", "M.A/test2": ":"])
      _ = try await SessionOutcome.run(package, batch: .fixed(2))
      let memory = try #require(
        ProductMemory(of: package.catalog.products[0], in: package.cache))
      #expect(memory.identity == "as it was listed")
      #expect(memory.tests.map(\.id.name) == package.tests)
      #expect(memory.measurements.map(\.product) == [FakePackage.product])
      #expect(memory.slowTests.values.allSatisfy { $0 == 0.25 } && memory.slowTests.count == 2)
    }
  }
}
