import Evidence
import Orchestration
import RunEngine
import RunModel
import Workers

/// What is known of everything around an attempt that can decide how it ends.
///
/// Two of them are compared fact by fact. What is another one in every run is no fact: times, PIDs,
/// the variables that a test never sees.
struct Surroundings {
  /// The run.
  var header: RunHeader?
  /// Toolchain, system, and digests of what was built; `nil` when that is not recorded.
  var toolchain: ToolchainFacts?
  var carrel: String
  var host: String
  /// What the container was like before the first test of its process.
  var container: String
  /// Tests that ran before in the process, in order.
  var predecessors: [TestID]
  /// The batch; `nil` when that is not recorded.
  var start: BatchStart?
  /// The process; `nil` when there was none.
  var command: RecordedCommand?
  var timeLimit: Double?
  var isolation: String
  var fixtureToken: String?
  /// What the apps' calls were configured to be.
  var intents: IntentOptions?
}

extension Surroundings {
  /// Those of the attempt in a bundle.
  init(_ failure: OriginalFailure) {
    let manifest = failure.manifest
    self.init(
      header: failure.header, toolchain: manifest.toolchainDetails?.facts, carrel: manifest.carrel,
      host: manifest.hostName, container: Self.used(by: manifest.predecessors),
      predecessors: manifest.predecessors, start: failure.start, command: failure.command,
      timeLimit: manifest.timeLimit, isolation: manifest.isolation,
      fixtureToken: manifest.fixtureToken,
      intents: failure.header.flatMap { Self.intents($0.configuration) })
  }

  /// Those of a reproduction.
  ///
  /// - Parameter start: Its batch; `nil` when that has not started yet.
  init(
    _ session: RunSession, _ plan: ReproductionPlan, start: BatchStart?, command: RecordedCommand?
  ) {
    let (state, test) = (session.state, plan.failure.manifest.test)
    let header = state.header
    let predecessors =
      plan.opensProgram
      ? (plan.hasPredecessors ? plan.failure.manifest.predecessors : [])
      : Self.predecessors(of: test, in: state)
    self.init(
      header: header,
      toolchain: header?.toolchainDetails?.facts.merging(session.buildFacts(of: test)),
      carrel: header?.carrel ?? carrelVersion, host: header?.hostName ?? "",
      container: plan.restores ? "restored from the bundle" : Self.used(by: predecessors),
      predecessors: predecessors, start: start, command: command, timeLimit: header?.timeLimit,
      isolation: header?.isolation ?? "",
      fixtureToken: command?.environment["CARREL_FIXTURE_TOKEN"],
      intents: plan.request.configuration.intents)
  }

  private static func used(by tests: [TestID]) -> String {
    tests.isEmpty ? "as it was made" : "used by \(count(tests.count)) before"
  }

  private static func count(_ number: Int) -> String {
    number == 1 ? "1 test" : "\(number) tests"
  }

  /// The tests of a run that started before another one.
  private static func predecessors(of test: TestID, in state: RunState) -> [TestID] {
    guard let began = state.test(test)?.attempts.last?.startedAt else { return [] }
    return state.tests.filter { $0.id != test }
      .compactMap { other in other.attempts.last.map { (other.id, $0.startedAt) } }
      .filter { $0.1 < began }.sorted { $0.1 < $1.1 }.map(\.0)
  }

  private static func intents(_ text: String?) -> IntentOptions? {
    guard let text else { return IntentOptions() }
    return (try? ConfigurationFile.read(Array(text.utf8)))?.intents
  }
}

extension Surroundings {
  /// Compares these with others, the most telling first; what is not recorded here is not compared.
  func differences(in now: Surroundings) -> [ReproductionFact] {
    var list = FactList()
    compareToolchain(now, &list)
    compareCompany(now, &list)
    compareIsolation(now, &list)
    compareLimits(now, &list)
    compareEnvironment(now, &list)
    compareData(now, &list)
    comparePlaces(now, &list)
    return list.facts
  }

  private func compareToolchain(_ now: Surroundings, _ list: inout FactList) {
    if let toolchain = toolchain?.only({ $0 != .sandbox }) {
      for difference in (now.toolchain ?? ToolchainFacts()).differences(from: toolchain) {
        list.add(difference.fact, difference.wanted, difference.found)
      }
    } else {
      list.add("toolchain", header?.toolchain, now.header?.toolchain)
    }
    guard let header, let other = now.header else { return }
    list.add(
      "build.configuration", header.buildConfiguration ?? other.buildConfiguration,
      other.buildConfiguration)
    if let flags = header.buildFlags {
      list.add(
        "build.flags", flags.joined(separator: " "), other.buildFlags?.joined(separator: " "))
    }
  }

  private func compareCompany(_ now: Surroundings, _ list: inout FactList) {
    list.add("container", container, now.container)
    if Set(predecessors) != Set(now.predecessors) {
      list.add(
        "predecessors", Self.count(predecessors.count), Self.count(now.predecessors.count))
    } else if predecessors != now.predecessors {
      func names(_ tests: [TestID]) -> String {
        tests.map(\.printableName).joined(separator: ", ")
      }
      list.add("predecessors", names(predecessors), names(now.predecessors))
    }
    guard let start, let other = now.start else { return }
    list.add("tests", start.tests.count, other.tests.count)
    if let way = start.start { list.add("start", way.rawValue, other.start?.rawValue) }
    list.add("clone", start.clone, other.clone)
  }

  private func compareIsolation(_ now: Surroundings, _ list: inout FactList) {
    list.add("isolation", isolation, now.isolation)
    guard let header, isolation == now.isolation else { return }
    list.add("network", header.network, now.header?.network)
    // A copy of the package has its own.
    let here = { (path: String) in
      ReproCommand.moved(path, from: header.packagePath, to: now.header?.packagePath ?? "")
    }
    list.add("writable", header.writable?.map(here), now.header?.writable)
    list.add("scratch", header.scratch?.map(here), now.header?.scratch)
  }

  private func compareLimits(_ now: Surroundings, _ list: inout FactList) {
    list.add("limit.time", timeLimit?.formattedSeconds, now.timeLimit?.formattedSeconds)
    guard let header else { return }
    let then = header.limits?.limits ?? ResourceLimits()
    let here = now.header?.limits?.limits ?? ResourceLimits()
    func size(_ bytes: Int?) -> String? { bytes.map { ByteSize.text($0) } }
    list.add("limit.memory", size(then.memory), size(here.memory))
    list.add("limit.processes", then.processes, here.processes)
    list.add("limit.files", then.files, here.files)
    list.add("limit.disk", size(then.disk), size(here.disk))
    list.add("limit.cpus", then.cpus, here.cpus)
    list.add("limit.silence", then.silence?.formattedSeconds, here.silence?.formattedSeconds)
    list.add("limit.mechanism", header.limits?.mechanism, now.header?.limits?.mechanism)
  }

  private func compareData(_ now: Surroundings, _ list: inout FactList) {
    if let seed = header?.seed { list.add("seed", seed, now.header?.seed) }
    list.add("fixtureToken", fixtureToken, now.fixtureToken)
    guard let intents, let other = now.intents else { return }
    list.add("intents.seed", intents.seed?.text, other.seed?.text)
    list.add(
      "intents.indexDelay", intents.indexDelay.formattedSeconds, other.indexDelay.formattedSeconds)
    list.add(
      "intents.callLimit", intents.callLimit.formattedSeconds, other.callLimit.formattedSeconds)
    list.add(
      "intents.startLimit", intents.startLimit.formattedSeconds, other.startLimit.formattedSeconds)
  }

  private func comparePlaces(_ now: Surroundings, _ list: inout FactList) {
    if let workers = header?.workers { list.add("workers", workers, now.header?.workers) }
    if let processors = header?.processors {
      list.add("processors", processors, now.header?.processors)
    }
    if let path = header?.packagePath { list.add("package", path, now.header?.packagePath) }
    if let command, let other = now.command {
      list.add("container.path", command.container, other.container)
    }
    list.add("carrel", carrel, now.carrel)
    list.add("host", host, now.host)
  }
}

extension Surroundings {
  /// Taken away before a test can see them, or the marks of one process.
  private static let unseen: Set<String> = [
    "LD_PRELOAD", "SWIFT_BACKTRACE", "CARREL_SCOPE", "CARREL_TEST_SEQUENCE",
  ]
  /// Variables whose values are no secret.
  private static let open =
    Set(TestEnvironment.allowed).union(TestEnvironment.fixed.keys)
    .union(Container(root: "/").environment.keys)

  private func compareEnvironment(_ now: Surroundings, _ list: inout FactList) {
    guard let command, let other = now.command else { return }
    let then = command.visibleVariables
    let here = other.visibleVariables
    for name in Set(then.keys).union(here.keys).sorted() where !Self.isUnseen(name) {
      guard then[name] != here[name] else { continue }
      if then[name] == SecretSearch.removedValue {
        list.add(
          "variable.\(name)", "taken out of the bundle",
          here[name].map { _ in "set (not compared)" })
        continue
      }
      if Self.open.contains(name) || name.hasPrefix("CARREL_") {
        list.add("variable.\(name)", then[name], here[name])
      } else {
        list.add(
          "variable.\(name)", then[name].map { _ in "set" },
          here[name].map { _ in then[name] == nil ? "set" : "set to something else" })
      }
    }
    guard start?.tests.count == now.start?.tests.count else { return }
    let arguments = [command, other].map { command in
      command.arguments.map { ReproCommand.moved($0, from: command.container, to: "<container>") }
        .joined(separator: " ")
    }
    list.add("arguments", arguments[0], arguments[1])
  }

  private static func isUnseen(_ name: String) -> Bool {
    unseen.contains(name) || name.hasPrefix("CARREL_OBSERVER_")
  }
}

extension RecordedCommand {
  /// The variables with the container's path put aside.
  fileprivate var visibleVariables: [String: String] {
    guard !container.isEmpty else { return environment }
    return environment.mapValues { $0.replacing(container, with: "<container>") }
  }
}

extension SeedCall {
  /// For people.
  fileprivate var text: String {
    let values = parameters.sorted { $0.key < $1.key }.map { "\($0.key): \($0.value)" }
    return "\(intent) of \(bundleIdentifier) (\(values.joined(separator: ", ")))"
      + (isShared ? "" : " before each attempt")
  }
}

/// Facts that differ, in the order in which they are told.
private struct FactList {
  private(set) var facts: [ReproductionFact] = []

  mutating func add(_ name: String, _ then: String?, _ now: String?) {
    if then != now { facts.append(ReproductionFact(fact: name, then: then, now: now)) }
  }

  mutating func add(_ name: String, _ then: Int?, _ now: Int?) {
    add(name, then.map { "\($0)" }, now.map { "\($0)" })
  }

  mutating func add(_ name: String, _ then: [String]?, _ now: [String]?) {
    add(name, then?.joined(separator: ", "), now?.joined(separator: ", "))
  }
}
