import FoundationEssentials
import Glibc
import RunModel
import TestSupport
import Testing
import Workers

extension EndToEnd {
  /// Containers that have the data of a seed intent, by every way in which they get it.
  @Suite(.enabled(if: Sandbox.problem() == nil, "no sandbox can be made here"))
  struct CloneTests {
    private func run(
      _ test: String, seed intent: String, _ options: [String],
      environment: [String: String] = [:]
    ) async throws -> CarrelRun {
      let folder = try TemporaryFolder()
      let path = folder.path(of: "carrel.json")
      let text = """
        {"format": "1.0", "intents": {"seed": {"bundle": "com.example.TestApp", \(intent)}}}
        """
      try text.write(to: URL(filePath: path), atomically: true, encoding: .utf8)
      return try await Carrel.run(
        "Intents",
        ["--test", "MisbehavingTests.MisbehavingTests/\(test)", "--config", path, "--seed", "s"]
          + ["--pass-env", "CARREL_TEST_CASE"] + options,
        environment: environment.merging(["CARREL_TEST_CASE": test]) { $1 })
    }

    /// One line of the list of contents of a bundle; times differ between any two attempts.
    private struct Entry: Decodable, Hashable {
      var path: String
      var type: String
      var mode: String
      var size: Int?
      var sha256: String?
      var target: String?
    }

    /// What a bundle has of its container.
    private func contents(ofBundle path: String) async throws -> Set<Entry> {
      struct Contents: Decodable { var entries: [Entry] }
      let folder = try TemporaryFolder()
      let extracted = folder.path(of: "bundle")
      let output = try await Carrel.invoke(["bundle", "extract", path, extracted])
      #expect(output.status == 0, "\(output.allText)")
      let bytes = try readFile("\(extracted)/contents.json")
      let contents = try JSONDecoder().decode(Contents.self, from: Data(bytes))
      return Set(contents.entries.filter { $0.path.hasPrefix("container/") })
    }

    /// Whichever way was used, a bundle has the same files with the same bytes.
    @Test func bundlesAreTheSameForEveryWay() async throws {
      let levels = [
        ["--isolation", "sandbox", "--clone", "overlay"],
        ["--isolation", "sandbox", "--clone", "copy"], ["--clone", "copy"],
      ]
      var found: [Set<Entry>] = []
      for options in levels {
        // The second attempt has the container of the first one's worker.
        let run = try await run(
          "testFailsAfterChangesInItsHome", seed: "\"intent\": \"FillHome\"",
          options + ["--retries", "1"])
        let test = try run.test("testFailsAfterChangesInItsHome")
        #expect(test.attempts.map(\.verdict) == [.failed, .failed], "\(run)")
        for attempt in test.attempts {
          #expect(attempt.issues.map(\.message).filter { !$0.contains("on purpose") } == [])
        }
        #expect(try run.state.header?.clone == options.last)
        #expect(try run.state.header?.cloneReason == "it was asked for")
        found.append(try await contents(ofBundle: try run.bundle(test, attempt: 1)))
        found.append(try await contents(ofBundle: try run.bundle(test, attempt: 2)))
        // The seed intent is called again, and the test finds the same.
        let runs = run.folder.path(of: "repro")
        let repro = try await Carrel.invoke([
          "repro", try run.bundle(test), run.package.path, "--skip-build", "--output", runs,
        ])
        #expect(repro.status == 0 && repro.text.contains("REPRODUCED"), "\(repro.allText)")
        let state = RunState(try readEvents("\(try recordFolder(in: runs))/events.jsonl"))
        #expect(state.header?.clone == (options.last == "copy" ? "copy" : nil))
      }
      for other in found.dropFirst() {
        #expect(found[0].symmetricDifference(other).map(\.path).sorted() == [])
      }
      let paths = Set(found[0].map(\.path))
      for name in ["kept/f0", "elsewhere/f2", "replaced/new", "closed/new", "Documents/ä b/f1"] {
        #expect(paths.contains("container/home/\(name)"), "\(paths.sorted())")
      }
      for name in ["kept/f1", "gone", "replaced/inner", "moved", "fifo"] {
        #expect(!paths.contains("container/home/\(name)"), "\(paths.sorted())")
      }
    }

    /// All that was committed is there, although the seed intent's app had the newest rows in a
    /// file of their own; and a bundle has what the test's app has committed.
    @Test(arguments: CloneWay.allCases.filter { $0 != .reflink })
    func openDatabasesAreClonedWhole(way: CloneWay) async throws {
      let run = try await run(
        "testFailsWithAnOpenDatabase",
        seed: "\"intent\": \"Remember\", \"parameters\": {\"text\": \"seeded\"}",
        ["--isolation", "sandbox", "--clone", way.rawValue])
      let test = try run.test("testFailsWithAnOpenDatabase")
      let log = String(decoding: try run.log(test.decisive?.stdout), as: UTF8.self)
      #expect(log.hasPrefix("rows: 2\nrows: 3\nrows: 4\n"), "\(run)")
      let folder = try TemporaryFolder()
      let extracted = folder.path(of: "bundle")
      _ = try await Carrel.invoke(["bundle", "extract", try run.bundle(test), extracted])
      let database = "\(extracted)/container/home/Documents/cache.sqlite"
      #expect(
        try rows(of: database, "SELECT text FROM note ORDER BY rowid")
          == ["seeded", "row 1", "row 2", "row 3"])
      #expect(try rows(of: database, "PRAGMA integrity_check") == ["ok"])
    }

    /// The cheapest way that works is found out and told.
    @Test func theWayIsTold() async throws {
      let (seed, large) = ("\"intent\": \"FillHome\"", "\"intent\": \"FillLarge\"")
      func ways(_ run: CarrelRun) throws -> Set<String?> {
        Set(
          try run.events.compactMap { event in
            if case .batchStarted(let batch) = event.kind { batch.clone } else { nil }
          })
      }
      func reasons(_ run: CarrelRun) throws -> [String?] {
        try run.events.compactMap { event -> String?? in
          guard case .batchStarted(let batch) = event.kind, batch.clone != nil else { return nil }
          return .some(batch.cloneReason)
        }
      }
      let retry = ["--retries", "1"]
      let layered = try await run("testFails", seed: large, ["--isolation", "sandbox"] + retry)
      #expect(try ways(layered) == ["overlay"], "\(layered)")
      let small = try await run("testFails", seed: seed, ["--isolation", "sandbox"] + retry)
      #expect(try ways(small) == ["copy"], "\(small)")
      let copied = try await run("testFails", seed: large, ["--isolation", "processes"] + retry)
      let found = try ways(copied)
      #expect(!found.isEmpty && found.isDisjoint(with: ["overlay", nil]), "\(copied)")
      #expect(try reasons(layered).map { $0?.contains("saw a template") } == [true, nil])
      #expect(try reasons(small).map { $0?.contains("so few files") } == [true, nil])
      #expect(try reasons(copied).map { $0?.contains("there is no sandbox") } == [true, nil])
      #expect(try layered.state.header?.cloneReason == nil)
      let refused = try await run(
        "testFails", seed: seed, ["--clone", "overlay", "--isolation", "processes"])
      #expect(refused.output.status == 2, "\(refused)")
      #expect(refused.output.allText.contains("--clone overlay needs a sandbox"))
    }

    /// The template's files count against the limit as those of a copy do.
    @Test(arguments: ["overlay", "copy"]) func theDiskLimitCountsTheTemplate(way: String)
      async throws
    {
      let run = try await run(
        "testHangs", seed: "\"intent\": \"FillLarge\"",
        ["--isolation", "sandbox", "--clone", way, "--disk-limit", "8MiB", "--timeout", "20"])
      let attempt = try #require(try run.test("testHangs").decisive)
      #expect(attempt.reason?.contains("the disk limit of 8 MiB was exceeded") == true, "\(run)")
    }

    /// An ordinary user, in a work folder of 150 bytes.
    @Test(.enabled(if: geteuid() == 0, "only root can become somebody else"))
    func ordinaryUsersHaveOverlays() async throws {
      let folder = try TemporaryFolder(name: "ä b " + String(repeating: "l", count: 125))
      let package = try await FixturePackage.prepare("Intents")
      let nobody: uid_t = 65534
      for path in [folder.path, String(folder.path.prefix { $0 != " " }.dropLast(2))] {
        #expect(chown(path, nobody, nobody) == 0)
      }
      let configuration = folder.path(of: "carrel.json")
      let text = """
        {"format": "1.0", "isolation": {"level": "sandbox", "clone": "overlay"},
          "intents": {"seed": {"bundle": "com.example.TestApp", "intent": "FillHome"}}}
        """
      try text.write(to: URL(filePath: configuration), atomically: true, encoding: .utf8)
      let name = "testFailsAfterChangesInItsHome"
      let output = try await runProcess(
        [
          "/usr/bin/setpriv", "--reuid=\(nobody)", "--regid=\(nobody)", "--clear-groups",
          Carrel.executable, "run", package.path, "--skip-build", "--config", configuration,
          "--output", folder.path(of: "runs"), "--test",
          "MisbehavingTests.MisbehavingTests/\(name)",
          "--pass-env", "CARREL_TEST_CASE",
        ],
        environment: Carrel.variables(adding: [
          "HOME": folder.path(of: "home"), "XDG_CACHE_HOME": folder.path(of: "cache"),
          "CARREL_WORK_DIR": folder.path(of: "work"), "CARREL_TEST_CASE": name,
        ]))
      let run = CarrelRun(package: package, output: output, folder: folder)
      let test = try run.test(name)
      #expect(test.decisive?.issues.map(\.message).filter { !$0.contains("on purpose") } == [])
      #expect(try run.state.header?.clone == "overlay")
      let paths = Set(try await contents(ofBundle: try run.bundle(test)).map(\.path))
      #expect(paths.contains("container/home/elsewhere/f2") && paths.contains("container/tmp/t"))
      #expect(!paths.contains("container/home/gone"))
      #expect(try run.state.problems.isEmpty, "\(run)")
    }
  }
}
