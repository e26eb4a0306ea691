/// How a process ended.
package enum ProcessEnd: Hashable, Sendable, Codable {
  /// Ended by itself with a status, 0 to 255.
  case exited(Int32)
  /// Ended by a signal.
  case signaled(Int32)
  /// Ended, and the system does not say how: somebody else has waited for it. Never a success.
  case unknown

  /// - Parameter waitStatus: What wait(2) gives of a process that has ended.
  package init(waitStatus: Int32) {
    let signal = waitStatus & 0x7F
    self = signal == 0 ? .exited(waitStatus >> 8 & 0xFF) : .signaled(signal)
  }

  private enum CodingKeys: String, CodingKey { case exit, signal, signalName }

  package init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    if let signal = try container.decodeIfPresent(Int32.self, forKey: .signal) {
      self = .signaled(signal)
    } else if let status = try container.decodeIfPresent(Int32.self, forKey: .exit) {
      self = .exited(status)
    } else {
      self = .unknown
    }
  }

  package func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    switch self {
    case .exited(let status): try container.encode(status, forKey: .exit)
    case .signaled(let signal):
      try container.encode(signal, forKey: .signal)
      try container.encode(signalName(signal), forKey: .signalName)
    case .unknown: break
    }
  }
}

extension ProcessEnd: CustomStringConvertible {
  /// `exit status 1`, `signal SIGILL`.
  package var description: String {
    switch self {
    case .exited(let status): "exit status \(status)"
    case .signaled(let signal): "signal \(signalName(signal))"
    case .unknown: "a status that the system did not tell"
    }
  }
}

/// The name of a Linux signal, for example `SIGKILL` for 9 (signal(7), x86-64 and arm64 numbering).
///
/// - Returns: For a real-time signal `SIGRTMIN+2`, counted from 34 as glibc does; for any other
///   number its digits.
package func signalName(_ signal: Int32) -> String {
  let names = [
    "SIGHUP", "SIGINT", "SIGQUIT", "SIGILL", "SIGTRAP", "SIGABRT", "SIGBUS", "SIGFPE", "SIGKILL",
    "SIGUSR1", "SIGSEGV", "SIGUSR2", "SIGPIPE", "SIGALRM", "SIGTERM", "SIGSTKFLT", "SIGCHLD",
    "SIGCONT", "SIGSTOP", "SIGTSTP", "SIGTTIN", "SIGTTOU", "SIGURG", "SIGXCPU", "SIGXFSZ",
    "SIGVTALRM", "SIGPROF", "SIGWINCH", "SIGIO", "SIGPWR", "SIGSYS",
  ]
  let index = Int(signal) - 1
  if names.indices.contains(index) { return names[index] }
  switch signal {
  case 34: return "SIGRTMIN"
  case 35...64: return "SIGRTMIN+\(signal - 34)"
  default: return "\(signal)"
  }
}

/// Why an attempt was made.
package enum AttemptPurpose: String, Codable, Sendable {
  /// The plan says so.
  case planned
  /// The test failed and retries are on; the attempt counts for the verdict.
  case retry
  /// The test failed in company; the attempt shows whether it also fails alone.
  case aloneCheck = "alone-check"
  /// The test failed alone; the attempt shows whether it also fails in company.
  case companyCheck = "company-check"
}

/// One case of a parameterized test.
package struct TestCaseResult: Codable, Hashable, Sendable {
  /// The arguments as the library prints them.
  package var name: String
  package var verdict: Verdict
  /// In seconds; `nil` when the case did not finish.
  package var duration: Double?

  package init(name: String, verdict: Verdict, duration: Double? = nil) {
    self.name = name.limitedName
    self.verdict = verdict
    self.duration = duration
  }
}

/// A log of one attempt and stream.
package struct LogReference: Codable, Hashable, Sendable {
  /// Path relative to the run's folder.
  package var path: String
  /// Bytes that the test wrote; the file holds fewer when ``isTruncated``.
  package var bytes: Int
  /// Whether the middle was left out because of the cap.
  package var isTruncated: Bool

  package init(path: String, bytes: Int, isTruncated: Bool) {
    self.path = path
    self.bytes = bytes
    self.isTruncated = isTruncated
  }
}

/// What an app's processes wrote while a test ran.
package struct AppLog: Codable, Hashable, Sendable {
  package var bundleIdentifier: String
  package var log: LogReference

  package init(bundleIdentifier: String, log: LogReference) {
    self.bundleIdentifier = bundleIdentifier
    self.log = log
  }
}

/// Everything that is known about one attempt after its end, within ``ResultLimits``.
package struct AttemptResult: Codable, Hashable, Sendable {
  package var test: TestID
  /// Number of the attempt at this test within the run, from 1.
  package var attempt: Int
  package var purpose: AttemptPurpose
  /// Number of the batch, from 1.
  package var batch: Int
  /// Worker slot, from 1.
  package var worker: Int
  package var verdict: Verdict
  /// One sentence when the verdict is not explained by an issue.
  package var reason: String?
  package var skip: Skip?
  package var issues: [TestIssue]
  /// Cases of a parameterized test, in the order they ran.
  package var cases: [TestCaseResult]
  /// How the batch's process ended; `nil` when it was still running or never started.
  package var end: ProcessEnd?
  /// Seconds since 1970.
  package var startedAt: Double
  /// In seconds.
  package var duration: Double
  package var stdout: LogReference?
  package var stderr: LogReference?
  /// What the processes of the apps wrote that the test called; `nil` stands for none.
  private var appLogs: [AppLog]?
  package var leaks: [LeakedProcess]
  /// Whether other tests ran in the same process before this one.
  package var hadCompany: Bool
  /// What the limits left out; `nil` for nothing.
  package var omitted: OmittedCounts?

  package init(
    test: TestID, attempt: Int, purpose: AttemptPurpose = .planned, batch: Int, worker: Int,
    verdict: Verdict, reason: String? = nil, skip: Skip? = nil, issues: [TestIssue] = [],
    cases: [TestCaseResult] = [], end: ProcessEnd? = nil, startedAt: Double, duration: Double,
    stdout: LogReference? = nil, stderr: LogReference? = nil, apps: [AppLog] = [],
    leaks: [LeakedProcess] = [],
    hadCompany: Bool = false, omitted: OmittedCounts? = nil
  ) {
    let issues = IssueList(issues)
    let cases = CaseList(cases)
    let keptLeaks = Self.limited(leaks)
    var omitted = omitted ?? OmittedCounts()
    omitted.issues += issues.omitted
    omitted.cases += cases.omitted
    omitted.failedCases += cases.omittedFailed
    omitted.leaks += leaks.count - keptLeaks.count
    self.omitted = omitted.isEmpty ? nil : omitted
    self.test = test
    self.attempt = attempt
    self.purpose = purpose
    self.batch = batch
    self.worker = worker
    self.verdict = verdict
    self.reason = reason?.limitedMessage
    self.skip = skip
    self.issues = issues.kept
    self.cases = cases.kept
    self.end = end
    self.startedAt = startedAt
    self.duration = duration
    self.stdout = stdout
    self.stderr = stderr
    appLogs = apps.isEmpty ? nil : apps
    self.leaks = keptLeaks
    self.hadCompany = hadCompany
  }

  /// The logs of the apps that the test called, by bundle identifier.
  package var apps: [AppLog] { appLogs ?? [] }

  private static func limited(_ leaks: [LeakedProcess]) -> [LeakedProcess] {
    let limits = ResultLimits.standard
    var bytes = 0
    return Array(
      leaks.prefix(limits.leaks).prefix {
        bytes += $0.textBytes
        return bytes <= limits.leakBytes
      })
  }

  /// The issue that tells best why the test did not succeed: of a crash its own, else the first
  /// failure.
  package var mainIssue: TestIssue? {
    switch verdict {
    case .crashed: issues.first { $0.isCrash == true }
    case .failed: issues.first(where: \.isFailure)
    default: nil
    }
  }

  /// The message that a person reads first: that of the main issue, else the first failure, else
  /// the reason, else the skip's.
  package var headline: String? {
    mainIssue?.message ?? issues.first(where: \.isFailure)?.message ?? reason ?? issues.first?
      .message ?? skip?.reason
  }
}

/// What was found out by trying a failed test once more with or without its neighbours.
package enum CompanyFinding: Codable, Hashable, Sendable {
  /// Failed in company and alone.
  case alsoAlone
  /// Failed in company, passed alone; the tests ran before it in the same process, in this order.
  /// The nearest hundred are named; see ``TestResult/unnamed``.
  case onlyAfter([TestID])
  /// Failed alone and in company.
  case alsoInCompany
  /// Failed alone, passed after these tests in the same process.
  case onlyAlone(passesAfter: [TestID])
}

/// The one final result of a planned test.
package struct TestResult: Codable, Hashable, Sendable {
  package var test: TestID
  package var verdict: Verdict
  /// Whether the test passed only after at least one attempt that failed.
  package var isFlaky: Bool
  /// Number of attempts, 0 when it was not run.
  package var attempts: Int
  package var company: CompanyFinding?
  /// Number of tests that ran before those that ``company`` names; `nil` for none.
  package var unnamed: Int?
  /// Why the test was not run; `nil` otherwise.
  package var reason: String?

  package init(
    test: TestID, verdict: Verdict, isFlaky: Bool = false, attempts: Int,
    company: CompanyFinding? = nil, unnamed: Int? = nil, reason: String? = nil
  ) {
    self.test = test
    self.verdict = verdict
    self.isFlaky = isFlaky
    self.attempts = attempts
    self.company = company
    self.unnamed = unnamed
    self.reason = reason
  }
}
