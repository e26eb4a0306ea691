import FoundationEssentials
import RunModel
import TestSupport
import Testing

extension EndToEnd {
  /// `carrel bundle diff` on bundles of real failures.
  @Suite struct BundleDiffTests {
    private func diff(
      _ a: String, _ b: String, _ options: String..., folder: String? = nil
    ) async throws -> ProcessOutput {
      try await Carrel.invoke(["bundle", "diff", a, b] + options, folder: folder)
    }

    private func attempts() async throws -> (run: CarrelRun, bundles: [String]) {
      let counters = try TemporaryFolder()
      let run = try await Carrel.run(
        "Outcomes", "--filter", "testPassesOnThirdAttempt", "--retries", "3", "--batch", "1",
        "--pass-env", "OUTCOMES_COUNTERS", "--writable", counters.path,
        environment: ["OUTCOMES_COUNTERS": counters.path])
      let test = try run.test("testPassesOnThirdAttempt")
      return (run, [try run.bundle(test, attempt: 1), try run.bundle(test, attempt: 2)])
    }

    @Test func twoAttemptsOfAFlakyTest() async throws {
      let (run, bundles) = try await attempts()
      let output = try await diff(bundles[0], bundles[1])
      #expect(output.status == 1 && output.errorText.isEmpty, "\(output.allText)\(run)")
      for part in [
        "the same test, the same verdict, another message", "attempt:     1 (planned) | 2 (retry)",
        "-output of attempt 1\n", "+output of attempt 2\n",
        "- container/home/Documents/attempt-1.txt (file, 20 bytes)",
        "+ container/home/Documents/attempt-2.txt (file, 20 bytes)",
        "the same    index, command, other", "in neither  journal",
      ] {
        #expect(output.text.contains(part), "\(part)\n\(output.text)")
      }
      let summary = try await diff(bundles[0], bundles[1], "--stat")
      #expect(summary.status == 1 && output.text.hasPrefix(summary.text), "\(summary.text)")
      #expect(!summary.text.contains("attempt-1.txt"))
      let own = try await diff(bundles[0], bundles[0])
      #expect(own.status == 0 && own.text.contains("the same message"), "\(own.text)")
      let same = try await diff(bundles[0], bundles[1], "--part", "index", "--part", "command")
      #expect(same.status == 0, "\(same.text)")
      let exact = try await diff(bundles[0], bundles[1], "--exact", "--part", "command")
      #expect(exact.status == 1 && exact.text.contains("environment.CARREL_BATCH: "))
    }

    @Test func theJSONSaysTheSame() async throws {
      let (run, bundles) = try await attempts()
      struct Diff: Decodable {
        struct Part: Decodable {
          var part: String
          var state: String
        }
        var format: String
        var isDifferent: Bool
        var sameTest: Bool
        var parts: [Part]
      }
      let output = try await diff(bundles[0], bundles[1], "--format", "json")
      #expect(output.status == 1, "\(run)")
      let read = try JSONDecoder().decode(Diff.self, from: Data(output.stdout))
      #expect(read.format == "1.0" && read.isDifferent && read.sameTest)
      #expect(
        read.parts.map(\.part)
          == ["manifest", "journal", "index", "logs", "command", "container", "other"])
      #expect(read.parts.first { $0.part == "logs" }?.state == "different")
      #expect(read.parts.first { $0.part == "journal" }?.state == "absent")
    }

    /// As in CI and at a desk: another level of isolation, another folder, another run.
    @Test func theSameFailureInAnotherPlaceIsTheSame() async throws {
      var bundles: [String] = []
      var runs: [CarrelRun] = []
      for level in ["processes", "directories"] {
        let run = try await Carrel.run(
          "Outcomes", "--filter", "BasicXCTests/testFails$", "--isolation", level)
        runs.append(run)
        bundles.append(try run.bundle(try run.test("testFails")))
      }
      let output = try await diff(bundles[0], bundles[1])
      #expect(output.status == 1, "\(output.allText)")
      #expect(output.text.contains("isolation: processes | directories"), "\(output.text)")
      #expect(output.text.contains("<container> stands for /"))
      #expect(
        output.text.contains("the same    index, logs, command, container, other"),
        "\(output.text)")
      let rest = try await diff(
        bundles[0], bundles[1], "--part", "logs", "--part", "container", "--part", "command")
      #expect(rest.status == 0, "\(rest.allText)")
      withExtendedLifetime(runs) {}
    }

    /// The data of a seed intent is in the index and in the journal of one of them.
    @Test func anotherIndexIsTold() async throws {
      let folder = try TemporaryFolder()
      let configuration = folder.path(of: "carrel.json")
      try Data(
        """
        {"format": "1.0", "intents": {"seed": {"bundle": "com.example.TestApp",
          "intent": "CreateNote", "parameters": {"title": "Seed"}, "shared": false}}}
        """.utf8
      ).write(to: URL(filePath: configuration))
      func run(_ options: String...) async throws -> CarrelRun {
        try await Carrel.run(
          "Intents",
          [
            "--test", "MisbehavingTests.MisbehavingTests/testFails", "--pass-env",
            "CARREL_TEST_CASE", "--seed", "s",
          ] + options, environment: ["CARREL_TEST_CASE": "testFails"])
      }
      let (plain, seeded) = (try await run(), try await run("--config", configuration))
      let bundles = try [plain, seeded].map { try $0.bundle(try $0.test("testFails")) }
      let output = try await diff(bundles[0], bundles[1])
      #expect(output.status == 1 && output.errorText.isEmpty, "\(output.allText)")
      for part in [
        "index       1 entry differs, 1 only in B; 0 the same",
        "~ NoteEntity 1\n    title: Milk | Seed\n", "+ NoteEntity 2\n", "    title: Milk\n",
        "+ 1 com.example.TestApp intent.perform CreateNote\n",
      ] {
        #expect(output.text.contains(part), "\(part)\n\(output.text)")
      }
      let same = try await diff(bundles[1], bundles[1], "--part", "index")
      #expect(same.status == 0)
    }

    /// A bundle that is not whole is refused, and compared as far as it goes when that is accepted.
    @Test func damagedBundles() async throws {
      let run = try await Carrel.run(
        "Outcomes", "--filter", "BasicXCTests/testFails$", "--bundle-compression", "none")
      let bundle = try run.bundle(try run.test("testFails"))
      let bytes = try readFile(bundle)
      let cut = run.folder.path(of: "cut.tar")
      try Data(bytes.prefix(bytes.count - 2048)).write(to: URL(filePath: cut))
      let refused = try await diff(bundle, cut)
      #expect(refused.status == 8 && refused.text.isEmpty, "\(refused.allText)")
      #expect(refused.errorText.contains("--force compares what can be read"))
      let forced = try await diff(bundle, cut, "--force")
      #expect(forced.errorText.contains("warning: '\(cut)' is not whole"), "\(forced.errorText)")
      #expect(forced.status == 0 && forced.text.contains("     not whole: "), "\(forced.allText)")
      let start = run.folder.path(of: "start.tar")
      try Data(bytes.prefix(100)).write(to: URL(filePath: start))
      #expect(try await diff(bundle, start, "--force").status == 8)
      #expect(try await diff(bundle, run.folder.path(of: "none.tar")).status == 2)
    }

    @Test func otherTestsAreComparedWithAWarning() async throws {
      let run = try await Carrel.run(
        "Outcomes", "--filter", "hostileFileNames|BasicXCTests/testFails$", "--batch", "1")
      let bundles = [
        try run.bundle(try run.test("testFails")),
        try run.bundle(try run.test("hostileFileNames()")),
      ]
      let output = try await diff(bundles[0], bundles[1], "--all")
      #expect(output.status == 1, "\(output.allText)")
      #expect(output.errorText.contains("warning: the bundles are of different tests"))
      #expect(output.text.contains("two different tests"))
      // Names of files do not drive the terminal, in neither form.
      #expect(isHarmless(output.stdout + output.stderr), "\(output.text)")
      let json = try await diff(bundles[0], bundles[1], "--format", "json")
      #expect(isHarmless(json.stdout), "\(json.text)")
    }

    @Test(arguments: [
      (["diff"], "which bundle?"), (["diff", "a.tar"], "which other bundle?"),
      (["diff", "a", "b", "c"], "takes two bundles"),
      (["diff", "a", "b", "--part", "soul"], "--part needs one of 'manifest'"),
    ])
    func wrongCommandLines(words: [String], message: String) async throws {
      let output = try await Carrel.invoke(["bundle"] + words)
      #expect(output.status == 2 && output.errorText.contains(message), "\(output.allText)")
    }

    /// The commands of the README's section do what it says.
    @Test func theCommandsOfTheReadme() async throws {
      let (run, bundles) = try await attempts()
      for (name, bundle) in zip(["ci.tar.zst", "mine.tar.zst"], bundles) {
        try Data(try readFile(bundle)).write(to: URL(filePath: run.folder.path(of: name)))
      }
      let readme = String(
        decoding: try readFile("\(FixturePackage.repository)/README.md"), as: UTF8.self)
      let section = try #require(readme.components(after: "## A failure in CI and one at home\n"))
      let commands = section.split(separator: "\n").filter { $0.hasPrefix("carrel bundle diff ") }
        .map { $0.prefix { $0 != "#" && $0 != ">" }.split(separator: " ").map { String($0) } }
      #expect(commands.count >= 4)
      for words in commands {
        let output = try await Carrel.invoke(Array(words.dropFirst()), folder: run.folder.path)
        #expect(output.status == 1 || output.status == 0, "\(words): \(output.allText)")
        #expect(!output.text.isEmpty && output.errorText.isEmpty, "\(words)")
      }
    }
  }
}

extension String {
  /// The text from a heading to the next one; `nil` when it is not there.
  fileprivate func components(after heading: String) -> Substring? {
    guard let start = firstRange(of: heading)?.upperBound else { return nil }
    return self[start...].prefix(
      upTo: self[start...].firstRange(of: "\n## ")?.lowerBound ?? endIndex)
  }
}
