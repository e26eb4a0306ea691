import CSystem
import Glibc
import RunModel
import SystemFiles
import TestSupport
import Testing
import Workers

/// Serial, because a process has only one set of children.
@Suite(.serialized, .enabled(if: Sandbox.problem() == nil, "no sandbox can be made here"))
struct SandboxTests {
  private let loop: EventLoop
  private let registry: ProcessRegistry
  private let folder: TemporaryFolder
  /// Goes on while nothing happens.
  private let clock: Clock

  private final class Clock {
    /// Seconds that the loop's clock is ahead of the system's.
    var lead = 0.0
  }

  init() throws {
    let clock = Clock()
    self.clock = clock
    loop = try EventLoop { monotonicSeconds() + clock.lead }
    registry = try ProcessRegistry(ownsAllChildren: false)
    folder = try TemporaryFolder(name: "ä b")
  }

  private func sandbox(
    _ network: SandboxNetwork = .loopback, binds: [Sandbox.Bind] = [], privateSize: UInt64? = nil
  ) throws -> Sandbox {
    let own = Sandbox.Bind(folder.path, at: "/tmp/carrel", isWritable: true)
    return try Sandbox(
      .init(binds: [own] + binds, network: network, privateSize: privateSize), loop: loop,
      registry: registry)
  }

  /// What came of a process.
  private final class Outcome {
    var process: SupervisedProcess?
    var end: ProcessEnd?
    var leaks: [Leak] = []
    var output = ""
  }

  private func start(
    _ script: String, in sandbox: Sandbox, executable: String = "/bin/sh",
    leakGrace: Double = 0, onOutput: @escaping (SupervisedProcess) -> Void = { _ in }
  ) throws -> Outcome {
    let outcome = Outcome()
    outcome.process = try SupervisedProcess(
      ProcessRequest(
        executable: executable, arguments: ["-c", script],
        environment: ["PATH": "/usr/bin:/bin:/usr/sbin:/sbin"], directory: "/usr", scope: "test"),
      in: sandbox, loop: loop, registry: registry, leakGrace: leakGrace,
      onOutput: { [unowned outcome] _, bytes in
        outcome.output += String(decoding: bytes, as: UTF8.self)
        if let process = outcome.process { onOutput(process) }
      },
      onEnd: { [unowned outcome] in
        outcome.end = $0
        outcome.leaks = $1
      })
    return outcome
  }

  private func run(
    _ script: String, in given: Sandbox? = nil, executable: String = "/bin/sh",
    leakGrace: Double = 0, onOutput: @escaping (SupervisedProcess) -> Void = { _ in }
  ) throws -> Outcome {
    let sandbox = try given ?? sandbox()
    let outcome = try start(
      script, in: sandbox, executable: executable, leakGrace: leakGrace,
      onOutput: onOutput)
    loop.run { outcome.end != nil }
    var isGone = false
    sandbox.end { isGone = true }
    loop.run { isGone }
    return outcome
  }

  @Test func outputAndStatusAreSeen() throws {
    let outcome = try run("pwd; exit 3")
    #expect(outcome.end == .exited(3))
    #expect(outcome.output == "/usr\n")
    #expect(outcome.leaks.isEmpty)
  }

  @Test func theFileSystemIsReadOnly() throws {
    let outcome = try run(
      "for p in / /etc /usr /dev '\(folder.path)' /proc/sys/kernel; do "
        + "touch \"$p/carrel-test\" 2>/dev/null && echo $p; done; "
        + "true 2>/dev/null >> /proc/sys/kernel/core_pattern && echo settings; "
        + "mount -o remount,rw / 2>/dev/null && echo remounted; true")
    #expect(outcome.output.isEmpty)
    #expect(outcome.end == .exited(0))
  }

  @Test func onlyHarmlessDevicesAreThere() throws {
    let outcome = try run(
      "ls /dev; echo x > /dev/null; head -c 2 /dev/zero | wc -c; ls /dev/fd | head -1; "
        + "[ -e /dev/kmsg ] || echo no kmsg")
    #expect(
      outcome.output.split(separator: "\n").map { String($0) } == [
        "fd", "full", "null", "ptmx", "pts", "random", "shm", "stderr", "stdin", "stdout", "tty",
        "urandom", "zero", "2", "0", "no kmsg",
      ])
  }

  @Test func whatIsCoveredIsNotSeen() throws {
    let folder = try TemporaryFolder(in: "/var")
    try writeSmallFile(folder.path(of: "secret"), [])
    let sandbox = try Sandbox(
      .init(covers: [folder.path]), loop: loop, registry: registry)
    let outcome = try run("ls '\(folder.path)'; ls -d '\(folder.path)'", in: sandbox)
    #expect(outcome.output == "\(folder.path)\n")
  }

  @Test func theContainerIsWritable() throws {
    let outcome = try run("echo text > /tmp/carrel/file; cat /tmp/carrel/file")
    #expect(outcome.output == "text\n")
    #expect(readSmallFile(folder.path(of: "file")) == Array("text\n".utf8))
  }

  @Test func privateFoldersAreEmptyAndGone() throws {
    let name = "carrel-\(getpid())"
    let outcome = try run(
      "for p in /tmp /var/tmp /dev/shm; do echo x > $p/\(name); done; ls /tmp /var/tmp /dev/shm")
    #expect(
      outcome.output
        == "/dev/shm:\n\(name)\n\n/tmp:\ncarrel\n\(name)\n\n/var/tmp:\n\(name)\n")
    for path in ["/tmp", "/var/tmp", "/dev/shm"] {
      #expect(access("\(path)/\(name)", F_OK) != 0)
    }
  }

  @Test func privateFoldersHaveALimit() throws {
    let sandbox = try sandbox(privateSize: 1 << 20)
    let outcome = try run("head -c 2097152 /dev/zero > /tmp/big; echo $?", in: sandbox)
    #expect(outcome.output.contains("No space left"), "\(outcome.output)")
  }

  @Test func whatIsBoundIsSeen() throws {
    let other = try TemporaryFolder(name: "öther")
    try writeSmallFile(other.path(of: "f"), [])
    let file = other.path(of: "f")
    let sandbox = try sandbox(binds: [
      .init(other.path), .init(file, at: "/tmp/new folder/file", isWritable: true),
    ])
    let outcome = try run(
      "ls '\(other.path)'; touch '\(other.path)/g' 2>/dev/null || echo read-only; "
        + "echo x > '/tmp/new folder/file'", in: sandbox)
    #expect(outcome.output == "f\nread-only\n")
    #expect(readSmallFile(file) == Array("x\n".utf8))
  }

  @Test func aSourceThatIsMissingIsAFailure() throws {
    let sandbox = try sandbox(binds: [.init(folder.path(of: "nothing"))])
    let outcome = try run("true", in: sandbox)
    #expect(outcome.end == .unknown)
    let failure = try #require(outcome.process?.launchFailure)
    #expect(failure.code == .sandbox)
    #expect("\(failure)".contains("cannot be bound: No such file"), "\(failure)")
  }

  /// Somebody kills the process that makes sandboxes, or it was stopped and does not answer.
  @Test func aMakerThatIsKilledIsReplaced() throws {
    #expect(try run("true").end == .exited(0))
    let maker = try #require(
      ProcessTable.children().first {
        readSmallFile("/proc/\($0)/comm") == Array("carrel-maker\n".utf8)
      })
    let descriptor = carrel_pidfd_open(maker)
    defer { close(descriptor) }
    #expect(kill(maker, SIGKILL) == 0)
    var ended = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    #expect(poll(&ended, 1, 5000) == 1)
    #expect(try run("true").end == .exited(0))
  }

  @Test func aMissingExecutableIsAFailure() throws {
    let outcome = try run("true", executable: "/no/such/program")
    #expect(outcome.process?.launchFailure?.code == .launch)
    #expect(outcome.process?.launchFailure?.errorNumber == ENOENT)
  }

  @Test func onlyOwnProcessesAreThere() throws {
    let outcome = try run(
      "echo $$; ls /proc | grep -c '^[0-9]'; kill -9 \(getpid()) 2>/dev/null || true")
    let lines = outcome.output.split(separator: "\n")
    #expect(lines.first == "2")
    // The first process, the shell, and those of the pipe.
    #expect(["3", "4"].contains(lines.dropFirst().first ?? ""))
  }

  @Test func signalsAreSeen() throws {
    #expect(try run("kill -KILL $$").end == .signaled(SIGKILL))
    #expect(try run("kill -SEGV $$").end == .signaled(SIGSEGV))
  }

  @Test func theWholeGroupIsEnded() throws {
    let outcome = try run(
      "trap '' TERM; sh -c \"trap '' TERM; echo ready; while :; do sleep 9; done\" & wait",
      onOutput: { $0.terminate(grace: 0.01) })
    #expect(outcome.end == .signaled(SIGKILL))
    #expect(outcome.process?.sentSignals == [SIGTERM, SIGKILL])
    #expect(outcome.leaks.isEmpty)
  }

  @Test func aProcessCanEndOnSIGTERM() throws {
    let outcome = try run(
      "trap 'exit 5' TERM; echo ready; while :; do sleep 0.01; done",
      onOutput: { $0.terminate(grace: 60) })
    #expect(outcome.end == .exited(5))
  }

  /// However much later: a process that was killed has ended, and others live in its sandbox.
  @Test func theEndOfAKilledProcessLeavesTheOthersAlone() throws {
    let sandbox = try sandbox()
    let other = try start(
      "echo ready; until [ -e /tmp/carrel/go ]; do sleep 0.01; done; exit 3", in: sandbox)
    let killed = try start("echo ready; sleep 600", in: sandbox)
    loop.run { other.output == "ready\n" && killed.output == "ready\n" }
    killed.process?.terminate(grace: 0)
    loop.run { killed.end != nil }
    #expect(killed.end == .signaled(SIGKILL))
    killed.process = nil
    // Timers that were missed are postponed once.
    for _ in 0..<40 {
      clock.lead += 1
      var turned = false
      loop.after(0) { turned = true }
      loop.run { turned }
    }
    close(open(folder.path(of: "go"), O_CREAT | O_WRONLY, 0o600))
    loop.run { other.end != nil }
    #expect(other.end == .exited(3))
  }

  /// Whoever stops the first process does not keep the others from their end.
  @Test func aStoppedSandboxEnds() throws {
    let sandbox = try sandbox()
    let outcome = try start("echo ready; sleep 600", in: sandbox)
    loop.run { outcome.output == "ready\n" && outcome.process?.pid != 0 }
    // The kernel's list of children may lack some while others end (proc(5)).
    var found: Int32?
    for _ in 0..<1000 where found == nil {
      found = ProcessTable.children().first { first in
        ProcessTable.children(of: first).contains(outcome.process?.pid ?? 0)
      }
    }
    let first = try #require(found)
    #expect(kill(first, SIGSTOP) == 0)
    outcome.process?.terminate(grace: 0)
    loop.run { outcome.end != nil }
    #expect(outcome.end == .signaled(SIGKILL))
  }

  @Test func aProcessThatIsTerminatedBeforeItStartsEnds() throws {
    let sandbox = try sandbox()
    let outcome = try start("sleep 600", in: sandbox)
    outcome.process?.terminate(grace: 0)
    loop.run { outcome.end != nil }
    #expect(outcome.end == .signaled(SIGKILL))
  }

  @Test func whatIsLeftBehindIsNamed() throws {
    let outcome = try run(
      #"setsid sh -c 'sleep 600 & "#
        + #"until tr "\0" " " </proc/$!/cmdline | grep -q ^sleep; do :; done; echo $!'"#)
    #expect(outcome.end == .exited(0))
    let leak = try #require(outcome.leaks.first)
    #expect(outcome.leaks.count == 1)
    #expect(leak.process.command == "sleep 600")
    #expect("\(leak.insidePID)\n" == outcome.output)
    #expect(leak.process.pid != leak.insidePID)
    #expect(kill(leak.process.pid, 0) != 0)
  }

  @Test func everySandboxHasPortsOfItsOwn() throws {
    let script = """
      python3 -c 'import socket,sys; s=socket.socket(); s.bind(("127.0.0.1", 8080)); s.listen()
      a=socket.socket(socket.AF_UNIX); a.bind("\\0carrel"); print("both", flush=True)
      sys.stdin.read(); socket.create_connection(("127.0.0.1", 8080))'; sleep 600
      """
    let (first, second) = (try sandbox(), try sandbox())
    let outcomes = [try start(script, in: first), try start(script, in: second)]
    loop.run { outcomes.allSatisfy { $0.output.contains("\n") } }
    #expect(outcomes.map(\.output) == ["both\n", "both\n"])
    var gone = 0
    first.end { gone += 1 }
    second.end { gone += 1 }
    loop.run { gone == 2 && outcomes.allSatisfy { $0.end != nil } }
    #expect(outcomes.map(\.end) == [.signaled(SIGKILL), .signaled(SIGKILL)])
  }

  @Test func networkIsWhatWasAskedFor() throws {
    let count = "grep -c : /proc/net/dev"
    #expect(try run("cat /sys/class/net/lo/operstate >/dev/null; \(count)").output == "1\n")
    let outside = try run(count, in: try sandbox(.host)).output
    let own = String(decoding: readSmallFile("/proc/self/net/dev") ?? [], as: UTF8.self)
    #expect(outside == "\(own.split(separator: "\n").filter { $0.contains(":") }.count)\n")
    let connect = """
      python3 -c 'import socket; s=socket.socket(); s.bind(("127.0.0.1", 0)); s.listen()
      socket.create_connection(s.getsockname()); print("yes")' 2>/dev/null || echo no
      """
    #expect(try run(connect).output == "yes\n")
    #expect(try run(connect, in: try sandbox(.none)).output == "no\n")
  }

  /// A script that says nothing is not waited for when nobody wants to know any more.
  @Test func aScriptIsEndedEarly() throws {
    var isOver = false
    loop.after(0.05) { isOver = true }
    let error = #expect(throws: WorkersError.self) {
      try Sandbox.output(
        of: "trap '' TERM; sleep 1256; sleep 1256", .init(), using: (loop, registry),
        until: { isOver })
    }
    #expect(error?.code == .sandbox && isOver)
  }

  /// What the private folders hold can be seen from outside.
  @Test func privateFoldersAreMeasured() throws {
    let sandbox = try sandbox(privateSize: 1 << 20)
    let outcome = try start(
      "head -c 524288 /dev/zero > /tmp/half; cat /dev/zero > /dev/shm/full; echo written",
      in: sandbox)
    loop.run { outcome.end != nil }
    let use = sandbox.privateFolderUse()
    #expect(use.map(\.path) == ["/tmp", "/var/tmp", "/dev/shm"])
    #expect(use.map(\.isFull) == [false, false, true], "\(use)")
    #expect(use.first.map { $0.used >= 524_288 && $0.used < 1 << 20 } == true, "\(use)")
    var isGone = false
    sandbox.end { isGone = true }
    loop.run { isGone }
    #expect(sandbox.privateFolderUse().isEmpty)
  }

  @Test func severalProcessesShareASandbox() throws {
    let sandbox = try sandbox()
    let first = try start("echo x > /tmp/shared; sleep 600", in: sandbox)
    let second = try start(
      "until [ -s /tmp/shared ]; do :; done; cat /tmp/shared", in: sandbox)
    loop.run { second.end != nil }
    #expect(second.output == "x\n" && second.leaks.isEmpty)
    #expect(first.end == nil)
    var isGone = false
    sandbox.end { isGone = true }
    loop.run { isGone && first.end != nil }
    #expect(first.end == .signaled(SIGKILL))
  }

  @Test func nothingIsLeftAfterMany() throws {
    // Other suites of this process open some, too, but not as many.
    func open() throws -> Int {
      try #require(folderEntries("/proc/self/fd")).count + ProcessTable.children().count
    }
    let before = try open()
    for _ in 0..<50 { #expect(try run("true").end == .exited(0)) }
    #expect(try open() < before + 40)
  }
}
