import RunModel
import TestSupport
import Testing

@testable import Orchestration

/// Batch sizes, judged by what they do to the time of a simulated run.
@Suite struct BatchSizeTests {
  static let startCosts = [0.020, 0.025]

  /// Suites without a test that is long against the whole, 1.5 s or more in total.
  static let suites: [(name: String, durations: [Double])] = {
    var generator = SeededGenerator(seed: 7)
    var suites: [(name: String, durations: [Double])] = [
      ("even", Array(repeating: 0.005, count: 310)),
      (
        "a slow test in ten",
        (0..<211).map { (test: Int) -> Double in test % 10 == 3 ? 0.15 : 0.005 }
      ),
      ("thirty of a second", Array(repeating: 1, count: 30)),
      ("slow at the end", (0..<800).map { (test: Int) -> Double in Double(test) * 0.0005 }),
      ("slow at the start", (0..<800).map { (test: Int) -> Double in Double(800 - test) * 0.0005 }),
    ]
    for number in 1...40 {
      let random = (0..<662).map { _ in Double.random(in: 0.0005..<0.011, using: &generator) }
      suites.append(("random \(number)", random))
      // Suites of twenty tests whose mean differs by three orders of magnitude.
      var clusters: [Double] = []
      for _ in 0..<40 {
        let means: [Double] = [0.0005, 0.005, 0.05, 1]
        let mean = means.randomElement(using: &generator) ?? 1
        for _ in 0..<20 { clusters.append(mean * Double.random(in: 0.2..<1.8, using: &generator)) }
      }
      suites.append(("clusters \(number)", clusters))
    }
    return suites
  }()

  @Test(arguments: startCosts)
  func suitesTakeAtMostSixTenthsOfOneProcessOnTwoWorkers(startCost: Double) {
    for suite in Self.suites {
      let run = Simulation(durations: suite.durations, workers: 2, startCost: startCost)
      #expect(run.total >= 1.5)
      #expect(run.ratio <= 0.6, "\(suite.name): \(run.batches.map(\.tests.count))")
    }
  }

  @Test(arguments: startCosts)
  func suitesTakeAtMostFourTenthsOfOneProcessOnFourWorkers(startCost: Double) {
    for suite in Self.suites {
      let run = Simulation(durations: suite.durations, workers: 4, startCost: startCost)
      #expect(run.ratio <= 0.4, "\(suite.name): \(run.batches.map(\.tests.count))")
    }
  }

  @Test(arguments: startCosts, [2, 4])
  func testsThatDoNothingAreNotSlowedByProcesses(startCost: Double, workers: Int) {
    let short = Simulation(
      durations: Array(repeating: 5e-5, count: 500), workers: workers, startCost: startCost)
    #expect(short.ratio <= 1.3)
    let long = Simulation(
      durations: Array(repeating: 5e-5, count: 2000), workers: workers, startCost: startCost)
    #expect(long.ratio <= 1.05)
  }

  /// Starting tests one by one on idle workers takes at most (total - longest) / workers + longest
  /// (Graham, 1966). Batches add process starts, and with more workers the chance that two long
  /// tests share a batch counts for more.
  @Test(arguments: startCosts, [(2, 1.1), (4, 1.4)])
  func heavyTailsStayNearTheBoundOfGreedySchedules(startCost: Double, allowed: (Int, Double)) {
    let (workers, factor) = allowed
    for seed in 0..<40 {
      var generator = SeededGenerator(seed: seed)
      let durations = (0..<662).map { _ in
        0.001 / Double.random(in: 0.0005..<1, using: &generator)
      }
      let run = Simulation(durations: durations, workers: workers, startCost: startCost)
      let longest = durations.max() ?? 0
      let bound = (run.total - longest) / Double(workers) + longest
      #expect(run.makespan <= factor * bound + 2 * startCost, "seed \(seed)")
    }
  }

  @Test(arguments: [0, 57, 100, 150, 199])
  func oneSlowTestDoesNotHoldTheOthersBack(place: Int) {
    var durations = Array(repeating: 0.005, count: 200)
    durations[place] = 3
    for workers in [2, 4] {
      let run = Simulation(durations: durations, workers: workers, startCost: 0.025)
      #expect(run.makespan <= 1.2 * 3.025)
    }
  }

  @Test func oneWorkerStartsFewProcesses() {
    func batches(_ durations: [Double]) -> Int {
      Simulation(durations: durations, workers: 1, startCost: 0.025).batches.count
    }
    #expect(batches(Array(repeating: 5e-5, count: 500)) == 1)
    #expect(batches(Array(repeating: 0.005, count: 300)) == 1)
    #expect(batches(Array(repeating: 5e-5, count: 2000)) == 3)
    for suite in Self.suites {
      let run = Simulation(durations: suite.durations, workers: 1, startCost: 0.025)
      #expect(run.ratio <= 1.02, "\(suite.name)")
    }
  }

  @Test func oneWorkersBatchesAreBoundedInTimeOnceMeasured() {
    let run = Simulation(durations: Array(repeating: 0.1, count: 2000), workers: 1, startCost: 0.02)
    #expect(run.batches[0].tests.count == 500)
    #expect(run.batches.dropFirst().allSatisfy { $0.tests.count <= 101 })
  }

  @Test func startingProcessesIsSmallAgainstTesting() {
    for suite in Self.suites {
      let run = Simulation(durations: suite.durations, workers: 2, startCost: 0.025)
      let cost = Double(run.batches.count) * 0.025
      #expect(cost <= 0.2 * run.total, "\(suite.name): \(run.batches.count)")
      if run.total >= 10 { #expect(cost <= 0.1 * run.total, "\(suite.name)") }
    }
  }

  @Test func tinySuitesAreNotCutToBits() {
    for count in 1...16 {
      let run = Simulation(
        durations: Array(repeating: 0.0005, count: count), workers: 2, startCost: 0.025)
      #expect(run.batches.count == min(count, 2))
    }
  }

  @Test func bigSuitesAreSplitOverAllWorkersFromTheStart() {
    var scheduler = Scheduler(plan: Plan(listing(2000)), options: SchedulerOptions(workers: 4))
    #expect(scheduler.start().batches.map(\.tests.count) == [32, 32, 32, 32])
  }

  @Test func batchesShrinkTowardsTheEnd() {
    let run = Simulation(durations: Array(repeating: 1, count: 100), workers: 2, startCost: 0.025)
    let sizes = run.batches.map(\.tests.count)
    #expect(sizes.dropFirst(2) == sizes.dropFirst(2).sorted(by: >)[...])
    #expect(sizes.suffix(2).allSatisfy { $0 == 1 })
  }

  @Test func automaticBatchesAreBoundedInNumberAndBytes() {
    let many = Simulation(durations: Array(repeating: 1e-6, count: 9000), workers: 2, startCost: 1)
    #expect(many.batches.map(\.tests.count).max() == BatchSizer.maxTests)

    let long = String(repeating: "n", count: 5000)
    var scheduler = Scheduler(
      plan: Plan((0..<100).map { TestDescriptor(id: id("M.S/\(long)\($0)")) }),
      options: SchedulerOptions(workers: 1))
    let first = scheduler.start().batches[0]
    #expect(first.tests.count == 19)
  }

  @Test(arguments: [1, 7, 50, 2000])
  func fixedBatchesHoldThatManyTestsOfOneGroup(size: Int) {
    let durations = Array(repeating: 0.001, count: 120)
    let run = Simulation(
      durations: durations, workers: 2, startCost: 0.02, policy: .fixed(size), groups: 3)
    for product in ["P0", "P1", "P2"] {
      let sizes = run.batches.filter { $0.product == product }.map(\.tests.count)
      #expect(sizes.dropLast().allSatisfy { $0 == min(size, 40) })
      #expect(sizes.reduce(0, +) == 40)
    }
    #expect(run.batches.flatMap(\.tests).count == 120)
  }

  @Test func productsThatFitIntoABatchAreNotSplit() {
    let run = Simulation(
      durations: Array(repeating: 0.005, count: 400), workers: 2, startCost: 0.02, groups: 10)
    #expect(run.batches.prefix(6).map(\.tests.count) == [40, 40, 40, 40, 40, 40])
  }

  @Test func nonsensicalMeasurementsAreSurvived() {
    for value in [Double.nan, .infinity, -.infinity, -1, 0, 1e300] {
      let plan = Plan(listing(200))
      var scheduler = Scheduler(
        plan: plan, options: SchedulerOptions(workers: 2, startCost: value))
      var open = scheduler.start().batches
      var ran = 0
      while let spec = open.popLast() {
        ran += spec.tests.count
        open +=
          scheduler.handle(
            .batchEnded(
              batch: spec.batch,
              results: spec.tests.map { result($0, spec, .passed, duration: value) },
              startCost: value, duration: value)
          ).batches
      }
      #expect(ran == 200)
      #expect(scheduler.isDone)
    }
  }

  /// The size of the second batch of one worker of two, after a first one that went as described.
  private func secondSize(
    of count: Int, startCost: Double?, duration: Double,
    attempt: (Int) -> (verdict: Verdict, seconds: Double)
  ) -> Int? {
    var scheduler = Scheduler(
      plan: Plan(listing(count)), options: SchedulerOptions(workers: 2, checksCompany: false))
    let spec = scheduler.start().batches[0]
    let results = spec.tests.enumerated().map { index, test in
      result(test, spec, attempt(index).verdict, duration: attempt(index).seconds)
    }
    let commands = scheduler.handle(
      .batchEnded(
        batch: spec.batch, results: results, startCost: startCost,
        duration: duration))
    return commands.batches.first?.tests.count
  }

  @Test func fewMeasurementsAreNotTrustedFarAhead() {
    let near = secondSize(of: 560, startCost: 0.02, duration: 0.02) { _ in (.passed, 5e-5) }
    #expect(near == (560 - 64) / 2)
    let far = secondSize(of: 2000, startCost: 0.02, duration: 0.02) { _ in (.passed, 5e-5) }
    #expect(far == (2000 - 64) / 4)
  }

  @Test func timeThatALimitCutOffDoesNotCount() {
    let size = secondSize(of: 400, startCost: 0.02, duration: 60.1) { index in
      index == 31 ? (.timedOut, 60) : (.passed, 0.005)
    }
    #expect(size == (400 - 64) / 4)
  }

  /// 32 tests of no time, but 5 ms between them: 250 ms, ten starts, are 50 tests.
  @Test func timeBetweenTestsCounts() {
    let size = secondSize(of: 240, startCost: 0.025, duration: 0.185) { _ in (.passed, 0) }
    #expect(size == 50)
  }

  /// A round was sized by slow tests; fast ones since then must not make a batch of the whole rest.
  @Test func aBatchHoldsNoMoreThanItsShareInNumber() {
    var sizer = BatchSizer(policy: .auto, workers: 2, startCost: 0.025, groupSizes: [400])
    func next() -> Int {
      let size = sizer.nextSize(group: 0, available: 400)
      sizer.queueChanged(by: -size, group: 0)
      return size
    }
    #expect([next(), next()] == [32, 32])
    sizer.record(group: 0, seconds: 0.32, tests: 32, startCost: 0.025)
    #expect(next() == 84)
    sizer.record(group: 0, seconds: 0.0001, tests: 3200, startCost: 0.025)
    #expect(next() == 84)
  }
}
