package import RunModel

/// The JUnit XML of a run, as CI systems read it; docs/reports.md describes the dialect.
package enum JUnitReport {
  /// What a caller may set.
  package struct Options: Sendable {
    /// Put in front of the paths of bundles and logs, which are relative to the run's folder.
    package var runFolder = ""
    /// Folder that source paths are made relative to; `nil` stands for the package.
    package var sourceRoot: String?
    /// Bytes of output kept of each stream of an attempt.
    package var streamLimit = 64 * 1024
    /// Bytes of text kept of each failure.
    package var textLimit = 64 * 1024
    /// Bytes of output and failure text in the whole report, shared evenly.
    package var reportLimit = 16 * 1024 * 1024
    /// As in ``ConsoleReport/Style``.
    package var companyAdvice: String?

    package init(
      runFolder: String = "", sourceRoot: String? = nil, companyAdvice: String? = nil
    ) {
      self.runFolder = runFolder
      self.sourceRoot = sourceRoot
      self.companyAdvice = companyAdvice
    }
  }

  /// The report as the bytes of a file in UTF-8.
  ///
  /// - Parameters:
  ///   - state: The run; it may have ended early.
  ///   - logText: The end of a log; `nil` when it cannot be read.
  package static func renderUTF8(
    _ state: RunState, options: Options = Options(), logText: (LogReference) -> LogEnd?
  ) -> [UInt8] {
    let renderer = JUnitRenderer(state: state, options: options)
    let suites = renderer.suites()
    let problems = renderer.problemSuite()
    // Counted before anything is written, so that the whole is in memory once.
    var counts = JUnitCounts()
    for suite in suites { counts.add(renderer.counts(of: suite)) }
    if let problems { counts.add(problems.counts) }
    var xml = XMLWriter(capacity: 1024 * (1 + state.tests.count))
    xml.markup("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites")
    xml.attribute("name", renderer.runName)
    if let duration = state.finish?.duration { counts.seconds = duration }
    counts.write(to: &xml)
    if let startedAt = state.startedAt { xml.attribute("timestamp", iso8601(startedAt)) }
    xml.markup(">\n")
    for (id, suite) in suites.enumerated() {
      renderer.write(suite, id: id, logText: logText, to: &xml)
    }
    if let problems { renderer.write(problems, id: suites.count, to: &xml) }
    xml.markup("</testsuites>\n")
    return xml.bytes
  }
}

/// Numbers of test cases by what became of them; the total is the sum by construction.
struct JUnitCounts {
  var suites = 0
  var passed = 0
  var failures = 0
  var errors = 0
  var skipped = 0
  /// In seconds.
  var seconds = 0.0

  var tests: Int { passed + failures + errors + skipped }

  mutating func add(_ other: JUnitCounts) {
    suites += 1
    passed += other.passed
    failures += other.failures
    errors += other.errors
    skipped += other.skipped
    seconds += validSeconds(other.seconds)
  }

  mutating func count(_ outcome: JUnitOutcome) {
    switch outcome {
    case .passed: passed += 1
    case .failure: failures += 1
    case .error: errors += 1
    case .skipped: skipped += 1
    }
  }

  func write(to xml: inout XMLWriter) {
    xml.attribute("tests", tests)
    xml.attribute("failures", failures)
    xml.attribute("errors", errors)
    xml.attribute("skipped", skipped)
    xml.attribute("time", fixed(seconds, decimals: 3))
  }
}

/// The four things that JUnit XML can say of a test case.
enum JUnitOutcome {
  case passed, failure, error, skipped

  /// - Parameter leaksFail: Whether a leaked process makes the run fail.
  init(_ verdict: Verdict, leaksFail: Bool) {
    switch verdict {
    case .passed, .knownIssue: self = .passed
    case .failed: self = .failure
    case .skipped: self = .skipped
    case .leaked: self = leaksFail ? .error : .passed
    case .crashed, .timedOut, .lost, .environment, .interrupted, .notRun: self = .error
    }
  }
}
