import CSQLite
import FoundationEssentials
import Glibc
import RunModel
import TestSupport
import Testing
import Workers

extension EndToEnd {
  /// Suites that call an app's intents, under `carrel run`.
  @Suite struct IntentRunTests {
    @Test(arguments: ["1", "auto", "50"]) func testsThatCallAppsRunAlone(batch: String) async throws
    {
      let run = try await Carrel.run("Intents", "--batch", batch, "--workers", "2")
      #expect(run.output.status == 0, "\(run)")
      #expect(try run.state.tests.count == 49)
      // Each name in these tests is an app's.
      #expect(try !run.state.problems.contains { $0.code == .nameNotRegistered }, "\(run)")
      for test in try run.state.tests {
        let isExtra = test.id.name.hasPrefix("MisbehavingTests.")
        #expect(test.result.verdict == (isExtra ? .skipped : .passed), "\(test.id)\n\(run)")
      }
      let starts = try run.events.compactMap { event in
        if case .batchStarted(let start) = event.kind { start } else { nil }
      }
      for start in starts where !start.tests[0].name.hasPrefix("PlainTests.") {
        #expect(start.tests.count == 1)
      }
      let plain = starts.filter { $0.tests[0].name.hasPrefix("PlainTests.") }
      #expect(plain.count == (batch == "1" ? 3 : batch == "50" ? 1 : plain.count))
    }

    /// The same for the same seed and test, another one for each test.
    @Test func fixtureTokensComeFromTheSeed() async throws {
      func tokens(seed: String) async throws -> [String: Set<String>] {
        let run = try await Carrel.run("Intents", "--seed", seed, "--filter", "NoteTests")
        #expect(run.output.status == 0, "\(run)")
        var tokens: [String: Set<String>] = [:]
        for line in try Journal(at: "\(run.record)/journal.jsonl").lines {
          tokens[line.test ?? "", default: []].insert(line.fixtureToken ?? "none")
        }
        return tokens
      }
      let first = try await tokens(seed: "a")
      #expect(first.count == 10)
      #expect(first.values.allSatisfy { $0.count == 1 })
      #expect(Set(first.values).count == 10)
      #expect(try await tokens(seed: "a") == first)
      #expect(try await tokens(seed: "b").values.allSatisfy { !first.values.contains($0) })
    }

    private func misbehave(
      _ test: String, _ options: String...
    ) async throws -> CarrelRun {
      try await Carrel.run(
        "Intents",
        ["--test", "MisbehavingTests.MisbehavingTests/\(test)"] + options + [
          "--pass-env", "CARREL_TEST_CASE",
        ], environment: ["CARREL_TEST_CASE": test])
    }

    @Test func failureHasItsEvidence() async throws {
      let run = try await misbehave("testFails", "--seed", "s")
      #expect(run.output.status == 1, "\(run)")
      #expect(run.output.text.contains("    com.example.TestApp:\n      the app says this\n"))
      let test = try run.test("testFails")
      let bundle = try await ExtractedBundle(try run.bundle(test))
      let manifest = try bundle.manifest()
      #expect(manifest.bundleIdentifier == "com.example.TestApp")
      #expect(manifest.intentName == "Say")
      #expect(manifest.runtime.hasPrefix("Linux "))
      let token = try #require(manifest.fixtureToken)
      #expect(token.count == 16)
      #expect(try bundle.text("logs/app-com.example.TestApp.log") == "the app says this\n")
      let journal = Journal(text: try bundle.text("journal.jsonl"))
      #expect(journal.lines.map(\.intent) == ["CreateNote", "Say"])
      #expect(
        journal.lines.allSatisfy {
          $0.test == "\(test.id)" && $0.attempt == 1 && $0.fixtureToken == token
            && $0.bundle == "com.example.TestApp" && $0.method == "intent.perform"
        })

      let repro = try await Carrel.invoke(
        [
          "repro", try run.bundle(test), run.package.path, "--skip-build", "--output",
          run.folder.path(of: "repro"),
        ])
      #expect(repro.status == 0 && repro.text.contains("REPRODUCED"), "\(repro.allText)")
      let record = try recordFolder(in: run.folder.path(of: "repro"))
      let again = try Journal(at: "\(record)/journal.jsonl")
      #expect(again.lines.map(\.fixtureToken) == [token, token])
    }

    /// All that was committed is there, although the app kept its database open and its newest rows
    /// in a file of their own; in a bundle, and in the data that a seed intent left.
    @Test(arguments: SharedStateTests.levels)
    func openDatabasesAreCopiedWhole(level: IsolationLevel) async throws {
      let folder = try TemporaryFolder()
      let path = try write(
        """
        {"format": "1.0", "intents": {"seed": {"bundle": "com.example.TestApp",
          "intent": "Remember", "parameters": {"text": "seeded"}}}}
        """, to: folder)
      let run = try await misbehave(
        "testFailsWithAnOpenDatabase", "--config", path, "--isolation", level.rawValue)
      let test = try run.test("testFailsWithAnOpenDatabase")
      let log = String(decoding: try run.log(test.decisive?.stdout), as: UTF8.self)
      #expect(log.hasPrefix("rows: 2\nrows: 3\nrows: 4\n"), "\(run)")
      let bundle = try await ExtractedBundle(try run.bundle(test))
      let database = bundle.path("container/home/Documents/cache.sqlite")
      #expect(
        try rows(of: database, "SELECT text FROM note ORDER BY rowid")
          == ["seeded", "row 1", "row 2", "row 3"])
      #expect(try rows(of: database, "PRAGMA integrity_check") == ["ok"])
    }

    @Test func indexOfABundleCanBeRead() async throws {
      let run = try await misbehave("testFails")
      let bundle = try run.bundle(try run.test("testFails"))
      let output = try await Carrel.invoke(["bundle", "index", bundle])
      #expect(output.status == 0, "\(output.allText)")
      struct Entry: Decodable {
        var type: String
        var id: String
        var fields: [String: String]
      }
      let entries = try JSONDecoder().decode([Entry].self, from: Data(output.text.utf8))
      #expect(entries.map(\.type) == ["NoteEntity"] && entries.first?.fields["title"] == "Milk")
    }

    @Test func appsThatEndAreChargedToTheirTest() async throws {
      var run = try await misbehave("testAppEndsBetweenCalls")
      #expect(run.output.status == 1, "\(run)")
      var attempt = try #require(try run.test("testAppEndsBetweenCalls").decisive)
      #expect(attempt.verdict == .failed)
      #expect(
        attempt.issues.map(\.message) == [
          "the process of com.example.TestApp ended with exit status 4 "
            + "while it had nothing to answer"
        ])
      run = try await misbehave("testAppLeavesAProcess")
      attempt = try #require(try run.test("testAppLeavesAProcess").decisive)
      #expect(attempt.verdict == .leaked && attempt.leaks.count == 1, "\(run)")
      #expect(attempt.leaks.first?.command == "sleep 300")
      #expect(attempt.reason?.hasPrefix("an app left process ") == true)
      run = try await misbehave("testCrashes")
      attempt = try #require(try run.test("testCrashes").decisive)
      #expect(attempt.verdict == .failed)
      let message = try #require(attempt.issues.first?.message)
      #expect(message.contains("ended with signal SIG") && message.contains("on purpose"), "\(run)")
      #expect(attempt.apps.map(\.bundleIdentifier) == ["com.example.TestApp"])
      #expect(try run.log(attempt.apps.first?.log).starts(with: Array("TestApp/".utf8)))
      #expect(message.contains("\ncrashed in Crash.perform() (TestApp/MisbehavingIntents.swift:"))
      #expect(!run.output.text.contains("Backtrace took"), "\(run)")
    }

    @Test func limitOfACallIsThatOfTheConfiguration() async throws {
      let folder = try TemporaryFolder()
      let path = try write(
        #"{"format": "1.0", "intents": {"callLimit": 0.3}}"#, to: folder)
      let run = try await misbehave("testHangs", "--config", path)
      let attempt = try #require(try run.test("testHangs").decisive)
      #expect(attempt.verdict == .failed)
      #expect(
        attempt.issues.first?.message.contains(
          "Hang of com.example.TestApp did not answer within 0.3 s; its process was ended; "
            + "'intents.callLimit' in carrel.json is the limit") == true,
        "\(run)")
      let packed = try run.bundle(try run.test("testHangs"))
      let bundle = try await ExtractedBundle(packed)
      let hang = try bundle.text("hang.txt")
      #expect(hang.hasPrefix("what ran when it was ended: Hang of com.example.TestApp did not"))
      #expect(hang.contains("app com.example.TestApp"), "\(hang)")
      #expect(try bundle.text("journal.jsonl").contains(#""error":{"code":7,"name":"appHangs","#))
      let shown = try await Carrel.invoke(["bundle", "show", packed]).text
      #expect(shown.contains("    > Hang()\n        appHangs: Hang of com"), "\(shown)")
    }

    /// The end of one process of a sandbox is not that of the test in it.
    @Test(arguments: [IsolationLevel.sandbox, .processes])
    func hangOfAnAppLeavesTheTestAlone(level: IsolationLevel) async throws {
      let folder = try TemporaryFolder()
      let path = try write(
        #"{"format": "1.0", "intents": {"callLimit": 0.3}}"#, to: folder)
      let run = try await misbehave(
        "testGoesOnAfterAHang", "--config", path, "--isolation", level.rawValue)
      let attempt = try #require(try run.test("testGoesOnAfterAHang").decisive)
      #expect(attempt.verdict == .passed, "\(run)")
      #expect(
        String(decoding: try run.log(attempt.stdout), as: UTF8.self).contains("calls: "), "\(run)")
    }

    /// What an intent asks for, and the call that it was asked by, are in the failure.
    @Test func failuresNameTheirCalls() async throws {
      let run = try await misbehave("testAsks")
      let message = try #require(run.test("testAsks").decisive?.issues.first?.message)
      #expect(
        message.contains("RenameNote asked for a value of its parameter 'title' (\"Which title?\")")
      )
      #expect(message.contains("called at MisbehavingTests/MisbehavingTests.swift:"), "\(message)")
      let shown = try await Carrel.invoke(["bundle", "show", run.bundle(run.test("testAsks"))]).text
      #expect(
        shown.contains("      CreateNote(title: \"Milk\")\n        returned value: NoteEntity "))
      #expect(shown.contains("    > RenameNote(note: NoteEntity "), "\(shown)")
      #expect(shown.contains("        needsValue, parameter 'title': RenameNote asked"), "\(shown)")
    }

    /// The index was asked before what the app had told it could be found.
    @Test func pendingUpdatesOfTheIndexAreTold() async throws {
      let folder = try TemporaryFolder()
      let path = try write(
        #"{"format": "1.0", "intents": {"indexDelay": 60}}"#, to: folder)
      let run = try await misbehave("testAsksTheIndexTooEarly", "--config", path)
      let text =
        "warning: 1 index update was pending when the index was asked for NoteEntity 'milk'; "
        + "waitUntilIndexed() waits for them"
      #expect(run.output.text.ranges(of: text).count == 2, "\(run)")
      let bundle = try run.bundle(try run.test("testAsksTheIndexTooEarly"))
      let shown = try await Carrel.invoke(["bundle", "show", bundle]).text
      #expect(
        shown.contains(text) && shown.contains("index updates that could not be found yet: 1"))
    }

    /// Not even the simplest call is answered: no test is blamed, and those that call other apps,
    /// or none, run as ever.
    @Test func appThatDoesNotAnswerIsAFaultOfTheEnvironment() async throws {
      let folder = try TemporaryFolder()
      let path = try write(
        #"{"format": "1.0", "intents": {"startLimit": 1, "callLimit": 1}}"#, to: folder)
      let run = try await Carrel.run("BadHosts", "--workers", "2", "--config", path)
      #expect(run.output.status == 6, "\(run)")
      let tests = try run.state.tests
      #expect(tests.count == 4)
      for test in tests {
        let isGood = ["goodHost()", "noHost()"].contains(test.id.function)
        #expect(test.result.verdict == (isGood ? .passed : .environment), "\(test.id)\n\(run)")
        #expect(test.decisive?.issues == [])
      }
      func reason(_ function: String) throws -> String {
        try #require(tests.first { $0.id.function.hasPrefix(function) }?.decisive?.reason)
      }
      let bad = try reason("hostsThatBreakTheProtocol")
      #expect(bad.contains("does not answer even the simplest call"), "\(bad)")
      #expect(bad.contains("was started"), "\(bad)")
      let twin = try reason("oneBundleIdentifierForTwo")
      #expect(twin.hasPrefix("com.example.Twin is the bundle identifier of several executables"))
    }

    /// The only app does not start: no test that may call it is started, and what the app said of
    /// its end is in the summary.
    @Test func onlyAppThatDoesNotStartIsAFaultOfTheEnvironment() async throws {
      let run = try await Carrel.run(
        "Intents",
        ["--filter", "PlainTests|testScreen|testIndex", "--pass-env", "CARREL_TEST_CASE"],
        environment: ["CARREL_TEST_CASE": "crashesAtItsStart"])
      #expect(run.output.status == 6, "\(run)")
      for test in try run.state.tests {
        let isPlain = test.id.name.hasPrefix("PlainTests.")
        #expect(test.result.verdict == (isPlain ? .passed : .environment), "\(run)")
        #expect(isPlain || test.decisive?.stdout == nil)
      }
      let summary = try #require(run.output.text.split(separator: "Did not succeed:").last)
      #expect(summary.contains("Fatal error: the app crashes at its start"), "\(run)")
      #expect(run.output.text.contains("crashed in TestApp.init() (TestApp/TestApp.swift:"))
      #expect(!run.output.text.contains("Backtrace took") && !run.output.text.contains("futex"))
    }

    @Test(arguments: [true, false]) func seedIntentRunsBeforeTests(isShared: Bool) async throws {
      let folder = try TemporaryFolder()
      let path = try write(
        """
        {"format": "1.0", "intents": {"seed": {"bundle": "com.example.TestApp",
          "intent": "CreateNote", "parameters": {"title": "Seed", "tags": ["a"]},
          "shared": \(isShared)}}}
        """, to: folder)
      let run = try await Carrel.run(
        "Intents", "--filter", "testPrivate|testScreen", "--workers", "2", "--config", path)
      #expect(run.output.status == 0, "\(run)")
      let journal = try Journal(at: "\(run.record)/journal.jsonl").lines
      let seeds = journal.filter { $0.intent == "CreateNote" && $0.text.contains("Seed") }
      #expect(seeds.count == (isShared ? 1 : 2))
      #expect(seeds.allSatisfy { ($0.test == nil) == isShared && $0.fixtureToken != nil })
      #expect(journal.first?.text.contains("Seed") == true)
    }

    /// The limit ends what was planned; the failed test is still tried again, with the same data.
    @Test func failureLimitLeavesTheSharedSeedAlone() async throws {
      let folder = try TemporaryFolder()
      let path = try write(
        """
        {"format": "1.0", "intents": {"seed": {"bundle": "com.example.TestApp",
          "intent": "CreateNote", "parameters": {"title": "Seed"}}}}
        """, to: folder)
      let run = try await misbehave(
        "testFails", "--config", path, "--max-failures", "1", "--retries", "2")
      #expect(run.output.status == 1, "\(run)")
      let test = try run.test("testFails")
      #expect(test.attempts.map(\.verdict) == [.failed, .failed, .failed], "\(run)")
      let journal = try Journal(at: "\(run.record)/journal.jsonl").lines
      #expect(journal.filter { $0.test == nil }.map(\.intent) == ["CreateNote"])
    }

    /// What the app's queries were asked is in the journal, also when the call failed.
    @Test func journalHasTheQueriesOfCallsThatFailed() async throws {
      let run = try await Carrel.run("Intents", "--filter", "parametersThatDoNotFit")
      #expect(run.output.status == 0, "\(run)")
      let journal = try Journal(at: "\(run.record)/journal.jsonl").lines
      let call = try #require(journal.first { $0.intent == "RenameNote" })
      #expect(call.text.contains("\"error\":"))
      let query = try #require(call.queries?.first)
      #expect(call.queries?.count == 1 && query.type == "NoteEntity" && query.kind == "matching")
      #expect(query.asked == ["no such note"] && query.returned == 0)
    }

    @Test func seedThatFailsIsAFaultOfTheEnvironment() async throws {
      let folder = try TemporaryFolder()
      for shared in [true, false] {
        let path = try write(
          """
          {"format": "1.0", "intents": {"seed": {"bundle": "com.example.TestApp",
            "intent": "CreateNot", "shared": \(shared)}}}
          """, to: folder)
        let run = try await Carrel.run("Intents", "--filter", "testScreen", "--config", path)
        #expect(run.output.status == 6, "\(run)")
        #expect(
          run.output.text.contains(
            "the seed intent CreateNot of com.example.TestApp failed: com.example.TestApp has no "
              + "intent 'CreateNot'; did you mean 'CreateNote'?"), "\(run)")
      }
    }

    enum Stage: String, CaseIterable {
      case sharedSeed, ownSeed, call
    }

    /// Whatever the run waits for when the signal comes: it ends, and nothing of it stays.
    @Test(arguments: Stage.allCases, [SIGINT, SIGKILL])
    func signalEndsApps(stage: Stage, signal: Int32) async throws {
      let package = try await FixturePackage.prepare("Intents")
      let folder = try TemporaryFolder()
      let marked = folder.path(of: "marked")
      mkdir(marked, 0o755)
      var watch = try FileWatch(marked)
      let path = try write(
        """
        {"format": "1.0", "intents": {"seed": {"bundle": "com.example.TestApp", "intent": "Hang",
          "parameters": {"marker": "\(marked)/m"}, "shared": \(stage == .sharedSeed)}}}
        """, to: folder)
      let options =
        stage == .call
        ? ["--test", "MisbehavingTests.MisbehavingTests/testHangs", "--pass-env", "CARREL_TEST_*"]
        : ["--filter", "NoteTests", "--workers", "2", "--config", path]
      let process = try ChildProcess(
        [
          Carrel.executable, "run", package.path, "--skip-build", "--output",
          folder.path(of: "runs"), "--writable", marked,
        ] + options,
        environment: Carrel.variables(adding: [
          "CARREL_TEST_CASE": "testHangs", "CARREL_TEST_MARKER": "\(marked)/m",
          "CARREL_WORK_DIR": folder.path(of: "work"),
        ]), timeout: 60)
      let isThere = watch.first(within: 30) { () -> Bool? in
        FileManager.default.fileExists(atPath: "\(marked)/m") ? true : nil
      }
      #expect(isThere == true)
      let runID = try #require(
        try recordFolder(in: folder.path(of: "runs")).split(separator: "/").last)
      let processes = try MarkedProcesses(of: "\(runID)-")
      #expect(!processes.all.isEmpty)
      process.signal(signal)
      #expect(processes.left(after: signal == SIGKILL ? 3 : 20) == [])
      let output = try await process.output()
      #expect(output.end == (signal == SIGINT ? .exited(130) : .signaled(SIGKILL)))
      #expect(output.duration < 20 && !output.isOutputHeldOpen, "\(output.allText)")
      let state = RunState(
        try readEvents("\(try recordFolder(in: folder.path(of: "runs")))/events.jsonl"))
      if signal == SIGINT {
        #expect(
          state.tests.allSatisfy { [.interrupted, .notRun].contains($0.result.verdict) },
          "\(output.allText)")
      }
    }

    /// The example: a whole suite against an app that keeps its notes in a file, seeded, with one
    /// test that fails on purpose.
    @Test func exampleFailsOnceAndIsReproduced() async throws {
      let folder = try TemporaryFolder()
      let package = "\(FixturePackage.repository)/Examples/Notes"
      let scratch = "\(Carrel.productsFolder)/end-to-end/NotesExample"
      let output = try await Carrel.invoke(
        [
          "run", package, "--scratch-path", scratch, "--output", folder.path(of: "runs"),
          "--workers", "2",
        ], timeout: 600)
      #expect(output.status == 1, "\(output.allText)")
      let record = try recordFolder(in: folder.path(of: "runs"))
      let state = RunState(try readEvents("\(record)/events.jsonl"))
      let failed = state.tests.filter { $0.result.verdict == .failed }
      #expect(failed.map(\.id.function) == ["testCapturedNoteHasATitleOfItsOwn"])
      #expect(
        state.tests.allSatisfy {
          [.passed, .skipped].contains($0.result.verdict) || $0.id == failed.first?.id
        }, "\(output.allText)")
      let path = "\(record)/\(try #require(failed.first?.bundles[1]?.path))"
      let notebook = try await ExtractedBundle(path).text("container/home/Documents/notebook.json")
      for title in ["Seed 1", "Seed 2", "Seed 3", "Captured"] {
        #expect(notebook.contains("\"\(title)\""), "\(notebook)")
      }
      let repro = try await Carrel.invoke(
        [
          "repro", path, package, "--skip-build", "--scratch-path", scratch, "--output",
          folder.path(of: "repro"),
        ])
      #expect(repro.status == 0 && repro.text.contains("REPRODUCED"), "\(repro.allText)")
    }
  }
}

/// The lines of a journal.
private struct Journal {
  struct Line: Decodable {
    var test: String?
    var attempt: Int?
    var bundle: String
    var method: String
    var intent: String?
    var fixtureToken: String?
    var queries: [Query]?
    /// All of it.
    var text = ""

    struct Query: Decodable {
      var type: String
      var kind: String
      var asked: [String]
      var returned: Int
    }

    private enum CodingKeys: String, CodingKey {
      case test, attempt, bundle, method, intent, fixtureToken, queries
    }
  }

  var lines: [Line]

  init(at path: String) throws {
    self.init(text: String(decoding: try readFile(path), as: UTF8.self))
  }

  init(text: String) {
    lines = text.split(separator: "\n").compactMap { text in
      var line = try? JSONDecoder().decode(Line.self, from: Data(text.utf8))
      line?.text = String(text)
      return line
    }
  }
}

/// The first column of a query's rows.
func rows(of path: String, _ sql: String) throws -> [String] {
  var database: OpaquePointer?
  guard sqlite3_open_v2(path, &database, SQLITE_OPEN_READWRITE, nil) == SQLITE_OK else {
    throw FixtureProblem("cannot open \(path)")
  }
  defer { sqlite3_close(database) }
  var statement: OpaquePointer?
  sqlite3_prepare_v2(database, sql, -1, &statement, nil)
  defer { sqlite3_finalize(statement) }
  var rows: [String] = []
  while sqlite3_step(statement) == SQLITE_ROW {
    rows.append(sqlite3_column_text(statement, 0).map { String(cString: $0) } ?? "NULL")
  }
  return rows
}

private func write(_ text: String, to folder: TemporaryFolder) throws -> String {
  let path = folder.path(of: "carrel.json")
  try Data(text.utf8).write(to: URL(filePath: path))
  return path
}

/// The files of a failure bundle.
private struct ExtractedBundle {
  struct Manifest: Decodable {
    var bundleIdentifier: String?
    var intentName: String?
    var fixtureToken: String?
    var runtime: String
  }

  private let folder: TemporaryFolder

  init(_ path: String) async throws {
    folder = try TemporaryFolder()
    let output = try await Carrel.invoke(["bundle", "extract", path, folder.path(of: "bundle")])
    guard output.status == 0 else { throw FixtureProblem(output.allText) }
  }

  func path(_ name: String) -> String { folder.path(of: "bundle/\(name)") }

  func text(_ name: String) throws -> String {
    String(decoding: try readFile(path(name)), as: UTF8.self)
  }

  func manifest() throws -> Manifest {
    try JSONDecoder().decode(Manifest.self, from: Data(try text("manifest.json").utf8))
  }
}
