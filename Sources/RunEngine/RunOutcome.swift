import RunModel
import Workers

/// What came of a run.
package struct RunOutcome {
  package let session: RunSession
  /// What kept the run from its tests.
  package let failure: (any Error)?
  /// Whether the run got to its tests.
  package let didRun: Bool
  /// Seconds since 1970.
  package let startedAt: Double
  /// Where the tests of the first worker have seen their container.
  package let containerPath: String

  /// How a run ended, in one word.
  package enum Conclusion: Hashable, Sendable {
    case interrupted(by: String)
    /// ``RunOutcome/failure`` says why.
    case didNotStart
    case testsFailed
    /// The tests of a product could not be listed; those of the others succeeded.
    case listingFailed
    /// Something went wrong outside of the tests.
    case environment
    case nothingRun
    case succeeded
  }

  /// Signals first, then what says most about the tests.
  package func conclusion(leaksFail: Bool) -> Conclusion {
    if let signal = session.interruption { return .interrupted(by: signal) }
    if failure != nil { return .didNotStart }
    return session.state.conclusion(leaksFail: leaksFail)
  }

  /// Writes the end of the run into the event log.
  package func finish(exitCode: Int32) {
    session.log(
      .runFinished(
        RunFinish(
          exitCode: exitCode, duration: wallClockSeconds() - startedAt,
          interruptedBy: session.interruption, processorSeconds: processorSeconds(),
          peakMemory: peakMemory(), verdicts: session.state.verdicts)))
  }
}

extension RunState {
  /// The conclusion of a run that no signal ended; of one that goes on, from the tests that have a
  /// result.
  package func conclusion(leaksFail: Bool) -> RunOutcome.Conclusion {
    let failed = decided.map(\.result.verdict).filter { !$0.isSuccess(leaksFail: leaksFail) }
    if failed.contains(where: { $0 != .environment }) { return .testsFailed }
    let errors = problems.filter { $0.severity == .error }
    if errors.contains(where: { [.listingFailed, .loaderFailed].contains($0.code) }) {
      return .listingFailed
    }
    if !errors.isEmpty || !failed.isEmpty { return .environment }
    return tests.isEmpty ? .nothingRun : .succeeded
  }
}
