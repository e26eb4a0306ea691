import Glibc
import RunModel
import Testing
import Workers

/// Serial, because a process has only one set of children.
@Suite(.serialized) struct SupervisedProcessTests {
  /// What came of a process.
  struct Outcome {
    var end: ProcessEnd?
    var leaks: [Leak] = []
    var output: [ProcessStream: [UInt8]] = [:]
    var sentSignals: [Int32] = []

    func text(_ stream: ProcessStream) -> String {
      String(decoding: output[stream] ?? [], as: UTF8.self)
    }
  }

  /// Waits in a shell until the process that was put into the background last has become `sleep`.
  static let untilItSleeps =
    "until tr '\\0' ' ' </proc/$!/cmdline | grep -q '^sleep'; do :; done"

  /// Runs a shell script to its end.
  ///
  /// - Parameters:
  ///   - leakGrace: By default so short that whatever is left counts.
  ///   - onOutput: Called with each piece of output.
  func run(
    _ script: String, environment: [String: String] = ["PATH": "/usr/bin:/bin"],
    directory: String? = nil, hasChannel: Bool = false, scope: String = "test",
    leakGrace: Double = 0, onOutput: @escaping (SupervisedProcess) -> Void = { _ in }
  ) throws -> Outcome {
    let loop = try EventLoop()
    let registry = try ProcessRegistry(ownsAllChildren: false)
    var outcome = Outcome()
    var started: SupervisedProcess?
    let process = try SupervisedProcess(
      ProcessRequest(
        executable: "/bin/sh", arguments: ["-c", script], environment: environment,
        directory: directory, hasChannel: hasChannel, scope: scope),
      loop: loop, registry: registry, leakGrace: leakGrace,
      onOutput: {
        outcome.output[$0, default: []] += Array($1)
        if let started { onOutput(started) }
      },
      onEnd: {
        outcome.end = $0
        outcome.leaks = $1
      })
    started = process
    loop.run { outcome.end != nil }
    outcome.sentSignals = process.sentSignals
    return outcome
  }

  @Test func outputAndStatusAreSeen() throws {
    let outcome = try run("echo out; echo err >&2; exit 3")
    #expect(outcome.end == .exited(3))
    #expect(outcome.text(.stdout) == "out\n")
    #expect(outcome.text(.stderr) == "err\n")
    #expect(outcome.leaks.isEmpty)
  }

  @Test func signalIsSeen() throws {
    #expect(try run("kill -KILL $$").end == .signaled(SIGKILL))
  }

  @Test func bothStreamsAreReadTogether() throws {
    let fill = "head -c 307200 /dev/zero"
    let outcome = try run("\(fill) >&2; \(fill); \(fill) >&2")
    #expect(outcome.end == .exited(0))
    #expect(outcome.output[.stdout]?.count == 307_200)
    #expect(outcome.output[.stderr]?.count == 614_400)
  }

  @Test func channelIsDescriptor3AndNothingElseIsInherited() throws {
    let outcome = try run("echo record >&3; ls /proc/self/fd", hasChannel: true)
    #expect(outcome.text(.channel) == "record\n")
    // `ls` itself has one more for the folder that it reads.
    #expect(
      outcome.text(.stdout).split(separator: "\n").filter { $0 != "4" } == ["0", "1", "2", "3"])
  }

  @Test func environmentIsExactlyWhatWasAsked() throws {
    let outcome = try run(
      "/usr/bin/env", environment: ["A": "1", "B": "x y=z"], directory: "/usr", scope: "s-1")
    let lines = Set(outcome.text(.stdout).split(separator: "\n").map { String($0) })
    #expect(lines.isSuperset(of: ["A=1", "B=x y=z", "CARREL_SCOPE=s-1", "PWD=/usr"]))
    #expect(
      lines.subtracting(["A=1", "B=x y=z", "CARREL_SCOPE=s-1", "PWD=/usr"]).allSatisfy {
        // The shell sets these by itself.
        $0.hasPrefix("_=") || $0.hasPrefix("SHLVL=") || $0.hasPrefix("OLDPWD=")
      })
  }

  @Test func missingExecutableIsAnError() throws {
    let loop = try EventLoop()
    let registry = try ProcessRegistry(ownsAllChildren: false)
    let request = ProcessRequest(
      executable: "/nowhere/program", arguments: [], environment: [:], scope: "test")
    let error = #expect(throws: WorkersError.self) {
      _ = try SupervisedProcess(
        request, loop: loop, registry: registry, onOutput: { _, _ in }, onEnd: { _, _ in })
    }
    #expect(error?.code == .launch)
    #expect(error?.errorNumber == ENOENT)
  }

  @Test func backgroundProcessThatKeepsThePipesOpenIsNamedAndEnded() throws {
    let outcome = try run("sleep 1234 & echo $!; \(Self.untilItSleeps)")
    #expect(outcome.end == .exited(0))
    let pid = try #require(Int32(outcome.text(.stdout).dropLast()))
    #expect(
      outcome.leaks.map(\.process) == [
        LeakedProcess(pid: pid, command: "sleep 1234", pipes: [.stdout, .stderr])
      ])
    #expect(kill(pid, 0) == -1 && errno == ESRCH)
  }

  @Test func daemonInASessionOfItsOwnIsFound() throws {
    let outcome = try run(
      #"setsid sh -c "sleep 1235 & echo \$!; $WAIT"; exit 0"#,
      environment: ["PATH": "/usr/bin:/bin", "WAIT": Self.untilItSleeps])
    let pid = try #require(Int32(outcome.text(.stdout).dropLast()))
    #expect(outcome.leaks.map(\.process.command) == ["sleep 1235"])
    #expect(kill(pid, 0) == -1 && errno == ESRCH)
  }

  @Test func processThatEndsByItselfInTimeIsNoLeak() throws {
    // The background process waits for its parent's end, then ends too.
    let outcome = try run(
      "(while kill -0 $$ 2>/dev/null; do :; done) & exit 0", leakGrace: 600)
    #expect(outcome.end == .exited(0))
    #expect(outcome.leaks.isEmpty)
  }

  @Test func terminationReachesTheWholeGroup() throws {
    let outcome = try run("sleep 1236 & echo $!; wait") { $0.terminate(grace: 600) }
    #expect(outcome.end == .signaled(SIGTERM))
    #expect(outcome.sentSignals == [SIGTERM])
    let pid = try #require(Int32(outcome.text(.stdout).dropLast()))
    #expect(kill(pid, 0) == -1)
  }

  @Test func whoIgnoresTerminationIsKilled() throws {
    // The shell says when its trap is set.
    let outcome = try run("trap '' TERM; echo ready; while :; do sleep 60; done") {
      $0.terminate(grace: 0.001)
    }
    #expect(outcome.end == .signaled(SIGKILL))
    #expect(outcome.sentSignals == [SIGTERM, SIGKILL])
  }

  @Test func leakIsChargedToTheBoundaryInItsEnvironment() throws {
    let outcome = try run(
      "CARREL_TEST_SEQUENCE=0000001f sleep 1237 & \(Self.untilItSleeps); exit 0")
    #expect(outcome.leaks.map(\.sequence) == [31])
  }
}
