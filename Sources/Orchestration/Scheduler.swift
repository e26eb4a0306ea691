import RunModel

/// Decides which process runs which tests next, and what a test's final result is.
///
/// A pure state machine: events in, commands out; it knows no clock and no processes. Whatever the
/// events say, each planned test gets exactly one ``SchedulerCommand/finishTest``, at most one
/// batch runs on a worker, and a batch holds tests of one product and library. The rules are in
/// `docs/scheduling.md`.
package struct Scheduler: Sendable {
  package let plan: Plan
  package let options: SchedulerOptions
  /// Planned tests without a final result.
  package private(set) var remaining: Int
  /// Tests whose verdict is a failure, also while a check of them is still to come.
  package private(set) var failures = 0

  var tests: [TestState]
  var queue: WorkQueue
  var sizer: BatchSizer
  /// Failed tests whose next attempt counts, by position.
  var retries = Fifo<Int>()
  /// Failed tests whose next attempt shows whether they need company.
  var checks = Fifo<Check>()
  var running: [Int: RunningBatch] = [:]
  var groups: [GroupState]
  /// Batches with a failed test's neighbours that may still be started.
  var companyChecksLeft: Int
  /// Positions of the tests of each suite, made when first needed.
  var suites: [SuiteKey: [Int]]?
  private var isStarted = false
  /// Why no planned test may start any more.
  private(set) var stopReason: String?
  private(set) var isInterrupted = false
  /// Tests that have failed in batches that still run.
  private var failedMeanwhile: Set<Int> = []
  private var isBusy: [Bool]
  private var lastBatch: Int
  private var commands: [SchedulerCommand] = []

  package init(plan: Plan, options: SchedulerOptions) {
    self.plan = plan
    self.options = options
    remaining = plan.count
    lastBatch = options.firstBatch - 1
    tests = Array(repeating: TestState(), count: plan.count)
    queue = WorkQueue(plan)
    sizer = BatchSizer(
      policy: options.batch, workers: options.workers, startCost: options.startCost,
      groupSizes: plan.groups.map(\.range.count))
    for known in options.history {
      let group = plan.groups.firstIndex {
        $0.product == known.product && $0.library == known.library && !$0.isSolitary
      }
      guard let group, known.tests.isFinite, known.tests >= 1 else { continue }
      let tests = Int(min(known.tests, 1e6))
      sizer.record(
        group: group, seconds: known.secondsPerTest * Double(tests), tests: tests,
        startCost: known.startCost)
    }
    groups = Array(repeating: GroupState(), count: plan.groups.count)
    companyChecksLeft = max(0, options.companyCheckLimit)
    isBusy = Array(repeating: false, count: options.workers)
  }

  /// Whether every test has its final result and no batch runs.
  package var isDone: Bool { remaining == 0 && running.isEmpty }

  /// What was learned about each group of which enough is known; for
  /// ``SchedulerOptions/history``.
  package var measurements: [GroupMeasurement] {
    plan.groups.indices.filter { !plan.groups[$0].isSolitary }.compactMap { index in
      sizer.measurement(group: index).map {
        GroupMeasurement(
          product: plan.groups[index].product, library: plan.groups[index].library,
          secondsPerTest: $0.secondsPerTest, startCost: $0.startCost, tests: $0.tests)
      }
    }
  }

  /// Hands out the first batches; further calls do nothing.
  package mutating func start() -> [SchedulerCommand] {
    guard !isStarted else { return [] }
    isStarted = true
    return takeCommands()
  }

  /// Takes an event into account.
  ///
  /// Batches that are not running, tests that are not in the batch and repeated results are
  /// ignored.
  ///
  /// - Returns: Final results, followed by batches to start.
  package mutating func handle(_ event: SchedulerEvent) -> [SchedulerCommand] {
    switch event {
    case .batchEnded(let batch, let results, let startCost, let duration):
      guard let ended = running.removeValue(forKey: batch) else { break }
      isBusy[ended.worker - 1] = false
      let outcome = collect(results, of: ended, batch: batch)
      learn(from: outcome, of: ended, startCost: startCost, duration: duration)
      settle(outcome, of: ended)
    case .failedMeanwhile(let test):
      // With retries left nobody knows yet whether the test fails in the end.
      if options.retries == 0, let position = plan.position(of: test),
        case .running = tests[position].phase
      {
        failedMeanwhile.insert(position)
        applyFailureLimit()
      }
    case .interrupted(let reason):
      interrupt(reason)
    }
    return takeCommands()
  }

  /// Starts batches on all idle workers and returns what is to be done since the last call.
  private mutating func takeCommands() -> [SchedulerCommand] {
    if isStarted && !isInterrupted {
      for worker in isBusy.indices where !isBusy[worker] {
        guard let work = nextWork() else { break }
        lastBatch += 1
        isBusy[worker] = true
        commands.append(.startBatch(start(work, batch: lastBatch, worker: worker + 1)))
      }
    }
    defer { commands = [] }
    // Checks that became pointless while work was looked for may have finished tests late.
    return commands.filter { !$0.startsBatch } + commands.filter(\.startsBatch)
  }

  private mutating func interrupt(_ reason: String) {
    guard !isInterrupted else { return }
    isInterrupted = true
    stopPlanned(reason)
    while let position = retries.popFirst() { conclude(position) }
    while let check = checks.popFirst() { finish(check.position) }
  }

  /// Lets no more planned test start and finishes those that wait.
  mutating func stopPlanned(_ reason: String) {
    if stopReason == nil { stopReason = reason }
    for position in unqueueAll() { finishUnrun(position, reason) }
  }

  /// Stops planned tests when enough tests have failed.
  mutating func applyFailureLimit() {
    guard stopReason == nil, let limit = options.maxFailures,
      failures + failedMeanwhile.count >= limit
    else { return }
    let reason = "the run was stopped after \(limit) failed \(limit == 1 ? "test" : "tests")"
    stopPlanned(reason)
    if running.values.contains(where: { $0.purpose == .planned }) {
      commands.append(.endPlannedBatches(reason: reason))
    }
  }

  /// Removes the waiting planned tests of a group, or all.
  mutating func unqueueAll(group: Int? = nil) -> [Int] {
    let positions = queue.removeAll(group: group)
    for position in positions { sizer.queueChanged(by: -1, group: plan.group(at: position)) }
    return positions
  }

  /// Takes the test's verdict as final and either finishes it or has it checked in company.
  mutating func conclude(_ position: Int) {
    failedMeanwhile.remove(position)
    countFailure(tests[position].verdict ?? .lost)
    if !isInterrupted, let check = check(for: position) {
      tests[position].phase = .waiting
      checks.append(check)
    } else {
      finish(position)
    }
  }

  /// Counts a final verdict when it says that the test, or what it needs, failed.
  mutating func countFailure(_ verdict: Verdict) {
    guard !verdict.isSuccess(leaksFail: options.leaksFail) else { return }
    if verdict != .interrupted && verdict != .notRun { failures += 1 }
  }

  /// Finishes a test that never ran, or that ran and was put back.
  mutating func finishUnrun(_ position: Int, _ reason: String) {
    tests[position].verdict = .notRun
    finish(position, reason: reason)
  }

  /// Reports the final result; the only place that does.
  mutating func finish(_ position: Int, reason: String? = nil) {
    guard tests[position].phase != .finished else { return }
    let test = tests[position]
    var unnamed = 0
    if case .onlyAfter(let named)? = test.finding { unnamed = (test.ran?.count ?? 0) - named.count }
    tests[position].phase = .finished
    tests[position].ran = nil
    remaining -= 1
    commands.append(
      .finishTest(
        TestResult(
          test: plan.tests[position].id, verdict: test.verdict ?? .lost, isFlaky: test.isFlaky,
          attempts: test.attempts, company: test.finding,
          unnamed: unnamed > 0 ? unnamed : nil, reason: reason)))
  }
}

extension SchedulerCommand {
  var startsBatch: Bool { if case .startBatch = self { true } else { false } }
}
