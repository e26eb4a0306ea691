import Glibc
import RunModel
import TestSupport
import Testing
import Workers

extension EndToEnd {
  /// `--home`: what tests see of the user's home folder.
  @Suite(.enabled(if: Sandbox.problem() == nil, "no sandbox can be made here"))
  struct HomeOptionTests {
    private func run(
      _ home: UserHome, _ options: [String], action: String = "home models/a.txt",
      user: uid_t = geteuid()
    ) async throws -> CarrelRun {
      let package = try await FixturePackage.prepare("Surroundings")
      let folder = try TemporaryFolder()
      var environment = home.environment
      environment["CARREL_TEST_ACTION"] = action
      var change: [String] = []
      if user != geteuid() {
        change = ["/usr/bin/setpriv", "--reuid=\(user)", "--regid=\(user)", "--clear-groups"]
        environment["XDG_CACHE_HOME"] = folder.path(of: "cache")
        environment["CARREL_WORK_DIR"] = folder.path(of: "work")
        #expect(chown(folder.path, user, user) == 0)
      }
      let output = try await runProcess(
        change + [
          Carrel.executable, "run", package.path, "--skip-build", "--output",
          folder.path(of: "runs"), "--pass-env", "CARREL_TEST_*", "--company-check", "off",
          "--filter", "testDoesItself|testPasses", "--batch", "1", "--workers", "1",
        ] + options, environment: Carrel.variables(adding: environment))
      return CarrelRun(package: package, output: output, folder: folder)
    }

    private func output(_ run: CarrelRun) throws -> String {
      String(
        decoding: try run.log(try run.test("testDoesItself").decisive?.stdout), as: UTF8.self)
    }

    /// Under its own name and where the variables of XDG lead; read-only unless somebody says more.
    @Test(arguments: [geteuid(), 65534] as [uid_t], ["cold", "warm"])
    func cachesAreSeen(user: uid_t, start: String) async throws {
      // Only root can become somebody else.
      if geteuid() != 0, user != geteuid() { return }
      let home = try UserHome()
      let parent = String(home.path.dropLast("/Zoë home".count))
      for path in [parent, home.path, home.models] { chown(path, user, user) }
      let plain = try await run(home, ["--home", ".cache/models", "--start", start], user: user)
      #expect(plain.output.status == 0, "\(plain)")
      #expect(try output(plain) == "home: text, caches: text\nwrote: false\n", "\(plain)")
      #expect(try plain.state.header?.home == [".cache/models"])
      #expect(try plain.state.problems == [], "\(plain)")

      let scratch = try await run(
        home, ["--home", "~/.cache/models", "--scratch", home.models, "--start", start],
        user: user)
      #expect(try output(scratch).hasSuffix("wrote: true\n"), "\(scratch)")
      #expect(access(home.models + "/a.txt-new", F_OK) != 0)

      let writable = try await run(
        home, ["--home", home.models, "--writable", home.models, "--start", start], user: user)
      #expect(try output(writable).hasSuffix("wrote: true\n"), "\(writable)")
      #expect(access(home.models + "/a.txt-new", F_OK) == 0)

      let nothing = try await run(home, ["--start", start], user: user)
      #expect(try output(nothing).hasPrefix("home: nothing, caches: nothing\n"), "\(nothing)")
    }

    /// A reproduction sees it again, as far as it is there.
    @Test func reproductionsSeeIt() async throws {
      let home = try UserHome()
      let run = try await run(
        home, ["--home", ".cache/models"], action: "home models/a.txt fails")
      let test = try run.test("testDoesItself")
      #expect(test.result.verdict == .failed, "\(run)")
      func reproduce(_ name: String) async throws -> ProcessOutput {
        try await Carrel.invoke(
          [
            "repro", try run.bundle(test), run.package.path, "--skip-build", "--output",
            run.folder.path(of: name),
          ], environment: home.environment)
      }
      let same = try await reproduce("again")
      #expect(same.status == 0 && same.text.contains("REPRODUCED"), "\(same.allText)")
      let record = try recordFolder(in: run.folder.path(of: "again"))
      let state = RunState(try readEvents("\(record)/events.jsonl"))
      #expect(state.header?.home == [".cache/models"])
      let log = try #require(state.tests.first?.decisive?.stdout)
      #expect(contains(try readFile("\(record)/\(log.path)"), "home: text, caches: text"))

      #expect(unlink(home.models + "/a.txt") == 0 && rmdir(home.models) == 0)
      let without = try await reproduce("without")
      #expect(without.errorText.contains("the test saw '~/.cache/models'"), "\(without.allText)")
    }

    @Test(arguments: [
      (
        ["--home", ".cache/none"], "'~/.cache/none' shall be seen in the home folder of tests, and"
      ),
      (["--home", "Library"], "containers have a 'Library' of their own"),
      (["--home", "/usr"], "--home needs a path in your home folder"),
      (["--home", ".."], "--home needs a path in your home folder"),
      (["--home", ".netrc", "--isolation", "processes"], "--home needs a sandbox"),
    ])
    func whatCannotBeShownIsRefused(options: [String], message: String) async throws {
      let home = try UserHome()
      mkdir(home.folder.path(of: "Library"), 0o755)
      let run = try await run(home, options)
      #expect(run.output.status == 2 || run.output.status == 6, "\(run)")
      #expect(run.output.allText.contains(message), "\(run)")
    }

    /// Also a file, and by the key of the configuration.
    @Test func theConfigurationNamesIt() async throws {
      let home = try UserHome()
      let config = home.folder.path(of: "carrel.json")
      let text = #"{"format": "1.0", "isolation": {"home": [".netrc"]}}"#
      let file = open(config, O_CREAT | O_WRONLY, 0o644)
      #expect(write(file, text, text.utf8.count) == text.utf8.count && close(file) == 0)
      let run = try await run(
        home, ["--config", config], action: "exists /tmp/carrel/home/.netrc")
      #expect(run.output.status == 0, "\(run)")
      #expect(try run.state.header?.home == [".netrc"])
    }
  }
}
