import FoundationEssentials
import Glibc
import RunModel
import TestSupport
import Testing
import Workers

extension EndToEnd {
  /// What tests see of the machine and of each other.
  @Suite struct IsolationTests {
    /// The folders of a run are gone with it, also those of a listing.
    @Test(arguments: [
      ("ManySmall", ["run", "--filter", "testing"]), ("ManySmall", ["list"]),
      ("Outcomes", ["run", "--filter", "BasicXCTests", "--batch", "1", "--start", "warm"]),
      ("Intents", ["run", "--filter", "NoteTests"]),
    ])
    func foldersOfARunAreRemoved(name: String, command: [String]) async throws {
      let package = try await FixturePackage.prepare(name)
      let folder = try TemporaryFolder()
      let records = command[0] == "run" ? ["--output", folder.path(of: "runs")] : []
      let output = try await Carrel.invoke(
        [command[0], package.path, "--skip-build"] + command.dropFirst() + records,
        environment: ["CARREL_WORK_DIR": folder.path(of: "work")])
      #expect([0, 1].contains(output.status), "\(output.allText)")
      let user = "\(folder.path(of: "work"))/carrel-\(getuid())"
      #expect(try FileManager.default.contentsOfDirectory(atPath: user) == [])
    }

    /// Every way to ask for the user's folders leads into the container.
    @Test(
      arguments: ["as it is", "HOME unset", "HOME elsewhere"],
      [("processes", 1), ("processes", 2), ("sandbox", 2)])
    func everyHomeIsInTheContainer(variant: String, on level: (name: String, workers: Int))
      async throws
    {
      guard level.name != "sandbox" || Sandbox.problem() == nil else { return }
      let folder = try TemporaryFolder()
      var variables = Carrel.variables(adding: [:])
      if variant == "HOME unset" { variables["HOME"] = nil }
      if variant == "HOME elsewhere" { variables["HOME"] = folder.path(of: "home") }
      let run = try await runHomes(
        at: level.name, workers: level.workers, command: [], variables: variables, folder)
      let containers = try containers(of: run)
      #expect(!containers.contains(folder.path(of: "home")))
      // One batch for each library: at once on two workers, else one after the other in one place;
      // in sandboxes at the same path.
      #expect(containers == (level.name == "sandbox" ? ["/tmp/carrel/home"] : containers))
      #expect(containers.count == (level.name == "sandbox" ? 1 : level.workers))
      expectNoTraces(in: [realHome(of: getuid()), folder.path(of: "home")])
    }

    /// The same for a user whose home is not there, with a variable that names one and without.
    @Test(
      .enabled(if: geteuid() == 0, "only root can become somebody else"), arguments: [true, false],
      ["processes", "sandbox"])
    func homesOfAnOrdinaryUser(hasHome: Bool, level: String) async throws {
      guard level != "sandbox" || Sandbox.problem() == nil else { return }
      let nobody: uid_t = 65534
      let folder = try TemporaryFolder()
      #expect(chown(folder.path, nobody, nobody) == 0)
      var variables = Carrel.variables(adding: ["HOME": folder.path(of: "home")])
      if !hasHome { variables["HOME"] = nil }
      let change = ["setpriv", "--reuid=\(nobody)", "--regid=\(nobody)", "--clear-groups"]
      let run = try await runHomes(
        at: level, workers: 2, command: change, variables: variables, folder)
      #expect(try containers(of: run).count == (level == "sandbox" ? 1 : 2))
      #expect(!FileManager.default.fileExists(atPath: realHome(of: nobody)))
      expectNoTraces(in: [folder.path(of: "home")])
    }

    private func realHome(of user: uid_t) -> String {
      String(cString: getpwuid(user).pointee.pw_dir)
    }

    /// Runs the tests that write a value to the defaults and print the folders of the user.
    private func runHomes(
      at level: String, workers: Int, command: [String], variables: [String: String],
      _ folder: TemporaryFolder
    ) async throws -> CarrelRun {
      let package = try await FixturePackage.prepare("Outcomes")
      let output = try await runProcess(
        command + [
          Carrel.executable, "run", package.path, "--skip-build", "--output",
          folder.path(of: "runs"), "--filter", "rintsHomes", "--batch", "1", "--workers",
          "\(workers)", "--isolation", level,
        ], environment: variables)
      let run = CarrelRun(package: package, output: output, folder: folder)
      #expect(output.status == 0, "\(run)")
      #expect(try run.state.header?.isolation == level)
      #expect(try run.state.tests.count == 2)
      return run
    }

    /// The home folders that the tests had, each of which is in a container like all other answers.
    private func containers(of run: CarrelRun) throws -> Set<String> {
      var containers: Set<String> = []
      for test in try run.state.tests {
        let lines = try run.log(test.decisive?.stdout).split(separator: UInt8(ascii: "\n"))
        let line = try #require(lines.first { $0.first == UInt8(ascii: "{") })
        let homes = try JSONDecoder().decode([String: String].self, from: Data(line))
        let home = try #require(homes["HOME"])
        #expect(home != realHome(of: getuid()) && !home.isEmpty)
        let container = home.split(separator: "/").dropLast().joined(separator: "/")
        for (question, path) in homes where question != "library" {
          let isTemporary = question.lowercased().contains("temporary")
          #expect(
            path.hasPrefix(home) || (isTemporary && path.hasPrefix("/" + container)),
            "\(question) leads to \(path), the container is \(home)")
        }
        #expect(homes["homeDirectory(forUser:)"] != nil)
        containers.insert(home)
      }
      return containers
    }

    /// Nothing that is named after the tests is in homes.
    private func expectNoTraces(in homes: [String]) {
      for home in homes {
        for name in ["", ".config", ".cache", ".local/share", "Documents", "Library/Preferences"] {
          let found = try? FileManager.default.contentsOfDirectory(atPath: "\(home)/\(name)")
          #expect((found ?? []).filter { $0.contains("Outcomes") } == [], "in \(home)/\(name)")
        }
      }
    }

    /// An ordinary user, with a home and without one.
    @Test(
      .enabled(if: geteuid() == 0, "only root can become somebody else"), arguments: [true, false])
    func ordinaryUser(hasHome: Bool) async throws {
      let package = try await FixturePackage.prepare("Outcomes")
      let folder = try TemporaryFolder()
      let nobody: uid_t = 65534
      chown(folder.path, nobody, nobody)
      var variables = Carrel.variables(adding: ["HOME": folder.path(of: "home")])
      if !hasHome { variables["HOME"] = nil }
      let output = try await runProcess(
        [
          "setpriv", "--reuid=\(nobody)", "--regid=\(nobody)", "--clear-groups",
          Carrel.executable, "run", package.path, "--skip-build", "--output",
          folder.path(of: "runs"), "--filter", "rintsHomes|testBinds|testFails$", "--workers", "2",
        ], environment: variables)
      let run = CarrelRun(package: package, output: output, folder: folder)
      #expect(output.status == 1, "\(run)")
      #expect(try run.state.tests.count { $0.result.verdict == .passed } == 3)
      #expect(try run.bundles.count == 1)
    }

    /// Of the caller's variables only an allow-list and the named ones get through.
    @Test func variablesAreChosen() async throws {
      let repository = try TemporaryFolder()
      let run = try await Carrel.run(
        "Outcomes", "--filter", "testPrintsEnvironment", "--pass-env", "NAMED_ONE",
        environment: [
          "GIT_DIR": repository.path, "GIT_INDEX_FILE": repository.path(of: "index"),
          "NAMED_ONE": "got through", "SECRET_TOKEN": "must stay outside", "LD_PRELOAD": "",
        ])
      let test = try run.test("testPrintsEnvironment")
      let log = try run.log(test.decisive?.stdout)
      let line = try #require(
        log.split(separator: UInt8(ascii: "\n")).first { $0.first == UInt8(ascii: "{") })
      let variables = try JSONDecoder().decode([String: String].self, from: Data(line))
      #expect(variables["NAMED_ONE"] == "got through")
      #expect(variables["GIT_DIR"] == nil && variables["GIT_INDEX_FILE"] == nil)
      #expect(variables["SECRET_TOKEN"] == nil && variables["LD_PRELOAD"] == nil)
      #expect(try run.state.header?.passedVariables.contains("NAMED_ONE") == true)
      #expect(!contains(log, "must stay outside"))
    }

    /// A new container for each batch: nobody finds what another one left.
    @Test func preferencesAreOwn() async throws {
      for _ in 1...2 {
        let run = try await Carrel.run(
          "Outcomes", "--filter", "HomeXCTests", "--batch", "1", "--workers", "2")
        #expect(run.output.status == 0, "\(run)")
        #expect(try run.state.tests.count == 4)
      }
    }

    /// A folder with a path of 150 bytes with spaces and other letters: sockets bind, all is found.
    @Test func deepFolder() async throws {
      let name = "deep größer " + String(repeating: "x", count: 118)
      let folder = try TemporaryFolder(name: name)
      #expect(folder.path.utf8.count > 150)
      let package = try FixturePackage.copy("Outcomes", to: folder.path)
      let output = try await Carrel.invoke(
        [
          "run", package.path, "--filter", "testBindsSockets|BasicTests/fails\\(", "--workers", "2",
        ],
        timeout: 300)
      #expect(output.status == 1, "\(output.text)\(output.errorText)")
      let state = RunState(
        try readEvents("\(package.path)/.carrel/runs/latest/events.jsonl"))
      #expect(
        state.tests.map(\.result.verdict).sorted { $0.rawValue < $1.rawValue } == [
          .failed, .passed,
        ])
      #expect(state.tests.reduce(0) { $0 + $1.bundles.count } >= 1)
    }
  }
}
