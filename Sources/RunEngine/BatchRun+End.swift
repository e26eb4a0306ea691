import Evidence
import Orchestration
import RunModel
import SwiftTests
import SystemFiles
import Workers

/// The end of a batch's process, or that it never came to be.
extension BatchRun {
  func processEnded(_ end: ProcessEnd, _ leaks: [Leak]) {
    stopWatching()
    let now = monotonicSeconds()
    endedAt = now
    // What happens while the apps end says nothing about the test.
    let cause = intervention
    if let failure = process?.launchFailure { return failToStart(failure) }
    openCall = intents?.openCall
    privateFolders = sandbox?.privateFolderUse() ?? []
    stopLooking { [self] in
      endEverything { [self] in
        if isReplaced { return conclude(program: end) }
        conclude(end, cause, leaks, at: now)
      }
    }
  }

  /// Ends the apps, then the sandbox.
  ///
  /// - Parameter handler: Called once when nothing of the batch is left; at once when there is
  ///   neither.
  private func endEverything(_ handler: @escaping () -> Void) {
    let endSandbox = { [self] in
      guard let sandbox else { return handler() }
      sandbox.end(handler)
    }
    guard let intents else { return endSandbox() }
    intents.stop(endSandbox)
  }

  /// - Parameters:
  ///   - cause: Why the process was ended, if it was.
  ///   - now: When the process ended; its apps may have ended later.
  private func conclude(
    _ end: ProcessEnd, _ cause: BatchTranscript.Intervention?, _ leaks: [Leak],
    at now: Double
  ) {
    let launched = process?.startTime ?? startedAt
    collectCrashReports()
    // Before the conclusion, which may blame a test that was not seen to finish.
    let tail = lastActivity.map { now - $0 }
    let conclusion = transcript.conclude(
      end: end, intervention: cause, leaks: leaks,
      crashReports: attributedCrashReports, cause: provenCause(of: end))
    var final: [TestID: TestOutcome] = [:]
    for event in conclusion.events {
      if case .finished(let test, let outcome) = event {
        final[test] = outcome
      } else {
        handle(event)
      }
    }
    chargeApps(&final)
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
    let isEvidence = results.contains { $0.verdict.needsBundle }
    intents?.closeIndex(isEvidence: isEvidence)
    onEnd(
      self,
      Ended(
        results: results,
        // That of a copy says nothing about the processes of other runs.
        startCost: isCopy ? nil : firstStart.map { $0 - launched + (tail ?? 0) },
        duration: now - startedAt, end: end, startOrder: transcript.startOrder,
        request: request,
        selection: isEvidence ? selection : nil, hang: hangText))
  }

  /// The selection, if this batch's process was given one in a file.
  private var selection: [UInt8]? {
    guard let request,
      request.arguments.contains(container.seen.selection)
        || request.environment.values.contains(container.seen.selection)
    else { return nil }
    return readSmallFile(container.selection, .regularFileOnly)
  }

  /// The container or the process could not be made: the surroundings are at fault.
  func failToStart(_ error: any Error) {
    endEverything { [self] in concludeWithoutProcess(error) }
  }

  private func concludeWithoutProcess(_ error: any Error) {
    terminal?.close()
    endedAt = endedAt ?? monotonicSeconds()
    stopWatching()
    var results: [AttemptResult] = []
    for test in spec.tests where spec.attempts[test] != nil {
      let outcome =
        if case .interruption(let reason)? = intervention {
          TestOutcome(verdict: .interrupted, reason: reason)
        } else {
          TestOutcome(verdict: .environment, reason: explanation(of: error))
        }
      finish(test, outcome, end: nil)
      if let result = result(test, outcome, end: nil) { results.append(result) }
    }
    intents?.closeIndex(isEvidence: true)
    let ended = Ended(
      results: results, startCost: nil, duration: monotonicSeconds() - startedAt,
      end: nil, startOrder: [], request: request)
    session.supervisor.loop.after(0) { [self] in onEnd(self, ended) }
  }

  /// Takes the outcome that waited for the apps' ends, and charges the test for processes of apps
  /// that ended between two calls.
  private func chargeApps(_ final: inout [TestID: TestOutcome]) {
    guard let intents, let test = spec.tests.first else { return }
    if let heldOutcome, final[test] == nil { final[test] = heldOutcome }
    guard var outcome = final[test] else { return }
    if outcome.verdict == .timedOut, let openCall {
      outcome.reason = (outcome.reason.map { $0 + "; " } ?? "") + "\(openCall) had not answered"
    }
    for error in intents.complaints {
      outcome.add(decisive: TestIssue(message: error))
      if outcome.verdict.isSuccess(leaksFail: false) { outcome.verdict = .failed }
    }
    if !intents.leaks.isEmpty { outcome.charge(leaks: intents.leaks, by: "an app") }
    if let note = intents.pendingNote, !outcome.verdict.isSuccess(leaksFail: false) {
      outcome.add(decisive: TestIssue(message: note, severity: .warning))
    }
    if let fault = intents.faultOfSurroundings {
      outcome.verdict = .environment
      outcome.reason = fault
    }
    if let fault = intents.fault, ![.interrupted, .notRun].contains(outcome.verdict) {
      outcome = TestOutcome(
        verdict: .environment, reason: "\(fault)", duration: outcome.duration)
    }
    final[test] = outcome
  }

  private func explanation(of error: any Error) -> String {
    switch error {
    case let error as RunEngineError where error.code == .executableChanged: "\(error)"
    case let fault as EnvironmentFault: "\(fault)"
    default: "the batch could not be started: \(error)"
    }
  }
}
