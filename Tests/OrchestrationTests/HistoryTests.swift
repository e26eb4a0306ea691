import Orchestration
import RunModel
import Testing

@Suite struct HistoryTests {
  static func plan(_ count: Int) -> Plan {
    Plan(
      (0..<count).map {
        TestDescriptor(id: TestID(product: "P", library: .testing, name: "M.t\($0)()"))
      })
  }

  static func firstBatches(history: [GroupMeasurement]) -> [Int] {
    var options = SchedulerOptions(workers: 2)
    options.history = history
    var scheduler = Scheduler(plan: plan(500), options: options)
    return scheduler.start().compactMap { command in
      if case .startBatch(let spec) = command { spec.tests.count } else { nil }
    }
  }

  static func measured(
    _ product: String = "P", seconds: Double, startCost: Double = 0.02, tests: Double = 500
  ) -> GroupMeasurement {
    GroupMeasurement(
      product: product, library: .testing, secondsPerTest: seconds, startCost: startCost,
      tests: tests)
  }

  @Test func knownQuickSuiteIsSplitOnceOverTheWorkers() {
    #expect(Self.firstBatches(history: [Self.measured(seconds: 0.0001)]) == [250, 250])
  }

  @Test func knownSlowSuiteStartsWithSmallBatches() {
    let sizes = Self.firstBatches(history: [Self.measured(seconds: 2)])
    #expect(sizes.allSatisfy { (1...8).contains($0) })
  }

  /// Nothing in it can be believed, or it is about something else.
  @Test(arguments: [
    [measured("Q", seconds: 1)], [measured(seconds: .nan)], [measured(seconds: -1)],
    [measured(seconds: 1, tests: 0)], [measured(seconds: 1, tests: .infinity)], [],
  ])
  func uselessHistoryIsNoHistory(history: [GroupMeasurement]) {
    #expect(Self.firstBatches(history: history) == Self.firstBatches(history: []))
  }

  @Test func whatWasLearnedIsGivenBack() {
    var scheduler = Scheduler(plan: Self.plan(4), options: SchedulerOptions(workers: 1))
    var commands = scheduler.start()
    while case .startBatch(let spec)? = commands.first(where: {
      if case .startBatch = $0 { true } else { false }
    }) {
      let results = spec.tests.map {
        AttemptResult(
          test: $0, attempt: 1, batch: spec.batch, worker: 1, verdict: .passed, startedAt: 0,
          duration: 0.5)
      }
      commands = scheduler.handle(
        .batchEnded(
          batch: spec.batch, results: results, startCost: 0.1,
          duration: 0.1 + 0.5 * Double(results.count)))
    }
    let learned = scheduler.measurements
    #expect(learned.count == 1)
    #expect(abs((learned.first?.secondsPerTest ?? 0) - 0.5) < 1e-6)
    #expect(abs((learned.first?.startCost ?? 0) - 0.1) < 1e-6)
  }

  @Test func slowTestsDoNotShareABatch() {
    let plan = Self.plan(200)
    var options = SchedulerOptions(workers: 2)
    options.history = [Self.measured(seconds: 0.012)]
    for number in 100..<103 { options.slowTests[plan.tests[number].id] = 0.6 }
    var scheduler = Scheduler(plan: plan, options: options)
    var commands = scheduler.start()
    var batches: [[TestID]] = []
    while case .startBatch(let spec)? = commands.first(where: {
      if case .startBatch = $0 { true } else { false }
    }) {
      batches.append(spec.tests)
      commands.removeAll {
        if case .startBatch(let other) = $0 { other.batch == spec.batch } else { true }
      }
      let results = spec.tests.map {
        AttemptResult(
          test: $0, attempt: 1, batch: spec.batch, worker: spec.worker, verdict: .passed,
          startedAt: 0, duration: options.slowTests[$0] ?? 0.003)
      }
      commands += scheduler.handle(
        .batchEnded(
          batch: spec.batch, results: results, startCost: 0.02, duration: 1))
    }
    #expect(batches.reduce([], +) == plan.tests.map(\.id))
    for batch in batches {
      #expect(batch.count { options.slowTests[$0] != nil } <= 1)
    }
  }
}
