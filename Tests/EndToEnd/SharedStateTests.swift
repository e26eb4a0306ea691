import FoundationEssentials
import Glibc
import RunModel
import TestSupport
import Testing
import Workers

extension EndToEnd {
  /// What tools, libraries and apps share as long as nobody keeps them apart: the caller's
  /// variables, the user's files, preferences, databases and caches.
  @Suite struct SharedStateTests {
    /// The levels that promise to keep these apart; the first is the default.
    static let levels: [IsolationLevel] =
      Sandbox.problem() == nil ? [.sandbox, .processes] : [.processes]

    /// Runs a fixture at a level, the default one without asking for it.
    private func run(
      _ fixture: String, at level: IsolationLevel, _ options: [String],
      environment: [String: String] = [:], timeout: Double = 120
    ) async throws -> CarrelRun {
      let choice = level == Self.levels[0] ? [] : ["--isolation", level.rawValue]
      let run = try await Carrel.run(
        fixture, choice + options, environment: environment, timeout: timeout)
      #expect(try run.state.header?.isolation == level.rawValue, "\(run)")
      return run
    }

    /// As in a hook of git, which names the repository that it runs for. The test that commits to a
    /// repository of its own would commit to that one, and does when it gets the variables.
    @Test(arguments: levels, [false, true])
    func repositoryOfTheCallerIsLeftAlone(level: IsolationLevel, isPassed: Bool) async throws {
      let repository = try TemporaryFolder()
      let commands = [
        ["init", "-q"], ["config", "user.name", "Somebody"],
        ["config", "user.email", "somebody@example.com"],
        ["commit", "-q", "--allow-empty", "-m", "zero"],
      ]
      for command in commands {
        let output = try await runProcess(
          ["git", "-C", repository.path] + command, environment: Carrel.variables(adding: [:]))
        #expect(output.status == 0, "\(output.allText)")
      }
      let before = try contents(of: repository.path)
      #expect(before.count > 10)
      let run = try await run(
        "Torture", at: level,
        ["--filter", "GitXCTests"] + (isPassed ? ["--pass-env", "GIT_*"] : []),
        environment: [
          "GIT_DIR": repository.path(of: ".git"),
          "GIT_INDEX_FILE": repository.path(of: ".git/index"),
        ])
      let passed = try #require(try run.state.header?.passedVariables)
      #expect(passed.contains("PATH") && passed.contains("GIT_DIR") == isPassed)
      #expect(passed.contains("GIT_INDEX_FILE") == isPassed)
      #expect(run.output.status == (isPassed ? 1 : 0), "\(run)")
      // In a sandbox nothing outside can be written to, whatever the variables say.
      let isWritten = isPassed && level != .sandbox
      #expect((try contents(of: repository.path) != before) == isWritten)
    }

    /// Four processes write to the one file of the standard defaults at once, twice, and one of
    /// them is tried again.
    @Test(arguments: levels) func defaultsAreOwn(level: IsolationLevel) async throws {
      for isFailing in [false, true] {
        let run = try await run(
          "Torture", at: level,
          [
            "--filter", "DefaultsXCTests", "--batch", "1", "--workers", "4", "--retries", "1",
            "--company-check", "off", "--pass-env", "TORTURE_FAILS",
          ], environment: isFailing ? ["TORTURE_FAILS": "1"] : [:])
        #expect(run.output.status == (isFailing ? 1 : 0), "\(run)")
        for test in try run.state.tests {
          let isLast = test.id.name.hasSuffix("testFourth")
          let messages = test.attempts.flatMap(\.issues).map(\.message)
          let expected = isFailing && isLast ? ["on purpose", "on purpose"] : []
          #expect(messages.count == expected.count, "\(run)")
          #expect(zip(messages, expected).allSatisfy { $0.contains($1) }, "\(messages)")
        }
        #expect(try run.state.tests.count == 4)
      }
    }

    /// Eight apps write for 2 s in a transaction at their start, at the same path in the home
    /// folder, and none waits for a lock.
    @Test(arguments: levels) func databasesAreOwn(level: IsolationLevel) async throws {
      let run = try await run(
        "Intents", at: level,
        ["--filter", "DatabaseTests", "--workers", "8", "--pass-env", "CARREL_TEST_CASE"],
        environment: ["CARREL_TEST_CASE": "holdsDatabase"])
      #expect(run.output.status == 0, "\(run)")
      let tests = try run.state.tests
      #expect(tests.count == 8 && tests.allSatisfy { $0.result.verdict == .passed })
      // All are there at the same time, so a number stands for one file.
      let intervals = try run.events.compactMap { event -> Bool? in
        switch event.kind {
        case .attemptStarted: true
        case .attemptFinished: false
        default: nil
        }
      }
      #expect(intervals == Array(repeating: true, count: 8) + Array(repeating: false, count: 8))
      let inodes = try tests.flatMap { test in
        String(decoding: try run.log(test.decisive?.stdout), as: UTF8.self)
          .split(separator: "\n").filter { $0.hasPrefix("inode: ") }
      }
      #expect(inodes.count == 8 && Set(inodes).count == 8, "\(inodes)")
      #expect(!inodes.contains("inode: 0"))
    }

    /// A second attempt finds nothing of the first one: no file, no entry of the index, no process
    /// of the app. One that counts on it fails.
    @Test(arguments: levels) func attemptsStartAfresh(level: IsolationLevel) async throws {
      let counters = try TemporaryFolder()
      let run = try await run(
        "Intents", at: level,
        [
          "--filter", "SecondAttemptTests", "--retries", "1", "--workers", "1", "--pass-env",
          "CARREL_TEST_COUNTERS",
        ] + (level == .sandbox ? ["--writable", counters.path] : []),
        environment: ["CARREL_TEST_COUNTERS": counters.path])
      #expect(run.output.status == 1, "\(run)")
      let fresh = try run.test("testNeedsAFreshStart")
      #expect(fresh.result.verdict == .passed && fresh.result.isFlaky)
      #expect(fresh.attempts.map(\.verdict) == [.failed, .passed], "\(run)")
      let lost = try run.test("testNeedsTraces")
      #expect(lost.result.verdict == .failed && !lost.result.isFlaky)
      #expect(lost.attempts.map(\.verdict) == [.failed, .failed], "\(run)")
      for test in [fresh, lost] {
        for attempt in test.attempts {
          let log = String(decoding: try run.log(attempt.stdout), as: UTF8.self)
          #expect(log.hasPrefix("attempt \(attempt.attempt) found 0 false []\n"), "\(log)")
        }
        for number in test.bundles.keys {
          let folder = try TemporaryFolder()
          let output = try await Carrel.invoke([
            "bundle", "extract", try run.bundle(test, attempt: number), folder.path(of: "out"),
          ])
          #expect(output.status == 0, "\(output.allText)")
          let documents = folder.path(of: "out/container/home/Documents")
          #expect(try contents(of: documents).keys.sorted() == ["result-\(number).txt"])
          let index = try await Carrel.invoke([
            "bundle", "index", try run.bundle(test, attempt: number),
          ])
          #expect(index.text.contains("Trace of result-\(number).txt"), "\(index.allText)")
          #expect(index.text.split(separator: "Trace of result-").count == 2)
        }
      }
      #expect(fresh.bundles.keys.sorted() == [1] && lost.bundles.keys.sorted() == [1, 2])
    }

    /// Eight builds at once, each with the caches and the configuration of the user, which are not
    /// those of the caller.
    @Test(arguments: levels) func buildsDoNotMeet(level: IsolationLevel) async throws {
      let home = try TemporaryFolder()
      // Where Carrel has what it made for earlier runs.
      let variables = Carrel.variables(adding: [:])
      let cache = variables["XDG_CACHE_HOME"] ?? "\(variables["HOME"] ?? "/tmp")/.cache"
      let real = String(cString: getpwuid(getuid()).pointee.pw_dir)
      let before = userFolders(of: real)
      let run = try await run(
        "Torture", at: level, ["--filter", "BuildXCTests", "--batch", "1", "--workers", "8"],
        environment: ["HOME": home.path, "XDG_CACHE_HOME": cache], timeout: 300)
      #expect(run.output.status == 0, "\(run)")
      let tests = try run.state.tests
      #expect(tests.count == 8 && tests.allSatisfy { $0.result.verdict == .passed })
      #expect(try FileManager.default.contentsOfDirectory(atPath: home.path) == [])
      #expect(userFolders(of: real) == before)
    }

    /// What lies in the folders of a home that programs keep their own things in.
    private func userFolders(of home: String) -> [String] {
      [".cache", ".config", ".local/share", ".swiftpm", "Documents", "Library"].flatMap { name in
        let names = try? FileManager.default.contentsOfDirectory(atPath: "\(home)/\(name)")
        return (names ?? []).sorted().map { "\(name)/\($0)" }
      }
    }

    /// Mode and content of everything below a folder, by its name.
    private func contents(of folder: String) throws -> [String: [UInt8]] {
      var contents: [String: [UInt8]] = [:]
      for name in try FileManager.default.subpathsOfDirectory(atPath: folder) {
        var status = stat()
        guard lstat("\(folder)/\(name)", &status) == 0 else {
          throw FixtureProblem("cannot look at \(name)")
        }
        let mode = withUnsafeBytes(of: status.st_mode) { Array($0) }
        let isFile = status.st_mode & S_IFMT == S_IFREG
        contents[name] = mode + (isFile ? try readFile("\(folder)/\(name)") : [])
      }
      return contents
    }
  }
}
