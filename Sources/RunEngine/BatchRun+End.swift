import Evidence
import Orchestration
import RunModel
import SwiftTests
import SystemFiles
import Workers

/// The end of a batch's process, or that it never came to be.
extension BatchRun {
  func processEnded(_ end: ProcessEnd, _ leftovers: [Leftover]) {
    session.supervisor.loop.cancel(limitTimer)
    session.supervisor.loop.cancel(slowTimer)
    let now = monotonicSeconds()
    let launched = process?.startTime ?? startedAt
    collectCrashReports()
    // Before the conclusion, which may blame a test that was not seen to finish.
    let tail = lastActivity.map { now - $0 }
    let conclusion = transcript.conclude(
      end: end, intervention: intervention, leftovers: leftovers,
      crashReports: attributedCrashReports)
    var final: [TestID: TestOutcome] = [:]
    for event in conclusion.events {
      if case .finished(let test, let outcome) = event {
        final[test] = outcome
      } else {
        handle(event)
      }
    }
    for test in transcript.startOrder where final[test] != nil {
      if let outcome = final.removeValue(forKey: test) { finish(test, outcome, end: end) }
    }
    for (test, outcome) in final.sorted(by: { $0.key < $1.key }) {
      finish(test, outcome, end: end)
    }
    let order = transcript.startOrder + spec.tests.filter { startTimes[$0] == nil }
    let results = order.compactMap { test in
      outcomes[test].flatMap { result(test, $0, end: end) }
    }
    onEnd(
      self,
      Ended(
        results: results,
        // That of a copy says nothing about the processes of other runs.
        startCost: isCopy ? nil : firstStart.map { $0 - launched + (tail ?? 0) },
        duration: now - startedAt, end: end, startOrder: transcript.startOrder,
        request: request,
        selection: results.contains { $0.verdict.needsBundle } ? selection : nil))
  }

  /// The selection, if this batch's process was given one in a file.
  private var selection: [UInt8]? {
    guard let request,
      request.arguments.contains(container.selection)
        || request.environment.values.contains(container.selection)
    else { return nil }
    return readSmallFile(container.selection, .regularFileOnly)
  }

  /// The container or the process could not be made: the surroundings are at fault.
  func failToStart(_ error: any Error) {
    var results: [AttemptResult] = []
    for test in spec.tests where spec.attempts[test] != nil {
      let outcome = TestOutcome(
        verdict: .environment,
        reason: (error as? RunEngineError)?.code == .executableChanged
          ? "\(error)" : "the batch could not be started: \(error)")
      finish(test, outcome, end: nil)
      if let result = result(test, outcome, end: nil) { results.append(result) }
    }
    let ended = Ended(
      results: results, startCost: nil, duration: monotonicSeconds() - startedAt,
      end: nil, startOrder: [], request: request)
    session.supervisor.loop.after(0) { [self] in onEnd(self, ended) }
  }
}
