import Glibc
import RunModel
import SystemFiles
import TestSupport
import Testing

@testable import Workers

extension SupervisedProcessTests {
  /// Runs a shell script under limits.
  private func run(
    _ script: String, under limits: ResourceLimits, usesGroups: Bool = true, worker: Int = 1,
    _ look: (BatchLimits) throws -> Void = { _ in }
  ) throws -> Outcome {
    let limiter = Limiter(limits, usesGroups: usesGroups)
    defer { limiter.close() }
    let batch = try #require(try limiter.begin(batch: 7, worker: worker))
    defer { batch.end() }
    let loop = try EventLoop()
    var outcome = Outcome()
    let process = try SupervisedProcess(
      ProcessRequest(
        executable: "/bin/sh", arguments: ["-c", script],
        environment: ["PATH": "/usr/bin:/bin"], scope: "limits", limits: batch.process),
      loop: loop, registry: try ProcessRegistry(ownsAllChildren: false),
      onOutput: { outcome.output[$0, default: []] += Array($1) },
      onEnd: {
        outcome.end = $0
        outcome.leaks = $1
      })
    loop.run { outcome.end != nil }
    outcome.sentSignals = process.sentSignals
    try look(batch)
    return outcome
  }

  @Test func resourceLimitsAreThoseOfTheProcess() throws {
    let outcome = try run(
      "ulimit -n; ulimit -Hn; ulimit -f; ulimit -d",
      under: ResourceLimits(memory: 1 << 30, files: 40, disk: 1 << 20), usesGroups: false)
    // The shell counts blocks of 512 bytes and KiB.
    #expect(outcome.text(.stdout) == "40\n40\n2048\n1048576\n")
  }

  /// A limit above the one that the caller has changes nothing, and is no reason not to start.
  @Test func limitCannotBeRaised() throws {
    var own = rlimit()
    #expect(getrlimit(Int32(RLIMIT_NOFILE.rawValue), &own) == 0)
    let outcome = try run("ulimit -n", under: ResourceLimits(files: Int(own.rlim_max) + 1))
    #expect(outcome.text(.stdout) == "\(own.rlim_max)\n")
  }

  @Test func largeFileEndsTheProcess() throws {
    let folder = try TemporaryFolder()
    let outcome = try run(
      "exec head -c 100000 /dev/zero >'\(folder.path(of: "large"))'",
      under: ResourceLimits(disk: 65536))
    #expect(outcome.end == .signaled(SIGXFSZ))
    #expect(readSmallFile(folder.path(of: "large"))?.count == 65536)
  }

  /// Workers get processors of their own as far as there are enough.
  @Test func processorsAreChosenByWorker() throws {
    let available = availableProcessors()
    let limiter = Limiter(ResourceLimits(cpus: 1))
    let chosen = try (1...available.count + 1).map {
      try #require(try limiter.begin(batch: $0, worker: $0)).process.processors
    }
    guard available.count > 1 else { return #expect(chosen == [[], []]) }
    #expect(chosen.dropLast().map { $0 } == available.map { [$0] })
    #expect(chosen.last == [available[0]])
    #expect(try run("nproc", under: ResourceLimits(cpus: 1)).text(.stdout) == "1\n")
  }

  @Test func moreProcessorsThanThereAreIsSaid() throws {
    let limiter = Limiter(ResourceLimits(cpus: 8192))
    #expect(limiter.record?.notes.count == 1)
    #expect(limiter.record?.notes.first?.contains("of 8192 CPUs") == true)
    #expect(try limiter.begin(batch: 1, worker: 1)?.process.processors == [])
  }

  @Test func nothingIsMadeWithoutLimits() throws {
    let limiter = Limiter(ResourceLimits(silence: 5))
    #expect(try limiter.begin(batch: 1, worker: 1) == nil)
    #expect(limiter.record?.notes == [])
    #expect(Limiter(ResourceLimits()).record == nil)
  }

  /// Without groups the record says what does not hold.
  @Test func weaknessIsSaid() {
    let limiter = Limiter(ResourceLimits(memory: 1 << 30, processes: 10), usesGroups: false)
    #expect(limiter.record?.mechanism == "rlimits")
    let text = limiter.record?.notes.joined(separator: "\n") ?? ""
    #expect(text.contains("RLIMIT_DATA"))
    #expect(text.contains(geteuid() == 0 ? "does not bind root" : "RLIMIT_NPROC"))
  }

  @Test(.enabled(if: canMakeControlGroups, "no control groups can be made here"))
  func memoryLimitKillsAndIsProven() throws {
    let outcome = try run(
      "exec awk 'BEGIN { x = \"aaaaaaaa\"; while (length(x) < 250000000) x = x x }'",
      under: ResourceLimits(memory: 32 << 20)
    ) { #expect($0.memoryKills == 1 && $0.refusals == 0) }
    #expect(outcome.end == .signaled(SIGKILL))
    #expect(outcome.sentSignals == [])
  }

  @Test(.enabled(if: canMakeControlGroups, "no control groups can be made here"))
  func processLimitRefusesAndIsProven() throws {
    let outcome = try run(
      "/bin/true; n=0; while [ $n -lt 20 ]; do sleep 1252 & n=$((n + 1)); done; echo all",
      under: ResourceLimits(processes: 5)
    ) { #expect($0.refusals > 0 && $0.memoryKills == 0) }
    #expect(outcome.text(.stdout) == "")
    #expect(outcome.leaks.count == 4)
  }

  /// Nothing is left of the groups, also when a process hides in one.
  @Test(.enabled(if: canMakeControlGroups, "no control groups can be made here"))
  func groupsAreRemoved() throws {
    let limiter = Limiter(ResourceLimits(memory: 1 << 30, processes: 100))
    #expect(limiter.record?.mechanism.hasPrefix("cgroup") == true && limiter.record?.notes == [])
    let batch = try #require(try limiter.begin(batch: 1, worker: 1))
    let request = ProcessRequest(
      executable: "/bin/sh", arguments: ["-c", "grep -E 'memory|pids|::' /proc/self/cgroup"],
      environment: ["PATH": "/usr/bin:/bin"], scope: "groups", limits: batch.process)
    let loop = try EventLoop()
    var text = ""
    var isOver = false
    let process = try SupervisedProcess(
      request, loop: loop, registry: try ProcessRegistry(ownsAllChildren: false),
      onOutput: { text += String(decoding: $1, as: UTF8.self) }, onEnd: { _, _ in isOver = true })
    loop.run { isOver }
    #expect(process.pid > 0)
    let paths = text.split(separator: "\n").compactMap { $0.split(separator: ":").last }
      .filter { $0.contains("/carrel-\(getpid())-") }
    #expect(!paths.isEmpty && paths.allSatisfy { $0.hasSuffix("/batch-1") }, "\(text)")
    let roots = ["", "/memory", "/pids", "/unified"].map { "/sys/fs/cgroup\($0)" }
    func existing() -> [String] {
      roots.flatMap { root in paths.map { root + $0 } }.filter { access($0, F_OK) == 0 }
    }
    #expect(!existing().isEmpty)
    batch.end()
    limiter.close()
    #expect(existing() == [])
    #expect(
      roots.flatMap { root in
        paths.map { root + $0.dropLast("/batch-1".utf8.count) }
      }.filter { access($0, F_OK) == 0 } == [])
  }
}
