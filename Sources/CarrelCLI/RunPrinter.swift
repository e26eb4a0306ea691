import Evidence
import Reporting
import RunEngine
import RunModel

/// Prints a run as it happens.
final class RunPrinter: RunListener {
  private let output: Terminal
  private let errors: Terminal
  private let isQuiet: Bool
  private let style: ConsoleReport.Style
  private let recordPath: String
  /// Made when the tests are known.
  private(set) var report: ConsoleReport
  /// Attempts that had succeeded when they were printed.
  private var printedAsPassed: Set<Said> = []
  /// What was said of attempts: the end of a process may tell the same once more.
  private var said: Set<Said> = []
  private let context: CommandContext

  init(
    _ context: CommandContext, isQuiet: Bool, leaksFail: Bool, packagePath: String,
    archivePath: String? = nil, recordPath: String
  ) {
    output = context.output
    errors = context.errors
    self.isQuiet = isQuiet
    self.recordPath = recordPath
    self.context = context
    style = ConsoleReport.Style(
      isColored: context.output.wantsColor(context.environment), leaksFail: leaksFail,
      companyAdvice: ReproCommand.companyAdvice)
    report = ConsoleReport(
      style: style, tests: [], packagePath: packagePath, runFolder: context.shown(recordPath))
    report.archivePath = archivePath.map { context.shown($0) }
    report.isPackageCurrent = packagePath == context.absolute(".")
  }

  private var shownRecordPath: String { context.shown(recordPath) }

  /// Tells the printer all tests, so that it can name them shortly.
  func setTests(_ tests: [TestID]) { report.setTests(tests) }

  /// Tells the printer the tests of a run that is over.
  func setTests(plannedIn state: RunState) { report.setTests(plannedIn: state) }

  func buildDidPrint(_ bytes: UnsafeRawBufferPointer) {
    if !isQuiet { errors.write(bytes) }
  }

  func testIsSlow(_ test: TestID, seconds: Double) {
    output.print(report.slowLine(test, seconds: seconds))
  }

  func runDid(_ event: RunEvent, state: RunState) {
    switch event.kind {
    case .attemptFinished(let attempt):
      guard said.insert(Said(attempt, attempt.verdict)).inserted else {
        break
      }
      if attempt.verdict.needsBundle {
        printFailure(attempt, state)
      } else {
        printedAsPassed.insert(Said(attempt))
        if !isQuiet || attempt.purpose != .planned {
          output.print(report.line(for: attempt, in: state))
        }
      }
    case .bundleWritten(let bundle):
      let purpose = state.test(bundle.test)?.attempts.first { $0.attempt == bundle.attempt }?
        .purpose
      if purpose == .planned || purpose == .retry { output.print(report.bundleLine(bundle)) }
    case .testFinished(let result):
      if let line = report.companyLine(result) { output.print(line) }
    case .problem(let problem) where problem.severity == .error && problem.code == .listingFailed:
      errors.print(report.problem(problem))
    default:
      break
    }
  }

  /// Prints the summary.
  ///
  /// - Parameter message: A problem that is left out because it is printed elsewhere.
  func finish(_ state: RunState, junitPath: String?, without message: String? = nil) {
    var state = state
    if let message { state.problems.removeAll { $0.message == message } }
    output.print(
      report.summary(
        of: state, recordPath: shownRecordPath, junitPath: junitPath.map { context.shown($0) }))
  }

  /// Prints where the record of a reproduction is; what came of it is said by somebody else.
  ///
  /// - Parameter message: A problem that is left out because it is printed elsewhere.
  func finishReproduction(_ state: RunState, without message: String? = nil) {
    var state = state
    if let message { state.problems.removeAll { $0.message == message } }
    for problem in state.problems where problem.severity == .error {
      output.print(report.problem(problem))
    }
    output.print("  record: \(shownRecordPath)")
  }

  func showProgress(_ session: RunSession, startedAt: Double) {
    guard output.isTerminal else { return }
    let results = session.state.tests
    let finished = results.count { $0.logged != nil || !$0.attempts.isEmpty }
    let failed = results.count {
      $0.attempts.contains { !$0.verdict.isSuccess(leaksFail: style.leaksFail) }
    }
    let progress = ConsoleReport.Progress(
      finished: finished, total: results.count, failed: failed,
      running: session.running.map { ($0.test, $0.seconds) },
      elapsed: session.elapsed(since: startedAt))
    output.showProgress(report.progressLine(progress, width: output.width - 1))
  }

  /// The attempt as it is known now: at once, so that nobody waits for the rest of the batch.
  private func printFailure(_ attempt: AttemptResult, _ state: RunState) {
    switch attempt.purpose {
    case .planned, .retry:
      output.print(report.failure(attempt, in: state) { logText($0) })
      if printedAsPassed.contains(Said(attempt)) {
        output.print("    (its line above was printed before its process had ended)")
      }
    case .aloneCheck, .companyCheck:
      // Its failure was printed in full before; its bundle is in the record.
      output.print(report.line(for: attempt, in: state))
    }
  }

  /// An attempt of which something was printed.
  private struct Said: Hashable {
    var test: TestID
    var attempt: Int
    var verdict: Verdict?

    init(_ attempt: AttemptResult, _ verdict: Verdict? = nil) {
      test = attempt.test
      self.attempt = attempt.attempt
      self.verdict = verdict
    }
  }

  private func logText(_ log: LogReference) -> LogEnd? {
    LogText.end(of: log, in: RunRecord(path: recordPath))
  }
}
