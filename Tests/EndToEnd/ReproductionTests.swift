import FoundationEssentials
import Glibc
import RunModel
import TestSupport
import Testing
import Workers

extension EndToEnd {
  /// `carrel repro`: what is as it was, what differs, how often, and what people open in its place.
  @Suite struct ReproductionTests {
    /// A run of a fixture with one bundle that is looked at.
    private struct Failure {
      let run: CarrelRun
      let bundle: String

      func repro(
        _ options: String..., environment: [String: String] = [:], input: String? = nil
      ) async throws -> ProcessOutput {
        let words =
          ["repro", bundle, run.package.path, "--output", run.folder.path(of: "repro")] + options
        guard let input else { return try await Carrel.invoke(words, environment: environment) }
        let file = run.folder.path(of: "input")
        try Data(input.utf8).write(to: URL(filePath: file))
        return try await runProcess(
          ["/bin/sh", "-c", #"exec "$@" <"$0""#, file, Carrel.executable] + words,
          environment: Carrel.variables(adding: environment), timeout: 120)
      }
    }

    private func failure(
      of test: String, in fixture: String = "Outcomes", _ options: String...,
      environment: [String: String] = [:]
    ) async throws -> Failure {
      let run = try await Carrel.run(fixture, options, environment: environment)
      return Failure(run: run, bundle: try run.bundle(try run.test(test), attempt: 1))
    }

    private struct Result: Decodable {
      struct Fact: Decodable { var fact: String, then: String?, now: String? }
      struct Attempt: Decodable { var number: Int, result: String, record: String? }
      var matches: Int
      var attempts: [Attempt]
      var differences: [Fact]
      var exitCode: Int32

      init(_ output: ProcessOutput) throws {
        self = try JSONDecoder().decode(Self.self, from: Data(output.stdout))
      }

      /// How many batches ran at once depends on the machine.
      var facts: [String] { differences.map(\.fact).filter { $0 != "workers" } }
    }

    /// The test's message tells its variables; so it is only the same when they are.
    @Test func placeAndVariablesAreAsTheyWere() async throws {
      let failure = try await failure(
        of: "testTellsItsPlace", "--filter", "BasicXCTests|testTellsItsPlace", "--batch", "1",
        "--start", "cold",
        "--workers", "2", "--company-check", "off", "--pass-env", "OUTCOMES_*",
        environment: ["OUTCOMES_GIVEN": "geheim"])
      let repro = try await failure.repro("--format", "json")
      #expect(repro.status == 0, "\(repro.allText)")
      let result = try Result(repro)
      #expect(result.facts == [] && result.exitCode == 0, "\(repro.text)")
      #expect(result.attempts.map(\.result) == ["reproduced"])
      let attempt = try #require(try failure.run.test("testTellsItsPlace").attempts.first)
      #expect(attempt.batch > 1 && attempt.headline?.contains("given geheim") == true)
      // Restored, the test finds what it has left itself.
      let restored = try await failure.repro("--container", "restored")
      #expect(restored.status == 11, "\(restored.allText)")
      #expect(
        restored.text.contains("  container: was as it was made, is restored from the bundle"))
      #expect(restored.text.contains("found left") && restored.text.contains("found nothing"))
    }

    /// What ran before runs before, in the same order; without it the failure is gone.
    @Test func predecessorsRunFirst() async throws {
      let failure = try await failure(
        of: "test2FailsAfterMark", "--filter", "OrderXCTests", "--batch", "4", "--workers", "1",
        "--company-check", "off")
      let alone = try await failure.repro("--alone")
      #expect(alone.status == 10, "\(alone.allText)")
      #expect(alone.text.contains("  predecessors: was 1 test, is 0 tests"), "\(alone.text)")
      #expect(alone.text.contains("--with-predecessors runs them first"))
      let together = try await failure.repro("--with-predecessors", "--format", "json")
      #expect(together.status == 0, "\(together.allText)")
      #expect(try Result(together).facts == ["tests"], "\(together.text)")
      #expect(together.errorText.contains("REPRODUCED: "))
      // The first attempt alone does not decide.
      let repeated = try await failure.repro("--until-different", "2")
      #expect(repeated.status == 0, "\(repeated.allText)")
      #expect(repeated.text.contains("REPRODUCED 2 of 2: "), "\(repeated.text)")
    }

    /// The test passes when it runs for the third time: in the run, and twice here.
    @Test func repeatsUntilItIsDifferent() async throws {
      let counters = try TemporaryFolder()
      let environment = ["OUTCOMES_COUNTERS": counters.path]
      let failure = try await failure(
        of: "OrderPlaceXCTests/testFailsTwice", "--filter", "OrderPlaceXCTests/testFailsTwice",
        "--company-check", "off", "--pass-env", "OUTCOMES_COUNTERS", "--writable", counters.path,
        environment: environment)
      let repro = try await failure.repro("--until-different", "9")
      #expect(repro.status == 10, "\(repro.allText)")
      #expect(repro.text.contains("  attempt 1 of 9: the same failure\n"), "\(repro.text)")
      #expect(
        repro.text.contains(
          "REPRODUCED 1 of 2: OutcomesTests.OrderPlaceXCTests/testFailsTwice; attempt 2 passed"))
    }

    /// Each repetition is a run; of those that ended alike, the first and the last one stay.
    @Test func repeatsAsOftenAsAskedFor() async throws {
      let failure = try await failure(of: "BasicXCTests/testFails", "--filter", "testFails$")
      let repro = try await failure.repro("--until-different", "4", "--format", "json")
      #expect(repro.status == 0, "\(repro.allText)")
      let result = try Result(repro)
      #expect(result.matches == 4 && result.attempts.map(\.number) == [1, 2, 3, 4])
      let kept = result.attempts.compactMap(\.record)
      let runs = try FileManager.default.contentsOfDirectory(
        atPath: failure.run.folder.path(of: "repro"))
      #expect(
        kept.count == 2
          && Set(kept.map { $0.split(separator: "/").last.map { "\($0)" } })
            == Set(runs.map { Optional($0) }),
        "\(runs)")
    }

    /// A build that is there is not made again, unless that is asked for.
    @Test func nothingIsBuiltForWhatIsThere() async throws {
      let failure = try await failure(of: "BasicXCTests/testFails", "--filter", "testFails$")
      let quick = try await failure.repro()
      #expect(quick.status == 0 && quick.text.contains("nothing was built"), "\(quick.allText)")
      #expect(!quick.errorText.contains("Build"), "\(quick.errorText)")
      let built = try await failure.repro("--build")
      #expect(built.status == 0 && !built.text.contains("nothing was built"), "\(built.allText)")
      #expect(built.errorText.contains("Build complete!"), "\(built.errorText)")
    }

    // MARK: programs

    /// A shell has the container, the variables and the test; nothing of it stays.
    @Test(arguments: SharedStateTests.levels)
    func aShellIsWhereTheTestWas(level: IsolationLevel) async throws {
      let work = try TemporaryFolder(name: "w ö")
      let failure = try await failure(
        of: "testTellsItsPlace", "--filter", "testTellsItsPlace", "--isolation", level.rawValue,
        "--pass-env", "OUTCOMES_GIVEN", environment: ["OUTCOMES_GIVEN": "it's"])
      let script = """
        echo "at $PWD"
        echo "given $OUTCOMES_GIVEN, worker $CARREL_WORKER, observer ${LD_PRELOAD-none}"
        cat "$HOME/Documents/place.txt" && echo
        test -s "$CARREL_INDEX" && echo index
        "${HOME%/home}/run-test" >"$TMPDIR/out"; echo "test $?"
        grep -o 'found [a-z]*' "$TMPDIR/out" | head -1
        exit 42
        """
      let shell = try await failure.repro(
        "--shell", environment: ["CARREL_WORK_DIR": work.path, "SHELL": "/bin/sh"], input: script)
      #expect(shell.status == 42, "\(shell.allText)")
      #expect(
        shell.text.split(separator: "\n") == [
          "at \(failure.run.package.path)", "given it's, worker 1, observer none", "left", "index",
          "test 1", "found left",
        ], "\(shell.allText)")
      #expect(shell.errorText.contains("  the test:  "), "\(shell.errorText)")
      let users = try FileManager.default.contentsOfDirectory(atPath: work.path)
      for user in users {
        #expect(
          try FileManager.default.contentsOfDirectory(atPath: work.path(of: user)) == [],
          "\(user)")
      }
      #expect(!FileManager.default.fileExists(atPath: failure.run.folder.path(of: "repro")))
      let fresh = try await failure.repro(
        "--shell", "--container", "fresh", input: "ls \"$HOME/Documents\"; kill -9 $$")
      #expect(fresh.status == 137 && fresh.text == "", "\(fresh.allText)")
    }

    /// Apps answer when the test is started by hand.
    @Test func appsCanBeCalledFromAShell() async throws {
      let failure = try await failure(
        of: "testFails", in: "Intents", "--test", "MisbehavingTests.MisbehavingTests/testFails",
        "--pass-env", "CARREL_TEST_CASE", environment: ["CARREL_TEST_CASE": "testFails"])
      let shell = try await failure.repro(
        "--shell", "--skip-build", input: "\"${HOME%/home}/run-test\"; echo \"test $?\"")
      #expect(shell.status == 0 && shell.text.contains("\ntest 1\n"), "\(shell.allText)")
      #expect(shell.text.contains("Executed 1 test, with 1 failure"), "\(shell.allText)")
    }

    /// A debugger gets the very command; one that is not there is said before anything is opened.
    @Test func aDebuggerHasTheTest() async throws {
      let failure = try await failure(
        of: "BasicXCTests/testFails", "--filter", "testFails$", "--isolation", "processes")
      let debugger = failure.run.folder.path(of: "my gdb")
      let script = "#!/bin/sh\nprintf '[%s]' \"$@\"\nexit 3\n"
      try Data(script.utf8).write(to: URL(filePath: debugger))
      try #require(chmod(debugger, 0o755) == 0)
      let opened = try await failure.repro("--debugger=\(debugger)")
      #expect(opened.status == 3, "\(opened.allText)")
      #expect(opened.text.hasSuffix("[OutcomesTests.BasicXCTests/testFails]"), "\(opened.text)")
      let missing = try await failure.repro("--debugger=\(debugger)x")
      #expect(missing.status == 6, "\(missing.allText)")
      #expect(missing.errorText.contains("or name another with --debugger=PATH"))
    }

    /// On a terminal, Ctrl-C is for what runs in the shell.
    @Test(.enabled(if: access("/usr/bin/script", X_OK) == 0))
    func interruptsReachWhatRunsInTheShell() async throws {
      let failure = try await failure(
        of: "BasicXCTests/testFails", "--filter", "testFails$", "--isolation", "processes")
      let fifo = failure.run.folder.path(of: "fifo")
      try #require(mkfifo(fifo, 0o600) == 0)
      let words = [Carrel.executable, "repro", failure.bundle, failure.run.package.path]
      let command = "exec \(words.map { "'\($0)'" }.joined(separator: " ")) --shell"
      // What runs in the shell says when it does; by then every key is for it.
      let keys = #"""
        { printf '/bin/sh -c '\''echo ready >"%s"; exec sleep 1000'\''\n' "$0"; read line <"$0"
          printf '\003'; printf 'echo "$((40 + 2)) $(tty | cut -c 1-9)" >"%s"; exit 7\n' "$0"
          read line <"$0"; echo "$line" >&2; } | script -qec "$1" /dev/null
        """#
      let output = try await runProcess(
        ["/bin/sh", "-c", keys, fifo, command],
        environment: Carrel.variables(adding: ["SHELL": "/bin/sh", "TERM": "dumb"]), timeout: 60)
      #expect(output.status == 7, "\(output.allText)")
      #expect(output.errorText.contains("42 /dev/pts/"), "\(output.allText)")
    }

    @Test(arguments: [
      (["--shell", "--debugger"], "cannot be opened at once"),
      (["--shell", "--until-different", "3"], "leave out one of them"),
      (["--debugger", "--format", "json"], "leave out one of them"),
      (["--build", "--skip-build"], "contradict each other"),
      (["--until-different", "0"], "from 1 to 100000"),
    ])
    func whatDoesNotGoTogetherIsRefused(options: [String], message: String) async throws {
      let failure = try await failure(of: "BasicXCTests/testFails", "--filter", "testFails$")
      let output = try await Carrel.invoke(
        ["repro", failure.bundle, failure.run.package.path] + options)
      #expect(output.status == 2 && output.errorText.contains(message), "\(output.allText)")
    }

    /// Delays and limits are those of the run, whatever the package says now.
    @Test func faultsAreThoseOfTheRun() async throws {
      let folder = try TemporaryFolder()
      func configuration(_ name: String, delay: Double) throws -> String {
        let path = folder.path(of: name)
        let text = #"{"format": "1.0", "intents": {"indexDelay": \#(delay), "callLimit": 25}}"#
        try Data(text.utf8).write(to: URL(filePath: path))
        return path
      }
      let failure = try await failure(
        of: "testFails", in: "Intents", "--test", "MisbehavingTests.MisbehavingTests/testFails",
        "--config", try configuration("then.json", delay: 0.05), "--pass-env", "CARREL_TEST_CASE",
        environment: ["CARREL_TEST_CASE": "testFails"])
      let same = try await failure.repro("--format", "json", "--skip-build")
      #expect(same.status == 0, "\(same.allText)")
      #expect(try Result(same).facts == [], "\(same.text)")
      let other = try await failure.repro(
        "--config", try configuration("now.json", delay: 0.25), "--skip-build")
      #expect(other.text.contains("  intents.indexDelay: was 0.05 s, is 0.25 s\n"), "\(other.text)")
    }
  }
}
