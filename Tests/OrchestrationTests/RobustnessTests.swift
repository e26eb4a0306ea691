import RunModel
import Testing

@testable import Orchestration

/// Interrupts, processes that bring nothing, and events that make no sense.
@Suite struct RobustnessTests {
  private func ended(_ spec: BatchSpec, _ results: [AttemptResult] = []) -> SchedulerEvent {
    .batchEnded(batch: spec.batch, results: results, startCost: 0.02, duration: 0.1)
  }

  /// Ends batches as `isEmpty` says; all other tests pass.
  private func run(_ scheduler: inout Scheduler, isEmpty: (BatchSpec) -> Bool)
    -> (specs: [BatchSpec], results: [TestResult])
  {
    var specs: [BatchSpec] = []
    var results: [TestResult] = []
    var commands = scheduler.start()
    var open: [BatchSpec] = []
    while true {
      specs += commands.batches
      open += commands.batches
      results += commands.finished
      guard !open.isEmpty else { return (specs, results) }
      let spec = open.removeFirst()
      commands = scheduler.handle(
        isEmpty(spec)
          ? ended(spec, []) : ended(spec, spec.tests.map { result($0, spec, .passed) }))
    }
  }

  @Test(arguments: [0, 13, 63])
  func theTestThatKeepsAProcessFromStartingIsFound(guilty: Int) {
    let plan = Plan(listing(64))
    var scheduler = Scheduler(
      plan: plan, options: SchedulerOptions(workers: 1, batch: .fixed(64)))
    let (specs, results) = run(&scheduler) { $0.tests.contains(plan.tests[guilty].id) }
    #expect(results.filter { $0.verdict == .passed }.count == 63)
    let lost = results.filter { $0.verdict == .lost }
    #expect(lost.map(\.test) == [plan.tests[guilty].id])
    #expect(lost.first?.reason != nil)
    #expect(specs.count == 13)
  }

  @Test func aProductThatNeverBringsAResultIsGivenUp() {
    let tests = listing(1000, product: "Broken") + listing(5, product: "Fine")
    var scheduler = Scheduler(plan: Plan(tests), options: SchedulerOptions(workers: 2))
    let (specs, results) = run(&scheduler) { $0.product == "Broken" }
    #expect(results.count == 1005)
    #expect(results.filter { $0.verdict == .passed }.count == 5)
    #expect(results.filter { $0.verdict == .lost }.count >= Scheduler.maxEmptyProcesses)
    #expect(results.allSatisfy { $0.verdict == .passed || $0.reason != nil })
    #expect(specs.count < 60)
  }

  @Test func resultsShowThatAProductIsNotBroken() {
    let tests = listing(100)
    var scheduler = Scheduler(
      plan: Plan(tests), options: SchedulerOptions(workers: 1, batch: .fixed(1)))
    let (_, results) = run(&scheduler) { $0.batch > 1 && $0.batch < 90 }
    #expect(results.filter { $0.verdict == .lost }.count == 88)
    #expect(results.filter { $0.verdict == .passed }.count == 12)
  }

  @Test func anInterruptLosesNothing() {
    let plan = Plan(listing(100))
    var scheduler = Scheduler(
      plan: plan, options: SchedulerOptions(workers: 2, batch: .fixed(10), retries: 1))
    let first = scheduler.start().batches
    let failing = scheduler.handle(
      ended(first[0], first[0].tests.map { result($0, first[0], .failed, hadCompany: true) }))
    #expect(failing.batches.map(\.purpose) == [.retry])

    let stopped = scheduler.handle(.interrupted(reason: "SIGINT"))
    #expect(stopped.batches.isEmpty)
    #expect(stopped.finished.filter { $0.verdict == .failed }.count == 9)
    let unrun = stopped.finished.filter { $0.verdict == .notRun }
    #expect(unrun.count == 80)
    #expect(unrun.allSatisfy { $0.reason == "SIGINT" && $0.attempts == 0 })
    #expect(scheduler.handle(.interrupted(reason: "again")).isEmpty)
    #expect(!scheduler.isDone)
    #expect(scheduler.remaining == 11)

    let rest = scheduler.handle(
      ended(
        first[1],
        [
          result(first[1].tests[0], first[1], .passed),
          result(first[1].tests[1], first[1], .interrupted),
          result(first[1].tests[2], first[1], .notRun),
        ]))
    #expect(
      rest.finished.map(\.verdict) == [.passed, .interrupted] + Array(repeating: .notRun, count: 8))
    let last = scheduler.handle(
      ended(
        failing.batches[0], [result(failing.batches[0].tests[0], failing.batches[0], .interrupted)])
    )
    #expect(last.finished.map(\.verdict) == [.failed])
    #expect(scheduler.isDone)
  }

  @Test func anInterruptBeforeTheStartRunsNothing() {
    var scheduler = Scheduler(plan: Plan(listing(3)), options: SchedulerOptions(workers: 2))
    let commands = scheduler.handle(.interrupted(reason: "early"))
    #expect(commands.finished.map(\.verdict) == [.notRun, .notRun, .notRun])
    #expect(scheduler.start().isEmpty)
    #expect(scheduler.isDone)
  }

  @Test func anEmptyPlanIsDoneAtOnce() {
    var scheduler = Scheduler(plan: Plan([]), options: SchedulerOptions(workers: 2))
    #expect(scheduler.start().isEmpty)
    #expect(scheduler.isDone)
  }

  @Test func eventsThatMakeNoSenseChangeNothing() {
    let plan = Plan(listing(40))
    var scheduler = Scheduler(
      plan: plan, options: SchedulerOptions(workers: 2, batch: .fixed(10)))
    #expect(
      scheduler.handle(
        .batchEnded(
          batch: 1, results: [], startCost: nil, duration: 0)
      ).isEmpty)
    let specs = scheduler.start().batches
    #expect(specs.count == 2)
    #expect(scheduler.start().isEmpty)
    for batch in [0, -1, 3, Int.max] {
      #expect(
        scheduler.handle(
          .batchEnded(
            batch: batch, results: [], startCost: nil, duration: 0)
        ).isEmpty)
    }
    // Results twice, of the other batch, of waiting tests and of unknown ones.
    let spec = specs[0]
    let strange = scheduler.handle(
      ended(
        spec,
        [result(id("Unknown.T/x"), spec, .failed), result(specs[1].tests[0], spec, .failed)]
          + spec.tests.map { result($0, spec, .passed) }
          + spec.tests.map { result($0, spec, .failed) }
          + [result(plan.tests[39].id, spec, .crashed)]))
    #expect(strange.finished.map(\.test) == spec.tests)
    #expect(strange.finished.allSatisfy { $0.verdict == .passed })
    #expect(scheduler.handle(ended(spec, spec.tests.map { result($0, spec, .failed) })).isEmpty)
    #expect(scheduler.remaining == 30)
  }

  @Test func aTestThatIsNeverStartedIsLost() {
    let plan = Plan(listing(10))
    let never = plan.tests[4].id
    var scheduler = Scheduler(plan: plan, options: SchedulerOptions(workers: 1))
    var open = scheduler.start().batches
    var finished: [TestResult] = []
    var started = 0
    while let spec = open.popLast() {
      started += 1
      let commands = scheduler.handle(
        ended(spec, spec.tests.filter { $0 != never }.map { result($0, spec, .passed) }))
      finished += commands.finished
      open += commands.batches
    }
    #expect(started == 2)
    #expect(finished.count == 10)
    #expect(finished.last?.verdict == .lost)
  }

  @Test func batchesThatBringLittleAreSplit() {
    var scheduler = Scheduler(
      plan: Plan(listing(16)), options: SchedulerOptions(workers: 1, batch: .fixed(16)))
    var open = scheduler.start().batches
    var sizes: [Int] = []
    while let spec = open.popLast() {
      sizes.append(spec.tests.count)
      #expect(spec.attempts.values.allSatisfy { $0 == 1 })
      let results = [result(spec.tests[0], spec, .passed)]
      open += scheduler.handle(ended(spec, results)).batches
    }
    #expect(sizes == [16, 15, 14, 13, 6, 2, 1, 3, 1, 1, 6, 2, 1, 3, 1, 1])
    #expect(scheduler.isDone)
  }

  @Test func optionsOutOfRangeAreClamped() {
    let options = SchedulerOptions(workers: 0, batch: .fixed(-3), retries: -1, maxFailures: 0)
    let run = ScriptedRun(listing(4), options) { _, _, _ in .failed }
    #expect(run.results.count == 4)
    #expect(run.specs.first?.tests.count == 1)
    #expect(run.results.values.filter { $0.verdict == .notRun }.count == 3)
  }

  @Test func tenThousandTestsOneByOne() {
    let plan = Plan(listing(10_000))
    var scheduler = Scheduler(
      plan: plan, options: SchedulerOptions(workers: 4, batch: .fixed(1)))
    let (specs, results) = run(&scheduler) { _ in false }
    #expect(specs.count == 10_000)
    #expect(results.count == 10_000)
    #expect(scheduler.isDone)
  }
}
