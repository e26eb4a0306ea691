import Evidence
import Orchestration
import RunModel
import Workers

/// From the first test of the plan to the last, as the scheduler wants it.
extension RunSession {
  /// Writes down what an earlier run has found out already; nobody is told of that anew.
  func takeOver(_ resume: ResumeRequest, rest: Plan) {
    let resumable = resume.resumable
    let known = Set(state.problems)
    for test in resumable.tests { log(.testPlanned(test)) }
    for event in resumable.events {
      if case .problem(let problem) = event.kind, known.contains(problem) { continue }
      recorder.add(event)
    }
    guard supervisor.interruption == nil else { return }
    for test in resumable.rest where rest.position(of: test) == nil {
      log(
        .testFinished(
          TestResult(
            test: test, verdict: .notRun, attempts: 0,
            reason: "the test does not exist any more")))
    }
  }

  /// Runs the plan to its end.
  package func run() {
    let loop = supervisor.loop
    recorder.writesAtOnce = false
    loop.beforeWaiting = { [unowned self] in recorder.flush() }
    defer {
      loop.beforeWaiting = nil
      recorder.writesAtOnce = true
    }
    supervisor.onInterruption = { [unowned self] count in interrupt(count) }
    if let signal = supervisor.interruption {
      perform(scheduler.handle(.interrupted(reason: "the run was interrupted by \(signal)")))
    } else {
      perform(scheduler.start())
    }
    loop.run {
      scheduler.isDone && batches.isEmpty && disposal.isIdle
    }
    supervisor.onInterruption = nil
    // No test may have needed the data that was begun with.
    intents.cancelFixture()
    loop.run { intents.isIdle }
    starter.finish()
    supervisor.registry.endAdopted()
    limiter.close()
    if let leftFiles = disposal.leftFiles {
      log(
        .problem(
          RunProblem(
            severity: .warning, code: .containerLeft,
            message: "files of used containers stay behind: \(leftFiles)")))
    }
    var seconds: [TestID: Double] = [:]
    for test in state.tests {
      if let attempt = test.decisive { seconds[test.id] = attempt.duration }
    }
    catalog.remember(scheduler.measurements, seconds: seconds)
    noteRemovedFiles()
  }

  /// Ends what runs and starts nothing more.
  ///
  /// - Parameter count: Signals so far; from the second one on nothing gets time to end by itself.
  func interrupt(_ count: Int) {
    let signal = supervisor.interruption ?? "a signal"
    let reason = "the run was interrupted by \(signal)"
    perform(scheduler.handle(.interrupted(reason: reason)))
    let grace = count > 1 ? 0 : min(configuration.grace, Supervisor.grace)
    intents.cancelFixture()
    cloneDecision.cancel()
    for batch in batches.values { batch.interrupt(because: reason, grace: grace) }
    sandboxRoom.tryAgain()
    starter.stopWaiting()
    if count > 1 { disposal.stopsPacking.set() }
  }

  /// Does what the scheduler wants.
  func perform(_ commands: [SchedulerCommand]) {
    for command in commands {
      switch command {
      case .finishTest(let result): log(.testFinished(result))
      case .startBatch(let spec): start(spec)
      case .endPlannedBatches(let reason):
        for batch in batches.values where batch.spec.purpose == .planned {
          batch.interrupt(because: reason, grace: configuration.grace)
        }
        sandboxRoom.tryAgain()
      }
    }
  }

  /// Tells the scheduler of a planned attempt's failure while the batch still runs.
  func noteResult(_ test: TestID, _ verdict: Verdict) {
    guard configuration.scheduling.maxFailures != nil, verdict != .interrupted,
      !verdict.isSuccess(leaksFail: configuration.scheduling.leaksFail)
    else { return }
    perform(scheduler.handle(.failedMeanwhile(test)))
  }

  /// A record that somebody cleaned away during the run is no proof of anything.
  func noteRemovedFiles() {
    let removed = record.removedFiles(state)
    guard let first = removed.first else { return }
    let more = removed.count == 1 ? "" : " and \(removed.count - 1) more of its files"
    let message =
      "the record \(record.path) was removed while the run wrote it: \(first)\(more) is gone"
    recorder.noteRemoval(message)
  }
}
