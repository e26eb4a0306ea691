import RunEngine

/// What a command's exit status says. The one table of them; `docs/exit-codes.md` shows it.
package enum ExitCode: Int32, CaseIterable, Sendable {
  case success = 0
  case testsFailed = 1
  case usage = 2
  case buildFailed = 3
  case nothingMatched = 4
  case listingFailed = 5
  case environment = 6
  case notWritten = 7
  case badBundle = 8
  case notReproduced = 10
  case failedDifferently = 11
  case cannotReproduce = 12
  case interruptedByHangUp = 129
  case interruptedByInterrupt = 130
  case interruptedByQuit = 131
  case interruptedByTerminate = 143

  /// `carrel bundle diff`: the bundles are not the same, as diff(1) ends.
  static var bundlesDiffer: ExitCode { .testsFailed }

  /// One sentence for the table.
  package var meaning: String {
    switch self {
    case .success: "every test succeeded; for repro: the failure was reproduced"
    case .testsFailed:
      "at least one test did not succeed; for bundle diff: the bundles differ; for metadata: an "
        + "error, a breaking change, or something missing"
    case .usage: "command line or configuration make no sense, or there is no package at the path"
    case .buildFailed: "the package's tests do not build"
    case .nothingMatched:
      "there is no test to run, or none matches the filters; for metadata: there is none"
    case .listingFailed: "the tests of at least one product could not be listed"
    case .environment: "the surroundings are at fault: toolchain, container, observer"
    case .notWritten: "a record, report, bundle or the output could not be written"
    case .badBundle:
      "a bundle, run archive, record or build cannot be read: cut off, damaged, or of a newer "
        + "format"
    case .notReproduced: "repro: the test passed"
    case .failedDifferently: "repro: the test failed, but not in the same way"
    case .cannotReproduce: "repro: the test could not be run"
    case .interruptedByHangUp: "ended early by SIGHUP"
    case .interruptedByInterrupt: "ended early by SIGINT (Ctrl-C)"
    case .interruptedByQuit: "ended early by SIGQUIT"
    case .interruptedByTerminate: "ended early by SIGTERM"
    }
  }

  /// A stable word for it, for errors that have no code of their own.
  package var code: String {
    switch self {
    case .success: "success"
    case .testsFailed: "tests-failed"
    case .usage: "usage"
    case .buildFailed: "build-failed"
    case .nothingMatched: "nothing-matched"
    case .listingFailed: "listing-failed"
    case .environment: "environment"
    case .notWritten: "not-written"
    case .badBundle: "bad-bundle"
    case .notReproduced: "not-reproduced"
    case .failedDifferently: "failed-differently"
    case .cannotReproduce: "cannot-reproduce"
    case .interruptedByHangUp: "interrupted-by-hang-up"
    case .interruptedByInterrupt: "interrupted-by-interrupt"
    case .interruptedByQuit: "interrupted-by-quit"
    case .interruptedByTerminate: "interrupted-by-terminate"
    }
  }

  /// The code for a run that a signal ended.
  package init(signal name: String) {
    switch name {
    case "SIGHUP": self = .interruptedByHangUp
    case "SIGQUIT": self = .interruptedByQuit
    case "SIGTERM": self = .interruptedByTerminate
    default: self = .interruptedByInterrupt
    }
  }
}

extension ExitCode {
  /// The code for how a run ended.
  ///
  /// - Parameters:
  ///   - failure: That of the error which kept the run from its tests.
  ///   - allowsEmpty: Whether a run without any test is a success.
  init(
    _ conclusion: RunOutcome.Conclusion, failure: ExitCode? = nil, allowsEmpty: Bool = false
  ) {
    self =
      switch conclusion {
      case .interrupted(let signal): ExitCode(signal: signal)
      case .didNotStart: failure ?? .environment
      case .testsFailed: .testsFailed
      case .listingFailed: .listingFailed
      case .environment: .environment
      case .nothingRun: allowsEmpty ? .success : .nothingMatched
      case .succeeded: .success
      }
  }
}
