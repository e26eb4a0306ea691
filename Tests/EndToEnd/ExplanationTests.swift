import Glibc
import RunModel
import TestSupport
import Testing
import Workers

extension EndToEnd {
  /// What is said beside a failure that the surroundings of a test may explain.
  @Suite(.enabled(if: Sandbox.problem() == nil, "no sandbox can be made here"))
  struct ExplanationTests {
    /// Who does what fails.
    enum Actor: String, Sendable { case test = "testDoesItself", child = "testLetsAChildDoIt" }

    private func run(
      _ actor: Actor, _ action: String, _ options: [String] = [],
      environment: [String: String] = [:]
    ) async throws -> CarrelRun {
      try await Carrel.run(
        "Surroundings",
        [
          "--filter", "\(actor.rawValue)$", "--isolation", "sandbox", "--pass-env",
          "CARREL_TEST_*", "--company-check", "off", "--start", "cold",
        ] + options, environment: environment.merging(["CARREL_TEST_ACTION": action]) { $1 })
    }

    /// The hints beside the only test, which did not succeed.
    private func hints(_ run: CarrelRun) throws -> [String] {
      let tests = try run.state.tests
      let attempt = try #require(tests.first?.decisive, "\(run)")
      #expect(tests.count == 1 && !attempt.verdict.isSuccess(leaksFail: true), "\(run)")
      let hints = attempt.issues.filter { $0.severity == .warning }.map(\.message)
      // They are where a person looks.
      for line in hints.flatMap({ $0.split(separator: "\n") }) {
        #expect(run.output.text.contains(line), "\(run)")
      }
      return hints
    }

    struct Limit: Sendable, CustomTestStringConvertible {
      var options: [String]
      var actor: Actor
      var action: String
      var hint: String
      var needsGroups = false
      var testDescription: String { "\(options[0]) \(actor.rawValue) \(action)" }
    }

    private static let limits: [Limit] = {
      let time = ["--timeout", "1", "--grace", "0.1"]
      let timeHint = "--timeout raises the limit of 1 s for a test"
      let silence = ["--silence-limit", "1", "--grace", "0.1"]
      let silenceHint = "--silence-limit raises the limit of 1 s on silence"
      let memory = ["--memory-limit", "256MiB"]
      let memoryHint = "--memory-limit raises the memory limit of 256 MiB"
      let processes = ["--process-limit", "40"]
      let processHint = "--process-limit raises the limit of 40 processes and threads"
      let files = ["--file-limit", "100"]
      let fileHint =
        "a process of the test had as many open files as it may; --file-limit raises the limit of "
        + "100"
      let disk = ["--disk-limit", "8MiB", "--grace", "0.1"]
      let diskHint = "--disk-limit raises the disk limit of 8 MiB"
      let many = "for n in 1 2 3 4 5 6 7 8 9 10; do head -c 1048576 /dev/zero > "
      return [
        Limit(options: time, actor: .test, action: "wait", hint: timeHint),
        Limit(options: time, actor: .child, action: "sleep 3600", hint: timeHint),
        Limit(
          options: ["--cpus", "1"] + time, actor: .test, action: "wait",
          hint: "--cpus raises the limit of 1 core"),
        Limit(options: silence, actor: .test, action: "wait", hint: silenceHint),
        Limit(options: silence, actor: .child, action: "sleep 3600", hint: silenceHint),
        Limit(
          options: memory, actor: .test, action: "memory 1024", hint: memoryHint,
          needsGroups: true),
        Limit(
          options: memory, actor: .child, action: "head -c 1073741824 /dev/zero | tail",
          hint: memoryHint, needsGroups: true),
        Limit(
          options: memory, actor: .test, action: "write /tmp/x 600",
          hint: memoryHint + "; files in /tmp (", needsGroups: true),
        Limit(
          options: memory, actor: .child, action: "head -c 629145600 /dev/zero > /dev/shm/x",
          hint: memoryHint, needsGroups: true),
        Limit(
          options: processes, actor: .test, action: "processes 200", hint: processHint,
          needsGroups: true),
        Limit(
          options: processes, actor: .child,
          action: "n=0; while [ $n -lt 200 ]; do sleep 2 & n=$((n + 1)); done",
          hint: processHint, needsGroups: true),
        Limit(options: files, actor: .test, action: "files 2000", hint: fileHint),
        Limit(
          options: files, actor: .child, action: "paste $(yes /dev/null | head -200)",
          hint: fileHint),
        Limit(
          options: disk, actor: .test, action: "write /tmp/carrel/tmp/x 64", hint: diskHint),
        Limit(
          options: disk, actor: .child, action: "head -c 67108864 /dev/zero > $TMPDIR/x",
          hint: "a process of the test wrote as much to a file as it may; " + diskHint),
        Limit(options: disk, actor: .test, action: "many /tmp/carrel/tmp 20", hint: diskHint),
        Limit(
          options: disk, actor: .test, action: "many /tmp 20",
          hint: "'/tmp' can hold no more; " + diskHint),
        Limit(
          options: disk, actor: .test, action: "write /dev/shm/x 64",
          hint: "'/dev/shm' can hold no more; " + diskHint),
        Limit(
          options: disk, actor: .child, action: many + "/var/tmp/$n || exit 1; done",
          hint: "'/var/tmp' can hold no more; " + diskHint),
      ]
    }()

    /// Whoever meets it and wherever: the limit is named with its value and the option.
    @Test(arguments: limits) func limitsAreNamed(limit: Limit) async throws {
      if limit.needsGroups, !canMakeControlGroups { return }
      let run = try await run(limit.actor, limit.action, limit.options)
      let hints = try hints(run)
      #expect(hints.contains { $0.contains(limit.hint) }, "\(hints)\n\(run)")
      let others = [
        "--timeout", "--silence-limit", "--memory-limit", "--process-limit", "--file-limit",
        "--disk-limit", "--cpus",
      ].filter { !limit.options.contains($0) }
      for other in others { #expect(!hints.contains { $0.contains(other) }, "\(hints)") }
    }

    /// What lies in a folder that each sandbox has for itself, by every way to look for it.
    @Test func whatIsHiddenIsNamed() async throws {
      let folder = try TemporaryFolder(name: "fixtures", in: "/var/tmp")
      let path = folder.path
      let parent = String(path.dropLast("/fixtures".utf8.count))
      #expect(close(open(path + "/a.txt", O_CREAT | O_WRONLY, 0o644)) == 0)
      let program = open(path + "/tool", O_CREAT | O_WRONLY, 0o755)
      #expect(write(program, "#!/bin/sh\n", 10) == 10 && close(program) == 0)
      let actions: [(Actor, String)] = [
        (.test, "exists \(path)/a.txt"), (.test, "access \(path)/a.txt"),
        (.test, "make \(path)/new"), (.test, "move \(path)/a.txt /tmp/carrel/tmp/a"),
        (.test, "unlink \(path)/a.txt"), (.test, "list \(path)"), (.test, "run \(path)/tool"),
        (.test, "connect \(path)/a.txt"), (.test, "bind \(path)/new"),
        (.child, "cat \(path)/a.txt"), (.child, "\(path)/tool"), (.child, "ls '\(path)'"),
      ]
      for (actor, action) in actions {
        let run = try await run(actor, action)
        let hints = try hints(run)
        #expect(
          hints.contains {
            $0.hasPrefix(
              "the test did not find '\(parent)', because each sandbox has a /var/tmp of its own; "
                + "show it with --scratch '\(parent)'")
          }, "\(action): \(hints)\n\(run)")
      }
      // What nobody finds is not the sandbox's fault.
      for (actor, action) in [
        (Actor.test, "exists \(path)/none"), (.test, "list /tmp/none"),
        (.child, "cat \(path)/none"),
        (.test, "exists /tmp/carrel/home/none"),
      ] {
        let run = try await run(actor, action)
        #expect(try hints(run) == [], "\(action)\n\(run)")
      }
      let shown = try await run(.test, "exists \(path)/a.txt", ["--scratch", path])
      #expect(shown.output.status == 0, "\(shown)")
    }

    @Test(arguments: [
      (Actor.test, "make /usr/carrel-test"), (.test, "unlink /usr/bin/env"),
      (.test, "move /tmp/carrel/tmp /usr/carrel-test"), (.test, "bind /usr/carrel-test"),
      (.test, "write /usr/carrel-test 1"), (.child, "touch /usr/carrel-test"),
      (.child, "echo x > /usr/carrel-test"),
    ])
    func whatIsReadOnlyIsNamed(actor: Actor, action: String) async throws {
      // The system says of a folder in another mount that it is not of this file system.
      if action.hasPrefix("move") { return }
      let run = try await run(actor, action)
      let hints = try hints(run)
      #expect(
        hints.contains { $0.hasPrefix("the test could not write to '/usr/") }, "\(hints)\n\(run)")
    }

    @Test(arguments: [
      (Actor.test, "reach 192.0.2.1 80", "could not reach '192.0.2.1:80'"),
      (.test, "resolve example.com", "could not reach 'example.com'"),
      (
        .child, "echo 'curl: (6) Could not resolve host: example.com' >&2; exit 6",
        "'--network host' gives"
      ),
    ])
    func theNetworkIsNamed(actor: Actor, action: String, hint: String) async throws {
      let run = try await run(actor, action)
      let hints = try hints(run)
      #expect(
        hints.contains { $0.contains(hint) && $0.contains("--network host") }, "\(hints)\n\(run)")
    }

    /// A link in a folder that sandboxes do not show, to what tests may write to; and with
    /// `--scratch`, which would give its two names different contents, the reason why not.
    @Test func linksInHiddenFoldersAreFollowed() async throws {
      let target = try TemporaryFolder(in: "/usr/local")
      let folder = try TemporaryFolder(in: "/tmp")
      let link = folder.path(of: "link")
      #expect(symlink(target.path, link) == 0)
      for name in ["\(link)/a", "\(target.path)/b"] {
        let run = try await run(.test, "write \(name) 1", ["--writable", link])
        #expect(run.output.status == 0, "\(run)")
        #expect(access(name, F_OK) == 0)
      }
      let refused = try await run(.test, "write \(link)/a 1", ["--scratch", link])
      #expect(refused.output.status == 6, "\(refused)")
      #expect(
        refused.output.allText.contains(
          "cannot be scratch in sandboxes: it leads through a link to '\(target.path)'"),
        "\(refused)")
    }

    /// Somebody else has the folder that containers of this user would lie in.
    @Test(.enabled(if: geteuid() == 0, "only root can become somebody else"))
    func aWorkFolderOfSomebodyElseIsAnError() async throws {
      let package = try await FixturePackage.prepare("Surroundings")
      let folder = try TemporaryFolder()
      let nobody: uid_t = 65534
      chmod(folder.path, 0o1777)
      mkdir(folder.path(of: "carrel-\(nobody)"), 0o755)
      let output = try await runProcess(
        [
          "/usr/bin/setpriv", "--reuid=\(nobody)", "--regid=\(nobody)", "--clear-groups",
          Carrel.executable, "run", package.path, "--skip-build", "--output",
          folder.path(of: "runs"),
        ],
        environment: Carrel.variables(adding: [
          "HOME": folder.path(of: "home"), "XDG_CACHE_HOME": folder.path(of: "cache"),
          "CARREL_WORK_DIR": folder.path,
        ]))
      #expect(output.status == 6, "\(output.allText)")
      #expect(
        output.errorText.contains(
          "carrel-65534 is not a private folder of this user: it belongs to the user with the ID "
            + "0"),
        "\(output.allText)")
      #expect(output.errorText.contains("have it removed, or set CARREL_WORK_DIR"))
    }

    /// Fewer namespaces than workers: batches wait for one another, and all tests run.
    @Test func fewerSandboxesThanWorkersAreEnough() async throws {
      let package = try await FixturePackage.prepare("ManySmall")
      let folder = try TemporaryFolder()
      let script = "echo 2 > /proc/sys/user/max_net_namespaces && exec \"$@\""
      let output = try await runProcess(
        [
          "unshare", "--user", "--map-root-user", "/bin/sh", "-c", script, "sh",
          Carrel.executable, "run", package.path, "--skip-build", "--output",
          folder.path(of: "runs"), "--isolation", "sandbox", "--workers", "4", "--batch", "5",
          "--filter", "Small1XCTests",
        ], environment: Carrel.variables(adding: ["CARREL_WORK_DIR": folder.path(of: "work")]))
      let run = CarrelRun(package: package, output: output, folder: folder)
      #expect(output.status == 0, "\(run)")
      let state = try run.state
      #expect(state.tests.count == 100, "\(run)")
      #expect(state.tests.allSatisfy { $0.result.verdict == .passed })
      let short = state.problems.filter { $0.code == .sandboxesShort }
      #expect(short.count == 1 && short.first?.severity == .warning, "\(state.problems)")
      #expect(output.allText.contains("batches wait for one another"), "\(run)")
    }

    /// The frames in which a test hangs, and who holds the pipe that it reads.
    @Test func hangsAreExplained() async throws {
      let run = try await Carrel.run(
        "Surroundings", "--filter", "testDoesItself|testReadsAPipe|testWaitsFor", "--isolation",
        "sandbox", "--pass-env", "CARREL_TEST_*", "--company-check", "off", "--timeout", "2",
        "--grace", "0.1", "--batch", "1", "--start", "cold",
        environment: ["CARREL_TEST_ACTION": "wait 0; (setsid sleep 1257 &) ; exit 0"])
      let hint = try #require(
        try run.test("testDoesItself").decisive?.issues.map(\.message).first {
          $0.hasPrefix("where it hung:")
        }, "\(run)")
      #expect(hint.contains(hasGDB ? "testDoesItself() " : "nanosleep"), "\(hint)")
      #expect(hint.split(separator: "\n").count <= 6 && run.output.text.contains("where it hung:"))
      #expect(contains(try readFile("\(try run.record)/junit.xml"), "where it hung:"))
      let reads = try #require(try run.test("testReadsAPipe").decisive)
      #expect(reads.verdict == .timedOut, "\(run)")
      #expect(
        reads.issues.contains {
          $0.message.hasPrefix("process ")
            && $0.message.contains("(sleep 1257), which the test has started, holds the pipe that")
        }, "\(reads.issues)\n\(run)")
      let waits = try #require(try run.test("testWaitsForItsChildOnly").decisive)
      if waits.verdict == .timedOut {
        #expect(waits.issues.contains { $0.message.contains("(sleep 1257)") }, "\(waits.issues)")
      } else {
        #expect(waits.verdict == .leaked && waits.leaks.count == 1, "\(run)")
      }
    }

    @Test func theHomeFolderIsNamed() async throws {
      let home = try UserHome()
      for (actor, action) in [
        (Actor.test, "exists /tmp/carrel/home/.netrc"), (.child, "cat ~/.netrc"),
      ] {
        let run = try await run(actor, action, environment: home.environment)
        #expect(
          try hints(run) == [
            "the test did not find '~/.netrc', because its home folder is that of its container; "
              + "show that of the user with --home '.netrc'"
          ], "\(run)")
      }
    }
  }
}

private let hasGDB = access("/usr/bin/gdb", X_OK) == 0

/// A home folder with `.netrc` and `.cache/models/a.txt`.
struct UserHome {
  let folder: TemporaryFolder
  var path: String { folder.path }
  var models: String { folder.path(of: ".cache/models") }

  init() throws {
    folder = try TemporaryFolder(name: "Zoë home", in: "/var/tmp")
    for name in [".cache", ".cache/models"] { mkdir(folder.path(of: name), 0o755) }
    for name in [".netrc", ".cache/models/a.txt"] {
      let file = open(folder.path(of: name), O_CREAT | O_WRONLY, 0o644)
      guard write(file, "text", 4) == 4, close(file) == 0 else {
        throw FixtureProblem("cannot write \(name)")
      }
    }
  }

  /// What is compiled for tests stays where it is.
  var environment: [String: String] {
    let usual = Carrel.variables(adding: [:])
    let cache = usual["XDG_CACHE_HOME"] ?? (usual["HOME"] ?? "/root") + "/.cache"
    return ["HOME": path, "XDG_CACHE_HOME": cache]
  }
}
