import Evidence
import Glibc
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
  /// Failed attempts whose bundle is not written yet.
  private var waiting: [AttemptResult] = []
  private var printed: Set<String> = []
  /// Lines about attempts that need no bundle: the end of a process may tell the same once more.
  private var lines: Set<String> = []
  private var notes: [TestID: String] = [:]

  init(
    _ context: CommandContext, isQuiet: Bool, leaksFail: Bool, packagePath: String,
    recordPath: String
  ) {
    output = context.output
    errors = context.errors
    self.isQuiet = isQuiet
    self.recordPath = recordPath
    style = ConsoleReport.Style(
      isColored: context.output.wantsColor(context.environment), leaksFail: leaksFail)
    report = ConsoleReport(
      style: style, tests: [], packagePath: packagePath, runFolder: recordPath)
  }

  /// Tells the printer all tests, so that it can name them shortly.
  func setTests(_ tests: [TestID]) { report.names = ShortNames(tests) }

  func buildDidPrint(_ bytes: UnsafeRawBufferPointer) {
    if !isQuiet { errors.write(bytes) }
  }

  func testIsSlow(_ test: TestID, seconds: Double) {
    output.print(report.slowLine(test, seconds: seconds))
  }

  func runDid(_ event: RunEvent, state: RunState) {
    switch event.kind {
    case .attemptFinished(let attempt):
      if attempt.verdict.needsBundle {
        waiting.append(attempt)
      } else if !isQuiet || attempt.purpose != .planned {
        let key = "\(attempt.attempt) \(attempt.verdict) \(attempt.test)"
        if lines.insert(key).inserted { output.print(report.line(for: attempt, in: state)) }
      }
    case .bundleWritten(let bundle):
      printFailure(bundle.test, bundle.attempt, state)
    case .testFinished(let result):
      if let line = report.companyLine(result) {
        // After the failures that it is about.
        if waiting.contains(where: { $0.test == result.test }) {
          notes[result.test] = line
        } else {
          output.print(line)
        }
      }
    case .problem(let problem) where problem.severity == .error && problem.code == "listing-failed":
      errors.print(report.problem(problem))
    default:
      break
    }
  }

  /// Prints what could not be printed earlier, and the summary.
  func finish(_ state: RunState, junitPath: String?) {
    for attempt in waiting { printFailure(attempt.test, attempt.attempt, state) }
    output.print(report.summary(of: state, recordPath: recordPath, junitPath: junitPath))
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

  /// The attempt as it is known now: its end may have said more than was known at first.
  private func printFailure(_ test: TestID, _ attempt: Int, _ state: RunState) {
    guard printed.insert("\(attempt) \(test)").inserted else { return }
    waiting.removeAll { $0.test == test && $0.attempt == attempt }
    guard let result = state.test(test)?.attempts.first(where: { $0.attempt == attempt }) else {
      return
    }
    switch result.purpose {
    case .planned, .retry:
      output.print(report.failure(result, in: state) { logText($0) })
    case .aloneCheck, .companyCheck:
      // The same once more says nothing new; its bundle is in the record.
      output.print(report.line(for: result, in: state))
    }
    if !waiting.contains(where: { $0.test == test }), let note = notes.removeValue(forKey: test) {
      output.print(note)
    }
  }

  private func logText(_ log: LogReference) -> String? {
    LogText.end(of: "\(recordPath)/\(log.path)", bytes: 1 << 16)
  }
}

/// Texts of logs.
enum LogText {
  /// The last bytes of a file as text, invalid UTF-8 replaced; `nil` when it cannot be read.
  static func end(of path: String, bytes limit: Int) -> String? {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    let size = lseek(descriptor, 0, SEEK_END)
    guard size >= 0 else { return nil }
    lseek(descriptor, max(0, size - off_t(limit)), SEEK_SET)
    var buffer = [UInt8](repeating: 0, count: limit)
    var count = 0
    while count < limit {
      let got = buffer[count...].withUnsafeMutableBytes {
        read(descriptor, $0.baseAddress, $0.count)
      }
      if got < 0 && errno == EINTR { continue }
      guard got > 0 else { break }
      count += got
    }
    return String(decoding: buffer[..<count], as: UTF8.self)
  }
}
