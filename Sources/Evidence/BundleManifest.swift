package import RunModel

/// The version of the failure bundle's format, `MAJOR.MINOR`; see docs/bundle-format.md.
package let bundleFormat = FormatVersion(major: 1, minor: 0)

/// What a failure bundle is about: `manifest.json`, its first entry.
package struct BundleManifest: Codable, Hashable, Sendable {
  package var format: FormatVersion
  /// Version of Carrel that wrote the bundle.
  package var carrel: String
  package var runID: String
  package var test: TestID
  package var attempt: Int
  package var purpose: AttemptPurpose
  package var verdict: Verdict
  package var reason: String?
  package var issues: [TestIssue]
  package var cases: [TestCaseResult]
  /// What the limits of results left out; `nil` for nothing.
  package var omitted: OmittedCounts?
  package var skip: Skip?
  package var end: ProcessEnd?
  /// Seconds since 1970.
  package var startedAt: Double
  /// In seconds.
  package var duration: Double
  package var worker: Int
  package var batch: Int
  /// Tests that ran before in the same process, in this order.
  package var predecessors: [TestID]
  package var leaks: [LeakedProcess]
  package var package: String
  package var toolchain: String
  /// Where the toolchain was and what is known of it, of the test's product and of its apps; `nil`
  /// in bundles that do not say.
  package var toolchainDetails: ToolchainRecord?
  /// What the test ran on, for example the system's name and architecture.
  package var runtime: String
  package var hostName: String
  /// The app under test; `nil` for a plain test.
  package var bundleIdentifier: String?
  /// The intent that the test performed last; `nil` for a plain test.
  package var intentName: String?
  package var fixtureToken: String?
  package var isolation: String
  /// Time limit of the test in seconds; `nil` for none.
  package var timeLimit: Double?
  /// What the logs in the bundle hold; paths are those in the run's folder.
  package var stdout: LogReference?
  package var stderr: LogReference?
  /// The same of what the processes of apps wrote; `nil` for a plain test.
  package var appLogs: [AppLog]?

  package init(
    carrel: String, runID: String, attempt result: AttemptResult, predecessors: [TestID],
    package: String, toolchain: String, runtime: String, hostName: String,
    bundleIdentifier: String? = nil, intentName: String? = nil, fixtureToken: String?,
    isolation: String, timeLimit: Double?
  ) {
    format = bundleFormat
    self.carrel = carrel
    self.runID = runID
    test = result.test
    attempt = result.attempt
    purpose = result.purpose
    verdict = result.verdict
    reason = result.reason
    issues = result.issues
    cases = result.cases
    omitted = result.omitted
    skip = result.skip
    end = result.end
    startedAt = result.startedAt
    duration = result.duration
    worker = result.worker
    batch = result.batch
    self.predecessors = predecessors
    leaks = result.leaks
    self.package = package
    self.toolchain = toolchain
    self.runtime = runtime
    self.hostName = hostName
    self.bundleIdentifier = bundleIdentifier
    self.intentName = intentName
    self.fixtureToken = fixtureToken
    self.isolation = isolation
    self.timeLimit = timeLimit
    stdout = result.stdout
    stderr = result.stderr
    appLogs = result.apps.isEmpty ? nil : result.apps
  }

  /// Writes every key; what is absent is `null`.
  package func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(format, forKey: .format)
    try container.encode(carrel, forKey: .carrel)
    try container.encode(runID, forKey: .runID)
    try container.encode(test, forKey: .test)
    try container.encode(attempt, forKey: .attempt)
    try container.encode(purpose, forKey: .purpose)
    try container.encode(verdict, forKey: .verdict)
    try container.encode(reason, forKey: .reason)
    try container.encode(issues, forKey: .issues)
    try container.encode(cases, forKey: .cases)
    try container.encode(omitted, forKey: .omitted)
    try container.encode(skip, forKey: .skip)
    try container.encode(end, forKey: .end)
    try container.encode(startedAt, forKey: .startedAt)
    try container.encode(duration, forKey: .duration)
    try container.encode(worker, forKey: .worker)
    try container.encode(batch, forKey: .batch)
    try container.encode(predecessors, forKey: .predecessors)
    try container.encode(leaks, forKey: .leaks)
    try container.encode(package, forKey: .package)
    try container.encode(toolchain, forKey: .toolchain)
    try container.encode(toolchainDetails, forKey: .toolchainDetails)
    try container.encode(runtime, forKey: .runtime)
    try container.encode(hostName, forKey: .hostName)
    try container.encode(bundleIdentifier, forKey: .bundleIdentifier)
    try container.encode(intentName, forKey: .intentName)
    try container.encode(fixtureToken, forKey: .fixtureToken)
    try container.encode(isolation, forKey: .isolation)
    try container.encode(timeLimit, forKey: .timeLimit)
    try container.encode(stdout, forKey: .stdout)
    try container.encode(stderr, forKey: .stderr)
    try container.encode(appLogs, forKey: .appLogs)
  }
}

extension BundleManifest {
  /// The attempt that the bundle is about, as the event log tells it.
  package var attemptResult: AttemptResult {
    AttemptResult(
      test: test, attempt: attempt, purpose: purpose, batch: batch, worker: worker,
      verdict: verdict, reason: reason, skip: skip, issues: issues, cases: cases, end: end,
      startedAt: startedAt, duration: duration, stdout: stdout, stderr: stderr,
      apps: appLogs ?? [], leaks: leaks,
      hadCompany: !predecessors.isEmpty, omitted: omitted)
  }
}
