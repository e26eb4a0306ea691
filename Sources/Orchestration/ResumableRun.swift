package import RunModel

/// What is left of a run that did not come to its end, and what it has found out already.
///
/// Tests with a final result keep it. All others are run again, from their first attempt: what ran
/// when the run ended, what had not started, what waited for a retry or a check, and a failure
/// whose bundle was not complete.
package struct ResumableRun: Sendable {
  /// The header of the run.
  package let header: RunHeader
  /// Of the run that was resumed first, which is this one when it is no resumed run: its command
  /// line has all options.
  package let origin: RunHeader
  /// The whole plan, in its order.
  package let tests: [TestDescriptor]
  /// The tests that are run, in the order of the plan.
  package let rest: [TestID]
  /// What is known of the others, and problems; batches have new numbers, from 1.
  package var events: [RunEvent]
  /// The runs that the events are of.
  package let sources: [RunSource]
  /// The greatest number of a batch in the events; 0 when there is none.
  package let lastBatch: Int

  /// Number of tests that have failed for good, and count for a limit of failures.
  package let failures: Int

  /// - Parameter log: The events of the run, which nobody writes any more.
  /// - Throws: ``OrchestrationError`` with the code `not-resumable` when it was merged, was
  ///   over, or did not come to its first test, so that its plan may be cut off.
  package init(_ log: [RunEvent]) throws(OrchestrationError) {
    let state = RunState(log)
    guard let header = state.header else {
      throw Self.refusal("it has no first event; 'carrel run' begins anew")
    }
    guard !header.isMerge else {
      throw Self.refusal("it was merged; resume the runs that it was made of")
    }
    if let finish = state.finish, finish.interruptedBy == nil {
      throw Self.refusal("it came to its end")
    }
    let hasPlan = log.contains { if case .batchStarted = $0.kind { true } else { false } }
    guard hasPlan else {
      let advice =
        header.continues.map { "'carrel resume \($0)' resumes the run before it" }
        ?? "'carrel run' begins anew"
      throw Self.refusal("it did not come to its first test; \(advice)")
    }
    self.header = header
    let merge = try RunMerge([log])
    sources = merge.sources
    var origin = header
    while let earlier = origin.continues,
      let source = sources.first(where: { $0.runID == earlier })
    {
      origin = source.header
    }
    self.origin = origin
    tests = state.tests.map(\.descriptor)
    let done = state.tests.filter(\.isDecided)
    let decided = Set(done.map(\.id))
    rest = tests.map(\.id).filter { !decided.contains($0) }
    failures = done.count { !$0.result.verdict.isSuccess(leaksFail: header.leaksFail) }
    var renumbering = merge.renumbering
    renumbering.keepsWorkers = true
    lastBatch = renumbering.batchCount
    events = merge.problems + merge.countingEvents(of: decided, with: renumbering)
  }

  private static func refusal(_ reason: String) -> OrchestrationError {
    OrchestrationError(.notResumable, reason)
  }
}

extension RunState.Test {
  /// Whether the test has a final result that the end of its run has no part in.
  fileprivate var isDecided: Bool {
    guard let logged else { return false }
    return logged.verdict != .interrupted && logged.verdict != .notRun
      && attempts.allSatisfy { !$0.verdict.needsBundle || bundles[$0.attempt] != nil }
  }
}
