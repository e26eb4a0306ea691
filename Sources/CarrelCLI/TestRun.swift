import Evidence
import Glibc
import Orchestration
import Reporting
import RunEngine
import RunModel
import SearchIndex
import SwiftTests
import Workers

/// One run from the build to the reports: what `run`, `rerun` and `repro` have in common.
final class TestRun {
  let context: CommandContext
  let package: PackageConfiguration
  let configuration: RunConfiguration
  let filter: TestFilter
  let allowsEmpty: Bool
  let junitPath: String?
  let runsFolder: String
  let isQuiet: Bool
  /// What the run is for.
  enum Kind {
    case run
    /// Of one failure: `latest` stays as it is, and the caller says what came of it.
    case reproduction
  }

  let kind: Kind
  /// Exactly these tests, as far as they exist; `nil` to go by the filter.
  let only: [TestID]?
  /// The order of the tests; `nil` for that of the listing.
  let order: [TestID]?
  /// What happened, once the run is over; `nil` when it did not get to the tests.
  private(set) var state: RunState?
  private(set) var wasInterrupted = false
  /// Where the container of the first worker was.
  private(set) var containerPath: String?

  init(
    _ context: CommandContext, package: PackageConfiguration, configuration: RunConfiguration,
    filter: TestFilter, order: [TestID]? = nil, allowsEmpty: Bool = false, junitPath: String? = nil,
    runsFolder: String? = nil, isQuiet: Bool = false, kind: Kind = .run, only: [TestID]? = nil
  ) {
    self.context = context
    self.package = package
    self.configuration = configuration
    self.filter = filter
    self.allowsEmpty = allowsEmpty
    self.junitPath = junitPath
    self.runsFolder = runsFolder ?? RunRecord.runsFolder(ofPackage: package.location.package)
    self.isQuiet = isQuiet
    self.kind = kind
    self.only = only
    self.order = order
  }

  /// Runs everything.
  ///
  /// - Returns: The exit code; errors are printed, and in the record as far as there is one.
  func perform() throws -> ExitCode {
    try PackageBuild(
      toolchain: try Toolchain.find(path: context.environment["PATH"]),
      location: package.location, extraFlags: []
    ).checkPackage()
    let startedAt = wallClockSeconds()
    context.writeInBackground()
    let supervisor = try Supervisor()
    let root = try WorkRoot(base: context.workFolder())
    let indexTemplate = root.path + "/index.sqlite"
    try SearchIndex.createEmpty(at: indexTemplate)

    let record = try RunRecord.create(
      inRunsFolder: runsFolder, at: startedAt, becomesLatest: kind == .run)
    let events = try record.openEventLog()
    ignoreRecords()
    let printer = RunPrinter(
      context, isQuiet: isQuiet, leaksFail: configuration.scheduling.leaksFail,
      packagePath: package.location.package, recordPath: record.path)

    var catalog: TestCatalog?
    var failure: CommandError?
    do {
      catalog = try CatalogMaker(
        supervisor: supervisor, configuration: package, listener: printer
      ).make(root: root, indexTemplate: indexTemplate)
    } catch {
      failure = CommandError(error)
    }
    let header = self.header(record: record, compiler: catalog?.compiler ?? "unknown")
    try record.write(header)

    var selected: [TestDescriptor] = []
    if let catalog, failure == nil, supervisor.interruption == nil {
      do {
        let selection = try select(from: catalog.tests, supervisor)
        selected = selection.tests
        for pattern in selection.unmatched where !selected.isEmpty {
          context.complain("warning: \(pattern.message)")
        }
        if selected.isEmpty, !allowsEmpty, supervisor.interruption == nil,
          !catalog.problems.contains(where: { $0.severity == .error })
        {
          failure = CommandError(.nothingMatched, Self.emptyMessage(selection, catalog))
        }
      } catch {
        failure = CommandError(error)
      }
    }
    if let order {
      let positions = Dictionary(
        order.enumerated().map { ($1, $0) }, uniquingKeysWith: { first, _ in first })
      selected.sort { positions[$0.id] ?? 0 < positions[$1.id] ?? 0 }
    }
    let plan = Plan(selected)
    printer.setTests((catalog?.tests ?? []).map(\.id))
    let session = RunSession(
      supervisor: supervisor, root: root, indexTemplate: indexTemplate,
      catalog: catalog ?? TestCatalog.empty(), package: package,
      configuration: configuration, plan: plan, record: record, events: events, header: header,
      listener: printer)
    if let failure {
      session.log(
        .problem(
          RunProblem(
            severity: .error, code: failure.exitCode.code, message: failure.message,
            output: failure.output)))
      if isQuiet, let output = failure.output { context.errors.print(output) }
    }
    if !selected.isEmpty {
      if kind == .run {
        let workers = configuration.scheduling.workers
        context.output.print(
          "running \(selected.count) of \(catalog?.tests.count ?? 0) tests on \(workers) "
            + "\(workers == 1 ? "worker" : "workers"), run \(record.runID)")
      }
      let began = monotonicSeconds()
      let stopProgress = keepShowingProgress(printer, session, since: began)
      session.run()
      stopProgress()
      state = session.state
    }
    wasInterrupted = session.interruption != nil
    containerPath = root.container(worker: 1).root
    return finish(session, printer, failure, startedAt: startedAt)
  }

  /// Keeps the package's own folder of records out of its repository.
  private func ignoreRecords() {
    let folder = package.location.package + "/.carrel"
    guard runsFolder == folder + "/runs", access(folder + "/.gitignore", F_OK) != 0 else { return }
    try? writeSmallFile(folder + "/.gitignore", Array("*\n".utf8), mode: 0o644)
  }

  /// - Returns: Nothing when a signal came first: a regular expression may take for ever.
  private func select(
    from tests: [TestDescriptor], _ supervisor: Supervisor
  ) throws -> TestSelection {
    guard let only else {
      let filter = self.filter
      return try supervisor.compute { Result { try filter.select(from: tests) } }?.get()
        ?? TestSelection(tests: [], listed: tests.count, skipped: 0, unmatched: [])
    }
    let wanted = Set(only)
    let known = Set(tests.map(\.id))
    for test in only where !known.contains(test) {
      context.errors.print(
        "carrel: warning: \(test.printableName) of the earlier run does not exist any more")
    }
    return TestSelection(
      tests: tests.filter { wanted.contains($0.id) }, listed: tests.count, skipped: 0,
      unmatched: [])
  }

  /// Writes the reports and prints the summary.
  private func finish(
    _ session: RunSession, _ printer: RunPrinter, _ failure: CommandError?, startedAt: Double
  ) -> ExitCode {
    let record = session.record
    var problems = session.writeFailures
    var code = exitCode(session.state, failure, session.interruption)
    if code == .success, !problems.isEmpty { code = .notWritten }
    session.log(
      .runFinished(
        RunFinish(
          exitCode: code.rawValue, duration: wallClockSeconds() - startedAt,
          interruptedBy: session.interruption, processorSeconds: processorSeconds())))
    let own = record.path + "/junit.xml"
    var reported: String?
    for path in [own] + (junitPath.map { [context.absolute($0)] } ?? []) {
      let relative = path == own ? "" : record.path
      let xml = JUnitReport.renderUTF8(
        session.state, options: JUnitReport.Options(runFolder: relative)
      ) { LogText.end(of: "\(record.path)/\($0.path)", bytes: 1 << 16) }
      do {
        try ReportFile.write(xml, to: path, outputs: [context.output, context.errors])
        reported = path
      } catch {
        problems.append(CommandError(error).message)
      }
    }
    switch kind {
    case .run: printer.finish(session.state, junitPath: reported, without: failure?.message)
    case .reproduction: printer.finishReproduction(session.state)
    }
    if let failure { context.complain("\(failure.message)") }
    for problem in problems + session.writeFailures.filter({ !problems.contains($0) }) {
      context.complain("\(problem)")
    }
    if code == .success, !problems.isEmpty { code = .notWritten }
    return code
  }

  /// Signals first, then what says most about the tests.
  private func exitCode(
    _ state: RunState, _ failure: CommandError?, _ interruption: String?
  ) -> ExitCode {
    if let interruption { return ExitCode(signal: interruption) }
    if let failure { return failure.exitCode }
    let failed = state.tests.map(\.result.verdict).filter {
      !$0.isSuccess(leaksFail: configuration.scheduling.leaksFail)
    }
    if failed.contains(where: { $0 != .environment }) { return .testsFailed }
    let errors = state.problems.filter { $0.severity == .error }
    if errors.contains(where: { $0.code == "listing-failed" }) { return .listingFailed }
    if !errors.isEmpty || !failed.isEmpty { return .environment }
    return state.tests.isEmpty && !allowsEmpty ? .nothingMatched : .success
  }

  private func keepShowingProgress(
    _ printer: RunPrinter, _ session: RunSession, since began: Double
  ) -> () -> Void {
    guard context.output.isTerminal else { return {} }
    let loop = session.loop
    var timer: EventLoop.Timer?
    func tick() {
      printer.showProgress(session, startedAt: began)
      timer = loop.after(0.1) { tick() }
    }
    tick()
    return { [output = context.output] in
      loop.cancel(timer)
      output.clearProgress()
    }
  }

  private func header(record: RunRecord, compiler: String) -> RunHeader {
    let scheduling = configuration.scheduling
    var name = [CChar](repeating: 0, count: 256)
    gethostname(&name, name.count - 1)
    return RunHeader(
      runID: record.runID, carrel: configuration.carrel, packagePath: package.location.package,
      arguments: configuration.arguments, workers: scheduling.workers,
      batch: "\(scheduling.batch)", retries: scheduling.retries,
      timeLimit: configuration.timeLimit, leaksFail: scheduling.leaksFail,
      isolation: IsolationChoice.strongestAvailable().level.rawValue, seed: configuration.seed,
      toolchain: compiler,
      hostName: name.withUnsafeBufferPointer { $0.baseAddress.map { String(cString: $0) } ?? "" },
      passedVariables: TestEnvironment(
        caller: package.environment, additional: package.passedVariables
      ).passed, buildConfiguration: package.location.configuration,
      buildFlags: package.buildFlags)
  }

  static func emptyMessage(_ selection: TestSelection, _ catalog: TestCatalog) -> String {
    let reasons = selection.emptyReasons
    if catalog.tests.isEmpty {
      return "the package has no tests; a run without tests is no success (--allow-empty allows it)"
    }
    return (reasons.isEmpty ? ["no test was selected"] : reasons).joined(separator: "\n")
      + "\n0 of \(catalog.tests.count) tests selected; 'carrel list' shows them"
  }
}
