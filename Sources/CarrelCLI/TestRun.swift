import Evidence
import Orchestration
import Reporting
import RunEngine
import RunModel
import SwiftTests
import SystemFiles
import Workers

/// A run as the terminal shows it: what `run`, `rerun` and `repro` have in common.
final class TestRun {
  /// What the run is for.
  enum Kind {
    case run
    /// Of one failure: the caller says what came of it.
    case reproduction
    /// The same once more; nothing is printed.
    case repetition
    /// Of a program that a person uses in the place of a test; nothing is written.
    case program
  }

  private let context: CommandContext
  private let request: RunRequest
  private let junitPath: String?
  private let isQuiet: Bool
  private let kind: Kind
  private var printer: RunPrinter?
  private var runID = ""
  private var stopProgress: () -> Void = {}
  /// What happened, once the run is over.
  private(set) var outcome: RunOutcome?
  /// Is asked what a person uses in the place of a process; see ``RunListener``.
  var onProcess: ((RunSession, ProcessRequest, Container) throws -> ProcessRequest?)?
  private weak var session: RunSession?
  /// The batch that started last.
  private(set) var lastStart: BatchStart?
  /// How the process of the last batch ended.
  private(set) var lastEnd: ProcessEnd?
  /// Whether nothing was built because what failed is still there.
  private(set) var foundBuild = false

  init(
    _ context: CommandContext, _ request: RunRequest, junitPath: String? = nil,
    isQuiet: Bool = false, kind: Kind = .run
  ) {
    self.context = context
    self.request = request
    self.junitPath = junitPath
    self.isQuiet = isQuiet
    self.kind = kind
  }

  private var leaksFail: Bool { request.configuration.scheduling.leaksFail }

  /// Runs everything, writes the reports and prints the summary.
  ///
  /// - Returns: The exit code; errors are printed, and in the record as far as there is one.
  func perform() throws -> ExitCode {
    context.writeInBackground()
    if kind == .program { return try performProgram() }
    do throws(WorkersError) {
      try WorkRoot.checkLasting(request.runsFolder, base: request.workFolder)
    } catch {
      throw CommandError(.usage, "the run cannot be recorded: \(error)")
    }
    let outcome = try start()
    self.outcome = outcome
    let session = outcome.session
    let failure = outcome.failure.map { CommandError($0) }
    if isQuiet, let output = failure?.output { context.errors.print(output) }
    var problems = session.writeFailures
    var code = ExitCode(
      outcome.conclusion(leaksFail: leaksFail), failure: failure?.exitCode,
      allowsEmpty: request.allowsEmpty)
    if code == .success, !problems.isEmpty { code = .notWritten }
    outcome.finish(exitCode: code.rawValue)
    let reported = writeReports(session, &problems)
    // The reason comes before the summary that speaks of what came of it.
    if let failure { context.complain(failure.message) }
    switch kind {
    case .run: printer?.finish(session.state, junitPath: reported, without: failure?.message)
    case .reproduction: printer?.finishReproduction(session.state, without: failure?.message)
    case .repetition, .program: break
    }
    for problem in problems + session.writeFailures.filter({ !problems.contains($0) }) {
      let advice =
        problem == session.recordRemoval
        ? "; run again without cleaning the folder, or keep records elsewhere with --output" : ""
      context.complain(problem + advice)
    }
    if code == .success, !problems.isEmpty { code = .notWritten }
    return code
  }

  /// Runs something whose record goes with it.
  private func performProgram() throws -> ExitCode {
    let outcome = try start()
    self.outcome = outcome
    let failure = outcome.failure.map { CommandError($0) }
    if let failure { context.complain(failure.message) }
    return ExitCode(outcome.conclusion(leaksFail: leaksFail), failure: failure?.exitCode)
  }

  /// Builds and runs; an error leaves no record.
  private func start() throws -> RunOutcome {
    do {
      return try PackageRun(request, listener: self).perform()
    } catch let error as EvidenceError where error.code == .unwritable {
      guard request.package.archive == nil else {
        throw CommandError(
          .notWritten, "\(error); \(WorkRoot.advice), or keep records elsewhere with --output")
      }
      throw CommandError(
        .notWritten,
        "\(error); --output PATH keeps records elsewhere, --scratch-path PATH what is built")
    }
  }

  /// - Returns: The path of the last report that could be written.
  private func writeReports(_ session: RunSession, _ problems: inout [String]) -> String? {
    let folder = session.record.path
    let own = folder + "/junit.xml"
    var reported: String?
    for path in [own] + (junitPath.map { [context.absolute($0)] } ?? []) {
      let xml = RunReports(record: session.record, state: session.state).junit(
        inRecord: path == own)
      do {
        try ReportFile.write(xml, to: path, outputs: [context.output, context.errors])
        reported = path
      } catch {
        problems.append(CommandError(error).message)
      }
    }
    return reported
  }
}

extension TestRun: PackageRunListener {
  func runDidOpen(_ record: RunRecord) {
    runID = record.runID
    if kind == .repetition { return }
    printer = RunPrinter(
      context, isQuiet: isQuiet, leaksFail: leaksFail,
      packagePath: request.package.location.package,
      archivePath: request.package.archive?.path, recordPath: record.path)
  }

  func runDidSelect(_ selection: TestSelection, from all: [TestDescriptor], missing: [TestID]) {
    printer?.setTests(all.map(\.id))
    for test in missing {
      context.complain(
        "warning: \(test.printableName) of the earlier run does not exist any more")
    }
    for warning in selection.warnings { context.complain("warning: \(warning)") }
  }

  func runWillStart(_ session: RunSession, tests: Int, of listed: Int) {
    self.session = session
    if kind == .run, !isQuiet {
      let workers = request.configuration.scheduling.workers
      context.output.print(
        "running \(tests) of \(listed) tests on \(workers) "
          + "\(workers == 1 ? "worker" : "workers"), run \(runID)")
    }
    // Who does not want that, or has mistyped a name, has to know before anything runs.
    for problem in session.state.problems
    where [.isolationWeakened, .nameNotRegistered].contains(problem.code)
      && kind != .repetition
    {
      context.complain("warning: \(problem.message)")
    }
    guard kind != .program, context.output.isTerminal, let printer else { return }
    let began = monotonicSeconds()
    let loop = session.loop
    var timer: EventLoop.Timer?
    func tick() {
      printer.showProgress(session, startedAt: began)
      timer = loop.after(0.1) { tick() }
    }
    tick()
    stopProgress = { [output = context.output] in
      loop.cancel(timer)
      output.clearProgress()
    }
  }

  func runIsInterrupted(by signal: String) {
    context.output.clearProgress()
    let again = signal == "SIGINT" ? "Ctrl-C again" : "another signal"
    context.complain("\(signal): ending what runs; \(again) stops it at once")
  }

  func runDidEnd(_ session: RunSession) {
    stopProgress()
    stopProgress = {}
  }

  func problem(for error: any Error) -> RunProblem {
    let error = CommandError(error)
    return RunProblem(
      severity: .error, code: RunProblem.Code(rawValue: error.code), message: error.message,
      output: error.output)
  }

  func runDid(_ event: RunEvent, state: RunState) {
    switch event.kind {
    case .batchStarted(let start): lastStart = start
    case .batchFinished(let finish): lastEnd = finish.end
    default: break
    }
    if kind != .program { printer?.runDid(event, state: state) }
  }

  func testIsSlow(_ test: TestID, seconds: Double) { printer?.testIsSlow(test, seconds: seconds) }

  func buildIsPresent() { foundBuild = true }

  func processWillStart(
    _ request: ProcessRequest, in container: Container
  ) throws -> ProcessRequest? {
    guard let session else { return nil }
    return try onProcess?(session, request, container)
  }

  func buildDidPrint(_ bytes: UnsafeRawBufferPointer) { printer?.buildDidPrint(bytes) }
}
