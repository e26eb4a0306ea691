import Evidence
import Orchestration
import RunModel
import SwiftTests
import Workers

/// The results of a batch's attempts, and their logs.
extension BatchRun {
  func log(_ test: TestID, _ stream: ProcessStream) -> CappedLog? {
    if let log = logs[test]?[stream] { return log }
    guard let attempt = spec.attempts[test] else { return nil }
    let log = session.record.makeLog(
      test, attempt: attempt, stream: stream == .stdout ? "stdout" : "stderr")
    logs[test, default: [:]][stream] = log
    return log
  }

  /// Writes down a result; a later one of the same test replaces it.
  func finish(_ test: TestID, _ outcome: TestOutcome, end: ProcessEnd?) {
    let outcome = explained(outcome, of: test)
    outcomes[test] = outcome
    guard let result = result(test, outcome, end: end) else { return }
    session.log(.attemptFinished(result))
  }

  func result(_ test: TestID, _ outcome: TestOutcome, end: ProcessEnd?) -> AttemptResult? {
    guard let attempt = spec.attempts[test] else { return nil }
    var duration = outcome.duration
    let started = startTimes[test]
    if duration == 0, outcome.verdict != .skipped, let started {
      duration = (endedAt ?? monotonicSeconds()) - started
    } else if duration > 0, let began = begun.last(where: { $0.test == test })?.time {
      // The library does not know that its process was stopped.
      duration = max(0, duration - Pauses.seconds(from: began, to: began + duration))
    }
    return AttemptResult(
      test: test, attempt: attempt, purpose: spec.purpose, batch: spec.batch, worker: spec.worker,
      verdict: outcome.verdict, reason: outcome.reason, skip: outcome.skip,
      issues: outcome.issues, cases: outcome.cases, end: end,
      startedAt: session.wallClock(at: started ?? startedAt), duration: duration,
      stdout: reference(test, .stdout), stderr: reference(test, .stderr),
      apps: intents?.finishLogs() ?? [], leaks: outcome.leaks,
      hadCompany: transcript.startOrder.first.map { $0 != test } ?? false,
      omitted: outcome.omitted)
  }

  func reference(_ test: TestID, _ stream: ProcessStream) -> LogReference? {
    guard let log = logs[test]?[stream] else { return nil }
    do {
      return try log.finish()
    } catch {
      session.noteWriteFailure("\(error)")
      return nil
    }
  }
}
