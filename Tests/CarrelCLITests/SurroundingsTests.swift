import Evidence
import RunEngine
import RunModel
import Testing

@testable import CarrelCLI

/// What differs between an attempt and its reproduction.
@Suite struct SurroundingsTests {
  private static func test(_ name: String) -> TestID {
    TestID(product: "P", library: .xctest, name: "M.C/\(name)")
  }

  private static let header: RunHeader = {
    var header = RunHeader(
      runID: "r", carrel: "0.1.0", packagePath: "/p", arguments: [], workers: 2, batch: "auto",
      retries: 0, timeLimit: 60, leaksFail: true, isolation: "sandbox", seed: "s",
      toolchain: "Swift", hostName: "h", passedVariables: [], buildConfiguration: "debug",
      buildFlags: [], network: "loopback", writable: ["/p/out"],
      limits: RunLimits(
        limits: ResourceLimits(memory: 1 << 30, files: 64), mechanism: "cgroup v2", notes: []))
    header.processors = 2
    return header
  }()

  private static let then = Surroundings(
    header: header,
    toolchain: ToolchainFacts([
      "compiler.version": "6.3.1", "libc": "glibc 2.36", "product.P": "sha256:1",
      "sandbox": "yes",
    ]),
    carrel: "0.1.0", host: "h", container: "as it was made", predecessors: [],
    start: BatchStart(
      batch: 1, worker: 1, purpose: .planned, tests: [test("a"), test("b")], start: .cold),
    command: RecordedCommand(
      executable: "/p/x", arguments: ["--at", "/c/w1/selection"],
      environment: ["HOME": "/c/w1/home", "TOKEN": "secret", "PATH": "/bin", "LD_PRELOAD": "/o"],
      directory: "/p", container: "/c/w1"),
    timeLimit: 60, isolation: "sandbox", fixtureToken: "t", intents: IntentOptions())

  private func facts(_ change: (inout Surroundings) -> Void) -> [String] {
    var now = Self.then
    change(&now)
    return Self.then.differences(in: now).map(\.text)
  }

  /// Where the container is and what tests cannot see is no difference of their variables.
  @Test func theSameIsTheSame() {
    #expect(facts { _ in } == [])
    let moved = facts {
      $0.toolchain?.values["sandbox"] = "no"
      $0.command = RecordedCommand(
        executable: "/p/x", arguments: ["--at", "/d/w1/selection"],
        environment: [
          "HOME": "/d/w1/home", "TOKEN": "secret", "PATH": "/bin", "LD_PRELOAD": "/other",
          "CARREL_OBSERVER_NONCE": "1", "CARREL_SCOPE": "2",
        ], directory: "/p", container: "/d/w1")
    }
    #expect(moved == ["container.path: was /c/w1, is /d/w1"])
  }

  @Test func whatTellsMostComesFirst() {
    let list = facts {
      $0.carrel = "0.2.0"
      $0.container = "restored from the bundle"
      $0.toolchain?.values["product.P"] = "sha256:2"
      $0.toolchain?.values["compiler.version"] = "6.2"
      $0.timeLimit = nil
      $0.fixtureToken = "u"
      $0.header?.workers = 1
      $0.header?.buildFlags = ["-Xswiftc", "-O"]
    }
    #expect(
      list == [
        "compiler.version: was 6.3.1, is 6.2", "product.P: was sha256:1, is sha256:2",
        "build.flags: was empty, is -Xswiftc -O",
        "container: was as it was made, is restored from the bundle",
        "limit.time: was 60 s, is not there", "fixtureToken: was t, is u", "workers: was 2, is 1",
        "carrel: was 0.1.0, is 0.2.0",
      ])
  }

  /// Values are shown of what Carrel sets and passes by itself.
  @Test func valuesOfOtherVariablesAreNotShown() {
    let list = facts {
      $0.command?.environment["TOKEN"] = "other secret"
      $0.command?.environment["PATH"] = "/usr/bin"
      $0.command?.environment["MORE"] = "more secret"
      $0.command?.environment["CARREL_WORKER"] = "3"
    }
    #expect(
      list == [
        "variable.CARREL_WORKER: was not there, is 3", "variable.MORE: was not there, is set",
        "variable.PATH: was /bin, is /usr/bin", "variable.TOKEN: was set, is set to something else",
      ])
  }

  /// Nobody knows whether a value is the one that was taken out.
  @Test func valuesThatWereTakenOutAreNotCompared() {
    var then = Self.then
    then.command?.environment["TOKEN"] = SecretSearch.removedValue
    #expect(
      then.differences(in: Self.then).map(\.text) == [
        "variable.TOKEN: was taken out of the bundle, is set (not compared)"
      ])
    var now = Self.then
    now.command?.environment["TOKEN"] = nil
    #expect(
      then.differences(in: now).map(\.text) == [
        "variable.TOKEN: was taken out of the bundle, is not there"
      ])
  }

  @Test func companyIsToldByNumberOrOrder() {
    let (a, b, c) = (Self.test("a"), Self.test("b"), Self.test("c"))
    var then = Self.then
    then.predecessors = [a, b]
    var now = then
    now.predecessors = [b, a]
    #expect(
      then.differences(in: now).map(\.text) == ["predecessors: was M.C/a, M.C/b, is M.C/b, M.C/a"])
    now.predecessors = [c]
    #expect(then.differences(in: now).map(\.text) == ["predecessors: was 2 tests, is 1 test"])
  }

  @Test func limitsIsolationAndFaultsAreCompared() {
    let list = facts {
      $0.header?.limits?.limits = ResourceLimits(memory: 2 << 30)
      $0.header?.limits?.mechanism = "rlimits"
      $0.header?.network = "host"
      $0.header?.packagePath = "/q"
      $0.header?.writable = ["/q/out"]
      $0.intents?.indexDelay = 0.5
      $0.intents?.seed = SeedCall(bundleIdentifier: "b", intent: "Seed")
    }
    #expect(
      list == [
        "network: was loopback, is host", "limit.memory: was 1 GiB, is 2 GiB",
        "limit.files: was 64, is not there", "limit.mechanism: was cgroup v2, is rlimits",
        "intents.seed: was not there, is Seed of b ()", "intents.indexDelay: was 0 s, is 0.5 s",
        "package: was /p, is /q",
      ])
  }

  /// An older version has recorded less; that is no difference.
  @Test func whatIsNotRecordedIsNotCompared() {
    var then = Self.then
    (then.toolchain, then.start, then.command, then.intents) = (nil, nil, nil, nil)
    then.header?.processors = nil
    var now = Self.then
    now.header?.processors = 64
    #expect(then.differences(in: now) == [])
    then.header = nil
    then.limitsOnly(as: now)
    #expect(
      then.differences(in: now) == [ReproductionFact(fact: "toolchain", then: nil, now: "Swift")])
  }

  @Test func listsAreCompleteAndHarmless() {
    #expect(
      ReproductionFact.lines([]) == ["differs from the original: nothing that is recorded"])
    let digest = "sha256:" + String(repeating: "ab", count: 32)
    let facts = (1...300).map { ReproductionFact(fact: "f\($0)", then: digest, now: "a\u{1B}[2Jb") }
    let lines = ReproductionFact.lines(facts)
    #expect(lines.count == 301)
    #expect(lines.last == "  f300: was sha256:abababababab…, is a\\u{1B}[2Jb")
  }
}

extension Surroundings {
  fileprivate mutating func limitsOnly(as other: Surroundings) {
    (timeLimit, isolation, fixtureToken) = (other.timeLimit, other.isolation, other.fixtureToken)
  }
}
