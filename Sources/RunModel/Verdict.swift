/// How an attempt, or a test as a whole, ended.
package enum Verdict: String, Codable, CaseIterable, Sendable {
  /// Finish record seen, process ended by itself, closing record seen, nobody signalled it.
  case passed
  /// The test recorded an issue that is not a known one.
  case failed
  /// The process ended while the test was running, or after it in a way that the results do not
  /// explain; or it reported a crash while the test was running, and went on.
  case crashed
  /// The test exceeded its time limit and its process was ended.
  case timedOut = "timed-out"
  /// The test passed but left processes behind.
  case leaked
  /// The test was planned and its process ran, but no result of it was seen.
  case lost
  /// The test did not run, or stopped early, because it said so; see ``SkipKind``.
  case skipped
  /// Only known issues were recorded.
  case knownIssue = "known-issue"
  /// The surroundings were at fault; nothing is said about the test.
  case environment
  /// The run was ended while the test was running.
  case interrupted
  /// The run ended before the test was started.
  case notRun = "not-run"

  /// Whether the verdict counts as success for the run's exit code.
  ///
  /// - Parameter leaksFail: Whether a leaked process makes the run fail.
  package func isSuccess(leaksFail: Bool) -> Bool {
    switch self {
    case .passed, .skipped, .knownIssue: true
    case .leaked: !leaksFail
    case .failed, .crashed, .timedOut, .lost, .environment, .interrupted, .notRun: false
    }
  }

  /// Whether an attempt with this verdict is packed into a failure bundle.
  package var needsBundle: Bool {
    switch self {
    case .failed, .crashed, .timedOut, .leaked, .lost, .environment, .interrupted: true
    case .passed, .skipped, .knownIssue, .notRun: false
    }
  }

  /// Whether the test itself may be tried again: it ran, and did not succeed.
  package var isRetriable: Bool {
    switch self {
    case .failed, .crashed, .timedOut, .leaked, .lost: true
    case .passed, .skipped, .knownIssue, .environment, .interrupted, .notRun: false
    }
  }
}

/// Why a test counts as skipped.
package enum SkipKind: String, Codable, Sendable {
  /// The test threw a skip while it ran (`XCTSkip`).
  case runtime
  /// The test was not started: a trait or condition disabled it.
  case disabled
  /// The test cancelled itself while it ran (`Test.cancel`).
  case cancelled
  /// A parameterized test had no arguments.
  case noArguments = "no-arguments"
}

/// A skip with its reason.
package struct Skip: Codable, Hashable, Sendable {
  package var kind: SkipKind
  /// The reason given by the author; `nil` when none was given.
  package var reason: String?
  package var location: SourceLocation?

  package init(kind: SkipKind, reason: String? = nil, location: SourceLocation? = nil) {
    self.kind = kind
    self.reason = reason?.limitedMessage
    self.location = location
  }
}

/// A place in the sources.
package struct SourceLocation: Codable, Hashable, Sendable, CustomStringConvertible {
  /// Path as the compiler knew it, normally absolute.
  package var file: String
  /// Line, from 1.
  package var line: Int
  /// Column, from 1; `nil` where the library does not tell.
  package var column: Int?

  package init(file: String, line: Int, column: Int? = nil) {
    self.file = file.limitedName
    self.line = line
    self.column = column
  }

  package var description: String { "\(file):\(line)" + (column.map { ":\($0)" } ?? "") }
}

/// Something that a test recorded: a failed expectation, a thrown error, a warning.
package struct TestIssue: Codable, Hashable, Sendable {
  package enum Severity: String, Codable, Sendable {
    case warning, error
  }

  package var message: String
  package var location: SourceLocation?
  package var severity: Severity
  /// Whether the test's author declared the issue as known.
  package var isKnown: Bool
  /// The case of a parameterized test that recorded it, as in ``TestCaseResult/name``.
  package var caseName: String?
  /// Whether it tells of the crash of the process; `nil` for no.
  package var isCrash: Bool?

  package init(
    message: String, location: SourceLocation? = nil, severity: Severity = .error,
    isKnown: Bool = false, caseName: String? = nil, isCrash: Bool? = nil
  ) {
    self.message = message.limitedMessage
    self.location = location
    self.severity = severity
    self.isKnown = isKnown
    self.caseName = caseName?.limitedName
    self.isCrash = isCrash
  }

  /// Whether the issue makes its test fail.
  package var isFailure: Bool { severity == .error && !isKnown }
}
