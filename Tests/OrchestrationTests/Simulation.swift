import RunModel
import Testing

@testable import Orchestration

/// A run of passing tests on workers with a simulated clock.
struct Simulation {
  /// Seconds from the first start to the last end.
  private(set) var makespan = 0.0
  private(set) var batches: [BatchSpec] = []
  /// Seconds that all tests take one after the other.
  let total: Double
  let startCost: Double

  /// Seconds that one process for everything takes.
  var oneProcess: Double { total + startCost }
  var ratio: Double { makespan / oneProcess }

  init(
    durations: [Double], workers: Int, startCost: Double, policy: BatchPolicy = .auto,
    groups: Int = 1
  ) {
    self.startCost = startCost
    total = durations.reduce(0, +)
    var tests: [TestDescriptor] = []
    for group in 0..<groups {
      let share = durations.count * group / groups..<durations.count * (group + 1) / groups
      tests += share.map { TestDescriptor(id: id("M.S/t\($0)", product: "P\(group)")) }
    }
    let plan = Plan(tests)
    var scheduler = Scheduler(
      plan: plan, options: SchedulerOptions(workers: workers, batch: policy))
    var running: [(end: Double, spec: BatchSpec, results: [AttemptResult])] = []
    var commands = scheduler.start()
    while true {
      for spec in commands.batches {
        batches.append(spec)
        var clock = makespan + startCost
        let results = spec.tests.map { test in
          let duration = durations[plan.position(of: test) ?? 0]
          clock += duration
          return result(test, spec, .passed, hadCompany: true, duration: duration)
        }
        running.append((clock, spec, results))
      }
      guard
        let next = running.indices.min(by: {
          (running[$0].end, running[$0].spec.worker) < (running[$1].end, running[$1].spec.worker)
        })
      else { break }
      let ended = running.remove(at: next)
      let duration = ended.results.reduce(startCost) { $0 + $1.duration }
      makespan = ended.end
      commands = scheduler.handle(
        .batchEnded(
          batch: ended.spec.batch, results: ended.results, startCost: startCost,
          duration: duration))
    }
    #expect(scheduler.isDone)
  }
}
