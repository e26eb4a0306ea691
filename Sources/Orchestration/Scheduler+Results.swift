import RunModel

extension Scheduler {
  /// What a batch brought, freed of everything that was not asked for.
  struct Outcome {
    /// The first result of each recorded test, in the order they started.
    var results: [(position: Int, result: AttemptResult)] = []
    /// All tests of the batch that were seen to start, in that order.
    var order: [Int] = []
    /// Recorded tests without a result, in the order they were asked for.
    var missing: [Int] = []
  }

  /// Sorts out the results of a batch; a result that says "not run" counts as missing.
  mutating func collect(
    _ results: [AttemptResult], of ended: RunningBatch, batch: Int
  ) -> Outcome {
    var outcome = Outcome()
    var neighbours = Set(ended.neighbours)
    for result in results where result.verdict != .notRun {
      guard let position = plan.position(of: result.test) else { continue }
      if tests[position].phase == .running(batch: batch) {
        tests[position].phase = .waiting
        tests[position].attempts += 1
        tests[position].duration = result.duration.isFinite ? max(0, result.duration) : 0
        outcome.results.append((position, result))
        outcome.order.append(position)
      } else if neighbours.remove(position) != nil {
        outcome.order.append(position)
      }
    }
    outcome.missing = ended.subjects.filter { tests[$0].phase == .running(batch: batch) }
    if !outcome.results.isEmpty { groups[ended.group].hasResult = true }
    return outcome
  }

  /// Hands measured times to the sizer. Times that were cut off by a limit or an interrupt say
  /// nothing of the tests to come and are left out.
  mutating func learn(
    from outcome: Outcome, of ended: RunningBatch, startCost: Double?, duration: Double
  ) {
    var measured = (seconds: 0.0, tests: 0)
    var all = 0.0
    for (position, result) in outcome.results {
      let seconds = tests[position].duration ?? 0
      all += seconds
      guard result.verdict != .timedOut, result.verdict != .interrupted else { continue }
      measured.seconds += seconds
      measured.tests += 1
    }
    if let startCost, startCost.isFinite, duration.isFinite {
      measured.seconds += max(0, duration - startCost - all)
    }
    sizer.record(
      group: ended.group, seconds: measured.seconds,
      tests: ended.purpose == .planned ? measured.tests : 0, startCost: startCost)
  }

  /// Draws the conclusions from a batch that ended.
  mutating func settle(_ outcome: Outcome, of ended: RunningBatch) {
    switch ended.purpose {
    case .planned:
      for (index, item) in outcome.results.enumerated() {
        settlePlanned(item.position, item.result, index: index, outcome: outcome, of: ended)
      }
      putBack(outcome.missing, of: ended, sawResults: !outcome.results.isEmpty)
    case .retry:
      for (position, result) in outcome.results { settleRetry(position, result) }
      for position in outcome.missing { conclude(position) }
    case .aloneCheck, .companyCheck:
      for (position, result) in outcome.results {
        tests[position].finding =
          ended.purpose == .aloneCheck
          ? aloneFinding(position, result.verdict)
          : companyFinding(result, outcome: outcome, of: ended)
        finish(position)
      }
      for position in outcome.missing { finish(position) }
    }
    applyFailureLimit()
  }

  private mutating func settlePlanned(
    _ position: Int, _ result: AttemptResult, index: Int, outcome: Outcome, of ended: RunningBatch
  ) {
    tests[position].verdict = result.verdict
    guard isFailure(result.verdict) else { return conclude(position) }
    if result.hadCompany {
      // Without an observed predecessor, what was asked to run before is the best that is known.
      let asked = ended.subjects.firstIndex(of: position) ?? 0
      tests[position].ran =
        index > 0
        ? Predecessors(order: outcome.order, count: index)
        : Predecessors(order: ended.subjects, count: asked)
    }
    tryAgainOrConclude(position)
  }

  /// Only an attempt that ran and did not fail clears a test; a skip proves nothing.
  private mutating func settleRetry(_ position: Int, _ result: AttemptResult) {
    if tests[position].attempts == 2 {
      tests[position].finding = aloneFinding(position, result.verdict)
    }
    if isPass(result.verdict) {
      tests[position].verdict = result.verdict
      tests[position].isFlaky = true
      finish(position)
    } else {
      if isFailure(result.verdict) { tests[position].verdict = result.verdict }
      tryAgainOrConclude(position)
    }
  }

  private mutating func tryAgainOrConclude(_ position: Int) {
    if !isInterrupted && tests[position].attempts <= options.retries {
      tests[position].phase = .waiting
      retries.append(position)
    } else {
      conclude(position)
    }
  }

  /// Whether the test ran and succeeded.
  func isPass(_ verdict: Verdict) -> Bool {
    verdict.isSuccess(leaksFail: options.leaksFail) && verdict != .skipped
  }

  /// Whether the test itself is at fault, so that another attempt can say more.
  func isFailure(_ verdict: Verdict) -> Bool {
    verdict.isRetriable && !verdict.isSuccess(leaksFail: options.leaksFail)
  }
}
