import FoundationEssentials
import Glibc
import RunModel
import TestSupport
import Testing

extension EndToEnd {
  /// `carrel merge`, and what else works with its record.
  @Suite struct MergeTests {
    /// Two shards; one test fails in the first and passes in the second.
    private func shards() async throws -> [CarrelRun] {
      let counters = try TemporaryFolder()
      try Data("1".utf8).write(to: URL(filePath: counters.path(of: "xctest-third")))
      let variables = ["OUTCOMES_COUNTERS": counters.path]
      let pass = ["--pass-env", "OUTCOMES_COUNTERS"]
      let first = try await Carrel.run(
        "Outcomes",
        [
          "--filter", "BasicXCTests/|RetryXCTests/testPassesOnThirdAttempt", "--company-check",
          "off", "--writable", counters.path,
        ]
          + pass, environment: variables)
      let second = try await Carrel.run(
        "Outcomes",
        [
          "--filter", "BasicTests/|RetryXCTests/testPassesOnThirdAttempt", "--isolation",
          "directories", "--company-check", "off",
        ] + pass, environment: variables)
      return [first, second]
    }

    @Test func shardsBecomeOneRun() async throws {
      let shards = try await shards()
      let folder = try TemporaryFolder(name: "zusammen ü")
      let runs = folder.path(of: "runs")
      let junit = folder.path(of: "report.xml")
      let merge = try await Carrel.invoke(
        ["merge", "--output", runs, "--junit", junit] + shards.map { try $0.record })
      #expect(merge.status == 0, "\(merge.allText)")
      let record = try recordFolder(in: runs)
      let state = RunState(try readEvents("\(record)/events.jsonl"))

      // Every test once, with the verdict that one of them has.
      let states = try shards.map { try $0.state }
      let planned = Set(states.flatMap { $0.tests.map(\.id) })
      #expect(planned.count == states[0].tests.count + states[1].tests.count - 1)
      #expect(Set(state.tests.map(\.id)) == planned && state.tests.count == planned.count)
      let both = try #require(state.tests.first { $0.id.suite.hasSuffix("RetryXCTests") })
      #expect(states.map { $0.test(both.id)?.result.verdict } == [.failed, .passed])
      #expect(both.result.verdict == .failed)
      #expect(state.finish?.exitCode == 1)
      let codes = state.problems.map(\.code)
      #expect(codes.contains(.mergeConflict) && codes.contains(.mergeDifference), "\(codes)")
      #expect(merge.text.contains("failed in \(lastName(try shards[0].record)) counts, not passed"))

      // All reports are made from it.
      let report = try await JUnitFile(junit)
      #expect(
        report.miscounts == [] && Set(report.statuses.keys) == Set(planned.map(\.description)))
      let again = folder.path(of: "again.xml")
      let made = try await Carrel.invoke(["report", record, "--junit", again])
      #expect(made.status == 0 && merge.text == made.text.replacing(again, with: junit))
      #expect(try readFile(again) == readFile(junit))

      // Bundles and logs are there.
      for test in state.tests {
        for bundle in test.bundles.values {
          #expect(FileManager.default.fileExists(atPath: "\(record)/\(bundle.path)"))
        }
        for log in test.attempts.flatMap({ [$0.stdout, $0.stderr] }).compactMap({ $0 }) {
          #expect(FileManager.default.fileExists(atPath: "\(record)/\(log.path)"))
        }
      }
      let bundle = "\(record)/\(try #require(both.bundles.values.first).path)"
      let verify = try await Carrel.invoke(["bundle", "verify", bundle])
      #expect(verify.status == 0, "\(verify.allText)")
      let failing = try #require(state.tests.first { $0.id.function == "testFails" })
      let repro = try await Carrel.invoke([
        "repro", "\(record)/\(try #require(failing.bundles.values.first).path)",
        shards[0].package.path, "--skip-build", "--output", folder.path(of: "repro"),
      ])
      #expect(repro.status == 0, "\(repro.allText)")
      let rerun = try await Carrel.invoke([
        "rerun", "latest", shards[0].package.path, "--skip-build", "--output", runs, "--quiet",
        "--company-check", "off",
      ])
      let failed = state.tests.count { !$0.result.verdict.isSuccess(leaksFail: true) }
      #expect(rerun.status == 1 && rerun.text.contains("of \(failed) tests"), "\(rerun.allText)")
    }

    /// Merging what was merged gives the same, in any order.
    @Test func mergingAgainChangesNothing() async throws {
      let runs = try await shards()
      // Their records go away with them.
      defer { withExtendedLifetime(runs) {} }
      let shards = try runs.map { try $0.record }
      let folder = try TemporaryFolder()
      func merge(_ name: String, _ records: [String]) async throws -> [RunEvent] {
        let runs = folder.path(of: name)
        let output = try await Carrel.invoke(["merge", "--quiet", "--output", runs] + records)
        #expect(output.status == 0 && output.text.isEmpty, "\(output.allText)")
        return try readEvents("\(try recordFolder(in: runs))/events.jsonl")
      }
      let first = try await merge("a", shards)
      let second = try await merge("b", shards.reversed())
      let third = try await merge("c", [try recordFolder(in: folder.path(of: "a")), shards[1]])
      #expect(first.count > 50)
      #expect(first.dropFirst() == second.dropFirst() && first.dropFirst() == third.dropFirst())
    }

    @Test func whatCannotBeMergedIsExplained() async throws {
      let folder = try TemporaryFolder()
      let none = try await Carrel.invoke(["merge", "--output", folder.path])
      #expect(none.status == 2 && none.errorText.contains("which runs?"), "\(none.allText)")
      let record = folder.path(of: "20200101T000000Z-000000")
      mkdir(record, 0o755)
      try Data().write(to: URL(filePath: "\(record)/events.jsonl"))
      let empty = try await Carrel.invoke([
        "merge", record, "--output", folder.path(of: "runs"),
      ])
      #expect(empty.status == 2 && empty.errorText.contains("leave it out"), "\(empty.allText)")
      try Data(#"{"kind":"runStarted","payload":{"format":"9.0"},"time":1}"#.utf8 + [10]).write(
        to: URL(filePath: "\(record)/events.jsonl"))
      let newer = try await Carrel.invoke([
        "merge", record, "--output", folder.path(of: "runs"),
      ])
      #expect(newer.status == 8 && newer.errorText.contains("newer"), "\(newer.allText)")
      // No record is left of what failed.
      #expect(!FileManager.default.fileExists(atPath: folder.path(of: "runs")))
    }

    /// A log that names files elsewhere gives nothing of them away.
    @Test func pathsInAForeignLogAreNotFollowed() async throws {
      let folder = try TemporaryFolder()
      let record = folder.path(of: "20200101T000000Z-000000")
      mkdir(record, 0o755)
      let secret = folder.path(of: "secret")
      try Data("the secret text".utf8).write(to: URL(filePath: secret))
      let test = TestID(product: "P", library: .xctest, name: "M.C/test")
      let header = RunHeader(
        runID: "20200101T000000Z-000000", carrel: "0", packagePath: "/p", arguments: ["run"],
        workers: 1, batch: "auto", retries: 0, timeLimit: nil, leaksFail: true,
        isolation: "directories", seed: "1", toolchain: "t", hostName: "h", passedVariables: [])
      let log = LogReference(path: "logs/../../secret", bytes: 15, isTruncated: false)
      let attempt = AttemptResult(
        test: test, attempt: 1, batch: 1, worker: 1, verdict: .failed, startedAt: 1, duration: 1,
        stdout: log)
      let kinds: [RunEvent.Kind] = [
        .runStarted(header), .testPlanned(TestDescriptor(id: test)), .attemptFinished(attempt),
        .bundleWritten(BundleReference(test: test, attempt: 1, path: secret, bytes: 15)),
        .testFinished(TestResult(test: test, verdict: .failed, attempts: 1)),
      ]
      var bytes = Data()
      for kind in kinds { bytes += try JSONEncoder().encode(RunEvent(time: 1, kind)) + [10] }
      try bytes.write(to: URL(filePath: "\(record)/events.jsonl"))
      let runs = folder.path(of: "runs")
      let merge = try await Carrel.invoke(["merge", record, "--output", runs])
      #expect(merge.status == 0 && merge.errorText.contains("and 1 more cannot be taken over"))
      let report = try readFile("\(try recordFolder(in: runs))/junit.xml")
      #expect(!String(decoding: report, as: UTF8.self).contains("the secret text"))
    }
  }
}
