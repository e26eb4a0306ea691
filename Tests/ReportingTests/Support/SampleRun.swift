import RunModel

/// Builds the events of a made-up run without a clock.
struct SampleRun {
  /// Time of the run's start: 2026-03-01T12:30:05Z.
  static let start = 1_772_368_205.25

  var events: [RunEvent] = []
  private var batch = 0

  init(retries: Int = 0, leaksFail: Bool = true, packagePath: String = "/home/u/Notes") {
    add(
      .runStarted(
        RunHeader(
          runID: "20260301-123005-ab12", carrel: "0.1.0", packagePath: packagePath,
          arguments: ["run"], workers: 2, batch: "auto", retries: retries, timeLimit: 60,
          leaksFail: leaksFail, isolation: "processes", seed: "1",
          toolchain: "Swift version 6.3.1", hostName: "ci-7", passedVariables: ["PATH"])))
  }

  var state: RunState { RunState(events) }

  static func id(
    _ name: String, library: TestLibrary = .testing, product: String = "NotesPackageTests"
  ) -> TestID {
    TestID(product: product, library: library, name: name)
  }

  mutating func add(_ kind: RunEvent.Kind) {
    events.append(RunEvent(time: Self.start + Double(events.count), kind))
  }

  mutating func plan(_ test: TestID, line: Int = 10, parameterized: Bool = false) {
    add(
      .testPlanned(
        TestDescriptor(
          id: test,
          location: SourceLocation(file: "/home/u/Notes/Tests/NoteTests.swift", line: line),
          isParameterized: parameterized)))
  }

  /// Lets a test start and end once, and writes the bundle that the verdict calls for.
  @discardableResult
  mutating func attempt(
    _ test: TestID, _ verdict: Verdict, number: Int = 1, purpose: AttemptPurpose = .planned,
    duration: Double = 0.012, change: (inout AttemptResult) -> Void = { _ in }
  ) -> AttemptResult {
    batch += 1
    var result = AttemptResult(
      test: test, attempt: number, purpose: purpose, batch: batch, worker: 1, verdict: verdict,
      startedAt: Self.start + Double(batch), duration: duration)
    change(&result)
    add(.attemptStarted(AttemptStart(test: test, attempt: number, batch: batch, worker: 1)))
    add(.attemptFinished(result))
    if verdict.needsBundle {
      let path = "bundles/\(test.function.filter(\.isLetter))-\(number).tar.zst"
      add(.bundleWritten(BundleReference(test: test, attempt: number, path: path, bytes: 1000)))
    }
    return result
  }

  mutating func finish(
    _ test: TestID, _ verdict: Verdict, attempts: Int = 1, isFlaky: Bool = false,
    company: CompanyFinding? = nil, reason: String? = nil
  ) {
    add(
      .testFinished(
        TestResult(
          test: test, verdict: verdict, isFlaky: isFlaky, attempts: attempts, company: company,
          reason: reason)))
  }

  /// Plans a test, runs it once and logs its result.
  @discardableResult
  mutating func run(
    _ test: TestID, _ verdict: Verdict, change: (inout AttemptResult) -> Void = { _ in }
  ) -> AttemptResult {
    plan(test)
    let result = attempt(test, verdict, change: change)
    finish(test, verdict)
    return result
  }

  mutating func end(exitCode: Int32, duration: Double = 3.21, interruptedBy: String? = nil) {
    add(
      .runFinished(
        RunFinish(exitCode: exitCode, duration: duration, interruptedBy: interruptedBy)))
  }
}

func issue(
  _ message: String, line: Int = 12, known: Bool = false,
  severity: TestIssue.Severity = .error, caseName: String? = nil
) -> TestIssue {
  TestIssue(
    message: message,
    location: SourceLocation(file: "/home/u/Notes/Tests/NoteTests.swift", line: line),
    severity: severity, isKnown: known, caseName: caseName)
}

func log(_ path: String, bytes: Int) -> LogReference {
  LogReference(path: "logs/\(path)", bytes: bytes, isTruncated: false)
}
