import RunModel

extension Scheduler {
  /// Most bytes of test names in a batch under ``BatchPolicy/auto``: XCTest takes them in one
  /// argument, of which Linux allows 128 KiB (execve(2), `MAX_ARG_STRLEN`).
  static let maxNameBytes = 96 * 1024
  /// Times a test may be put back behind a blamed one before its batch is split.
  static let maxReturns = 3
  /// Processes of one test each that may end without any result before the group is given up.
  static let maxEmptyProcesses = 8

  /// Work for one worker.
  struct Work {
    let purpose: AttemptPurpose
    let subjects: [Int]
    var neighbours: [Int] = []
  }

  /// The most urgent work: retries, planned tests, checks. `nil` when nothing waits.
  mutating func nextWork() -> Work? {
    if let position = retries.popFirst() { return Work(purpose: .retry, subjects: [position]) }
    if let planned = nextPlanned() { return Work(purpose: .planned, subjects: planned) }
    while let check = checks.popFirst() {
      switch check {
      case .alone(let position): return Work(purpose: .aloneCheck, subjects: [position])
      case .company(let position):
        let neighbours = neighbours(of: position)
        if neighbours.isEmpty {
          finish(position)
        } else {
          return Work(purpose: .companyCheck, subjects: [position], neighbours: neighbours)
        }
      }
    }
    return nil
  }

  private mutating func nextPlanned() -> [Int]? {
    guard let front = queue.front else { return nil }
    let isSolitary = plan.groups[front.group].isSolitary
    var size = isSolitary ? 1 : sizer.nextSize(group: front.group, available: front.tests.count)
    if !isSolitary, options.batch == .auto {
      var bytes = 0
      var slow = 0.0
      let fitting = front.tests.prefix(size).prefix { position in
        let id = plan.tests[position].id
        bytes += id.name.utf8.count + 1
        guard let seconds = options.slowTests[id] else { return bytes <= Self.maxNameBytes }
        defer { slow += seconds }
        return bytes <= Self.maxNameBytes && (slow == 0 || slow + seconds <= sizer.slowSeconds)
      }
      size = max(1, fitting.count)
    }
    let positions = queue.take(size)
    sizer.queueChanged(by: -positions.count, group: front.group)
    return positions
  }

  /// Notes that the work runs and describes it for the worker.
  mutating func start(_ work: Work, batch: Int, worker: Int) -> BatchSpec {
    var attempts: [TestID: Int] = [:]
    attempts.reserveCapacity(work.subjects.count)
    for position in work.subjects {
      tests[position].phase = .running(batch: batch)
      attempts[plan.tests[position].id] = tests[position].attempts + 1
    }
    let group = work.subjects.first.map(plan.group(at:)) ?? 0
    running[batch] = RunningBatch(
      worker: worker, group: group, purpose: work.purpose, subjects: work.subjects,
      neighbours: work.neighbours)
    return BatchSpec(
      batch: batch, worker: worker, purpose: work.purpose, product: plan.groups[group].product,
      library: plan.groups[group].library,
      tests: (work.neighbours + work.subjects).map { plan.tests[$0].id }, attempts: attempts)
  }

  /// Puts tests back that did not start, so that each of them is tried again or reported.
  mutating func putBack(_ positions: [Int], of batch: RunningBatch, sawResults: Bool) {
    guard !positions.isEmpty else { return }
    let group = batch.group
    if let stopReason {
      for position in positions { finishUnrun(position, stopReason) }
      return
    }
    if let reason = groups[group].givenUpReason(plan.groups[group]) {
      for position in positions { finishUnrun(position, reason) }
      return
    }
    if batch.subjects.count == 1 {
      for position in positions {
        tests[position].verdict = .lost
        countFailure(.lost)
        finish(position, reason: "the test's own process ended without a result of it")
      }
      noteEmptyProcess(group)
      return
    }
    var mostReturns = 0
    for position in positions {
      tests[position].phase = .queued
      if sawResults { tests[position].returns += 1 }
      mostReturns = max(mostReturns, tests[position].returns)
    }
    sizer.queueChanged(by: positions.count, group: group)
    let half = positions.count / 2
    if half > 0, !sawResults || mostReturns > Self.maxReturns {
      queue.putInFront(positions[half...], group: group)
      queue.putInFront(positions[..<half], group: group)
    } else {
      queue.putInFront(positions[...], group: group)
    }
  }

  /// Gives a group up when none of its processes ever brings a result.
  private mutating func noteEmptyProcess(_ group: Int) {
    guard !groups[group].hasResult else { return }
    groups[group].emptyProcesses += 1
    guard let reason = groups[group].givenUpReason(plan.groups[group]) else { return }
    for position in unqueueAll(group: group) { finishUnrun(position, reason) }
  }
}

extension GroupState {
  /// Why no more tests of the group are tried; `nil` while they are.
  func givenUpReason(_ group: Plan.Group) -> String? {
    guard !hasResult, emptyProcesses >= Scheduler.maxEmptyProcesses else { return nil }
    return "\(emptyProcesses) processes of \(group.product) (\(group.library.rawValue)), one test"
      + " each, ended without a result and none ever gave one"
  }
}
