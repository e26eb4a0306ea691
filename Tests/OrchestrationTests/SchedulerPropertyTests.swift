import RunModel
import TestSupport
import Testing

@testable import Orchestration

/// What must hold in any sequence of events, checked in random runs.
@Suite struct SchedulerPropertyTests {
  @Test(arguments: 0..<20)
  func everyPlannedTestHasExactlyOneResult(block: Int) {
    for seed in block * 100..<(block + 1) * 100 {
      var world = RandomWorld(seed: seed)
      world.run()
      #expect(world.complaints.isEmpty, "seed \(seed): \(world.complaints)")
    }
  }

  @Test func randomRunsReachWhatTheyAreMeantToTest() {
    var verdicts: Set<Verdict> = []
    var purposes: Set<AttemptPurpose> = []
    var findings: Set<String> = []
    for seed in 0..<300 {
      var world = RandomWorld(seed: seed)
      world.run()
      verdicts.formUnion(world.finished.values.map(\.verdict))
      purposes.formUnion(world.specs.map(\.purpose))
      for case .some(let finding) in world.finished.values.map(\.company) {
        findings.insert(String("\(finding)".prefix { $0.isLetter }))
      }
    }
    #expect(verdicts == Set(Verdict.allCases))
    #expect(purposes == [.planned, .retry, .aloneCheck, .companyCheck])
    #expect(findings == ["alsoAlone", "onlyAfter", "alsoInCompany", "onlyAlone"])
  }

  @Test func sameEventsGiveSameCommands() {
    for seed in 0..<50 {
      var first = RandomWorld(seed: seed)
      var second = RandomWorld(seed: seed)
      first.run()
      second.run()
      #expect(first.specs == second.specs)
      #expect(first.finished == second.finished)
    }
  }
}

/// A plan, options and processes drawn from a seed, with a model of what must hold.
private struct RandomWorld {
  private(set) var specs: [BatchSpec] = []
  private(set) var finished: [TestID: TestResult] = [:]
  private(set) var complaints: [String] = []
  private var generator: SeededGenerator
  private let plan: Plan
  private var scheduler: Scheduler
  private var open: [BatchSpec] = []
  private var attempts: [TestID: Int] = [:]
  private var isInterrupted = false
  private let failureRate: Double
  private let deathRate: Double
  private let emptyRate: Double

  init(seed: Int) {
    generator = SeededGenerator(seed: seed)
    var tests: [TestDescriptor] = []
    for product in 0..<Int.random(in: 1...3, using: &generator) {
      for library in TestLibrary.allCases where generator.chance(0.7) {
        tests += listing(Int.random(in: 0...40, using: &generator), product: "P\(product)", library)
      }
    }
    if generator.chance(0.3) {
      for index in tests.indices where tests[index].id.suite.hasSuffix("1") {
        tests[index].usesIntents = true
      }
    }
    if generator.chance(0.3) { tests.shuffle(using: &generator) }
    if generator.chance(0.3) { tests += tests.prefix(5) }
    plan = Plan(tests)
    let policies: [BatchPolicy] = [
      .auto, .auto, .fixed(1), .fixed(Int.random(in: 1...50, using: &generator)),
    ]
    scheduler = Scheduler(
      plan: plan,
      options: SchedulerOptions(
        workers: Int.random(in: 1...5, using: &generator),
        batch: policies.randomElement(using: &generator) ?? .auto,
        retries: [0, 0, 1, 3].randomElement(using: &generator) ?? 0,
        checksCompany: generator.chance(0.8), leaksFail: generator.chance(0.5),
        maxFailures: generator.chance(0.2) ? Int.random(in: 1...9, using: &generator) : nil,
        companyCheckLimit: generator.chance(0.2) ? 1 : 100))
    failureRate = [0, 0.05, 0.3, 1].randomElement(using: &generator) ?? 0
    deathRate = [0, 0.02, 0.2].randomElement(using: &generator) ?? 0
    emptyRate = [0, 0.1, 0.6].randomElement(using: &generator) ?? 0
  }

  mutating func run() {
    let interruptsAt = generator.chance(0.2) ? Int.random(in: 0...20, using: &generator) : Int.max
    let limit = plan.count * (5 + scheduler.options.retries) + 10
    take(scheduler.start())
    var step = 0
    while !open.isEmpty {
      if step == interruptsAt {
        isInterrupted = true
        take(scheduler.handle(.interrupted(reason: "stop")))
      }
      step += 1
      if step > limit { return complaints.append("no end after \(step) batches") }
      if generator.chance(0.1) { sendNonsense() }
      let spec = open.remove(at: Int.random(in: 0..<open.count, using: &generator))
      take(scheduler.handle(end(of: spec)))
    }
    if !scheduler.isDone { complaints.append("idle before the end") }
    if finished.count != plan.count { complaints.append("\(finished.count) of \(plan.count)") }
    if scheduler.remaining != 0 { complaints.append("remaining \(scheduler.remaining)") }
  }

  private mutating func sendNonsense() {
    let batch = [0, -5, specs.count + 1, 1 << 40].randomElement(using: &generator) ?? 0
    let known = open.contains { $0.batch == batch }
    guard !known, let spec = specs.randomElement(using: &generator) else { return }
    let commands = scheduler.handle(
      .batchEnded(
        batch: batch, results: spec.tests.map { result($0, spec, .crashed) }, startCost: -.infinity,
        duration: .nan))
    if !commands.isEmpty { complaints.append("reacts to an unknown batch") }
  }

  /// Lets the batch's process run to its end.
  private mutating func end(of spec: BatchSpec) -> SchedulerEvent {
    var results: [AttemptResult] = []
    var order = spec.tests
    if spec.purpose == .planned, generator.chance(0.2) { order.shuffle(using: &generator) }
    var hasCompany = false
    if !generator.chance(emptyRate) {
      for test in order {
        guard spec.attempts[test] != nil else {
          hasCompany = true
          continue
        }
        let verdict = verdictOfNext()
        results.append(
          result(
            test, spec, verdict, hadCompany: hasCompany != generator.chance(0.1), duration: 0.01))
        if verdict != .notRun { attempts[test, default: 0] += 1 }
        hasCompany = true
        if [.crashed, .timedOut, .lost, .interrupted].contains(verdict) { break }
      }
    }
    if generator.chance(0.1) {
      results += results
      results.append(result(id("Strange.T/x"), spec, .failed))
    }
    return .batchEnded(
      batch: spec.batch, results: results,
      startCost: generator.chance(0.5) ? Double.random(in: 0...0.1, using: &generator) : nil,
      duration: Double.random(in: 0...2, using: &generator))
  }

  private mutating func verdictOfNext() -> Verdict {
    if generator.chance(deathRate) {
      return [.crashed, .timedOut, .lost].randomElement(using: &generator) ?? .crashed
    }
    if isInterrupted, generator.chance(0.3) { return .interrupted }
    if generator.chance(failureRate) {
      let choices: [Verdict] = [.failed, .failed, .failed, .leaked, .environment, .notRun]
      return choices.randomElement(using: &generator) ?? .failed
    }
    let choices: [Verdict] = [.passed, .passed, .passed, .passed, .skipped, .knownIssue]
    return choices.randomElement(using: &generator) ?? .passed
  }

  /// Checks commands against what must hold, and carries them out.
  private mutating func take(_ commands: [SchedulerCommand]) {
    if commands.map(\.startsBatch) != commands.map(\.startsBatch).sorted(by: { !$0 && $1 }) {
      complaints.append("starts a batch before it finishes tests")
    }
    for finish in commands.finished { check(finish) }
    for spec in commands.batches {
      check(spec)
      open.append(spec)
      specs.append(spec)
    }
    if open.count > scheduler.options.workers { complaints.append("too many batches") }
    if Set(open.map(\.worker)).count != open.count { complaints.append("a worker is used twice") }
    if open.count != scheduler.running.count { complaints.append("wrong number of batches") }
    let idle = open.count < scheduler.options.workers
    if idle, open.isEmpty, !scheduler.isDone, scheduler.remaining > 0 {
      complaints.append("nothing runs though tests remain")
    }
  }

  private mutating func check(_ finish: TestResult) {
    if plan.position(of: finish.test) == nil { complaints.append("unplanned result") }
    if finished.updateValue(finish, forKey: finish.test) != nil {
      complaints.append("\(finish.test) finished twice")
    }
    if finish.attempts != attempts[finish.test, default: 0] {
      complaints.append("\(finish.test) has \(finish.attempts) attempts")
    }
    if finish.verdict == .notRun, finish.reason == nil { complaints.append("no reason") }
    if finish.isFlaky, finish.attempts < 2 { complaints.append("flaky after one attempt") }
    if open.contains(where: { $0.attempts[finish.test] != nil }) {
      complaints.append("\(finish.test) is finished while it runs")
    }
  }

  private mutating func check(_ spec: BatchSpec) {
    if isInterrupted { complaints.append("starts after the interrupt") }
    if spec.batch != specs.count + 1 { complaints.append("batch numbers have a gap") }
    if !(1...scheduler.options.workers).contains(spec.worker) {
      complaints.append("no such worker")
    }
    if spec.tests.isEmpty || spec.attempts.isEmpty { complaints.append("an empty batch") }
    if Set(spec.tests).count != spec.tests.count { complaints.append("a test twice in a batch") }
    for test in spec.tests where test.product != spec.product || test.library != spec.library {
      complaints.append("mixes groups")
    }
    for (test, attempt) in spec.attempts {
      if attempt != attempts[test, default: 0] + 1 { complaints.append("attempt \(attempt)") }
      if finished[test] != nil { complaints.append("\(test) runs after its end") }
      if !spec.tests.contains(test) { complaints.append("records a test it does not run") }
      if open.contains(where: { $0.attempts[test] != nil }) {
        complaints.append("\(test) runs twice")
      }
    }
    let solitary = spec.tests.compactMap(plan.position).filter { plan.tests[$0].usesIntents }
    if !solitary.isEmpty, spec.tests.count > 1 { complaints.append("an app's test has company") }
    switch spec.purpose {
    case .planned:
      if spec.attempts.count != spec.tests.count { complaints.append("unrecorded planned test") }
      if case .fixed(let size) = scheduler.options.batch, spec.tests.count > size {
        complaints.append("batch of \(spec.tests.count)")
      }
    case .retry, .aloneCheck:
      if spec.tests.count != 1 { complaints.append("not alone") }
    case .companyCheck:
      if spec.attempts.count != 1 || spec.tests.count < 2 { complaints.append("no company") }
      if spec.attempts[spec.tests[spec.tests.count - 1]] == nil { complaints.append("not last") }
      if Set(spec.tests.map(\.suite)).count != 1 { complaints.append("neighbours of other suites") }
    }
  }
}
