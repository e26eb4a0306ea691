import Evidence
import Glibc
import Orchestration
import RunModel
import SearchIndex
import SwiftTests
import SystemFiles
import Workers

/// One run of a package's tests, from the build to the last test.
package struct PackageRun {
  private let request: RunRequest
  private let listener: any PackageRunListener

  package init(_ request: RunRequest, listener: any PackageRunListener) {
    self.request = request
    self.listener = listener
  }

  /// Builds, lists, selects and runs.
  ///
  /// - Returns: What came of it; an error after the record was made is part of that.
  /// - Throws: An error that leaves no record.
  package func perform() throws -> RunOutcome {
    let startedAt = wallClockSeconds()
    let redaction = try request.configuration.redaction.choice(
      environment: request.package.environment)
    let workplace = try makeWorkplace()
    var package = workplace.package
    var configuration = request.configuration
    if let archive = workplace.archive { configuration.isolation.move(archive.moved) }
    defer { workplace.close() }
    let (record, events, taken) = try makeRecord(at: startedAt, root: workplace.root)
    workplace.supervisor.watchdog?.cover(record.runID)
    ignoreRecords()
    listener.runDidOpen(record)

    var preparation = prepare(configuration, in: workplace)
    package.view = preparation.isolation.plan?.seen(package.location.package)
    let limiter = Limiter(request.configuration.limits)
    defer { limiter.close() }
    let resume = preparation.failure == nil ? taken : nil
    var header = header(record: record, preparation, limits: limiter.record)
    request.resume?.mark(&header, takesOver: resume != nil)
    try record.write(header)
    select(into: &preparation, workplace)

    let plan = Plan(preparation.selected)
    let session = RunSession(
      supervisor: workplace.supervisor, root: workplace.root,
      indexTemplate: workplace.indexTemplate, catalog: preparation.catalog,
      package: package, configuration: configuration, plan: plan,
      record: record, events: events, header: header, sandboxes: preparation.isolation.plan,
      clones: preparation.clones, listener: listener, limiter: limiter, resume: resume)
    session.redaction = redaction
    warnOfWeakerIsolation(preparation.isolation.choice, session)
    if let failure = preparation.failure {
      session.log(.problem(listener.problem(for: failure)))
    }
    let isToRun = !preparation.selected.isEmpty
    if isToRun {
      let all = Set(preparation.catalog.tests.map(\.id))
      listener.runWillStart(session, tests: plan.count, of: all.count)
      session.run()
      listener.runDidEnd(session)
    }
    return RunOutcome(
      session: session, failure: preparation.failure, didRun: isToRun, startedAt: startedAt,
      containerPath: workplace.root.container(worker: 1).view)
  }

  /// What is found out before the tests, as far as nothing failed.
  private struct Preparation {
    var catalog = TestCatalog.empty()
    var isolation: (choice: IsolationChoice, plan: SandboxPlan?) = (
      IsolationChoice(level: .directories, reason: "nothing was run"), nil
    )
    var clones: CloneChoice?
    /// The tests in the order in which they are to run.
    var selected: [TestDescriptor] = []
    /// The first thing that keeps the run from its tests; what comes after it is not done.
    var failure: (any Error)?

    /// Does a step, unless an earlier one has failed.
    mutating func step(_ body: (inout Preparation) throws -> Void) {
      guard failure == nil else { return }
      do { try body(&self) } catch { failure = error }
    }
  }

  private func makeWorkplace() throws -> Workplace {
    let level = request.configuration.isolation.level
    let workplace = try Workplace(
      request.package, folder: request.workFolder,
      makesSandboxes: level == nil || level == .sandbox, listener: listener)
    workplace.supervisor.onFirstSignal = { [weak listener] in listener?.runIsInterrupted(by: $0) }
    return workplace
  }

  /// Builds and lists, and finds out how batches can be kept apart.
  private func prepare(
    _ configuration: RunConfiguration, in workplace: Workplace
  ) -> Preparation {
    var preparation = Preparation()
    preparation.step { $0.catalog = try workplace.makeCatalog() }
    preparation.step {
      $0.isolation = try workplace.chooseIsolation(configuration, $0.catalog)
      $0.clones = try workplace.chooseClones(
        configuration, $0.catalog, plan: $0.isolation.plan)
    }
    if workplace.supervisor.interruption == nil {
      preparation.step { preparation in
        try request.resume?.check(preparation.catalog)
        if let (run, archive) = request.sameArchive {
          try RunEngineError.check(preparation.catalog.archive, isThatOf: run, archive)
        }
      }
    }
    return preparation
  }

  /// Selects the tests, and finds the apps that they call.
  private func select(into preparation: inout Preparation, _ workplace: Workplace) {
    preparation.step {
      $0.selected = try select(from: $0.catalog, workplace.supervisor)
      guard $0.selected.contains(where: \.usesIntents) else { return }
      try workplace.findApps(for: &$0.catalog)
      workplace.checkRegistration(for: &$0.catalog, $0.selected, request.configuration)
    }
  }

  private func warnOfWeakerIsolation(_ choice: IsolationChoice, _ session: RunSession) {
    guard request.configuration.isolation.level == nil, choice.level == .processes else { return }
    session.log(
      .problem(
        RunProblem(
          severity: .warning, code: .isolationWeakened,
          message: "tests are not run in sandboxes, but at the level 'processes': "
            + choice.reason + "; 'carrel doctor' says what is missing")))
  }

  /// Makes the record and its event log, with the files of a run that is resumed.
  private func makeRecord(
    at startedAt: Double, root: WorkRoot
  ) throws -> (RunRecord, EventLogWriter, ResumeRequest?) {
    let isAlone = request.resume == nil
    let record = try RunRecord.create(
      inRunsFolder: request.keepsRecord ? request.runsFolder : root.path + "/record",
      at: startedAt,
      becomesLatest: request.becomesLatest && isAlone)
    // From here on others see that it is being written.
    let events = try record.openEventLog()
    do {
      let taken = try request.resume?.takingFiles(into: record)
      if request.becomesLatest, !isAlone { try record.becomeLatest() }
      return (record, events, taken)
    } catch {
      removeTree(record.path)
      throw error
    }
  }

  /// Keeps the package's own folder of records out of its repository.
  private func ignoreRecords() {
    let place = request.package.archive == nil ? request.package.location.package : nil
    guard let folder = (place ?? request.configuration.folder).map({ $0 + "/.carrel" }) else {
      return
    }
    guard request.keepsRecord, request.runsFolder == folder + "/runs",
      access(folder + "/.gitignore", F_OK) != 0
    else {
      return
    }
    try? writeSmallFile(folder + "/.gitignore", Array("*\n".utf8), mode: 0o644)
  }

  /// - Returns: The tests in the order in which they are to run; none when a signal came first: a
  ///   regular expression may take for ever.
  private func select(
    from catalog: TestCatalog, _ supervisor: Supervisor
  ) throws -> [TestDescriptor] {
    let all = catalog.tests
    let choice = request.tests
    let selected = supervisor.compute { Result { try choice.select(from: all) } }
    guard supervisor.interruption == nil, let (selection, missing) = try selected?.get() else {
      return []
    }
    listener.runDidSelect(selection, from: all, missing: missing)
    if selection.tests.isEmpty, !request.allowsEmpty,
      !catalog.problems.contains(where: { $0.severity == .error })
    {
      throw RunEngineError.nothingSelected(selection, listed: all.count)
    }
    let tests = selection.tests.markingNamesakes(among: all)
    guard let order = request.order else { return tests }
    let positions = Dictionary(
      order.enumerated().map { ($1, $0) }, uniquingKeysWith: { first, _ in first })
    return tests.sorted { positions[$0.id] ?? 0 < positions[$1.id] ?? 0 }
  }

  /// What the run is, as the log tells it: of an archive with the paths that its package had.
  private func header(
    record: RunRecord, _ preparation: Preparation, limits: RunLimits?
  ) -> RunHeader {
    let isolation = preparation.isolation.choice
    let clones = preparation.clones
    let package = request.package
    let configuration = request.configuration
    let scheduling = configuration.scheduling
    var name = [CChar](repeating: 0, count: 256)
    gethostname(&name, name.count - 1)
    var header = RunHeader(
      runID: record.runID, carrel: configuration.carrel, packagePath: package.location.package,
      arguments: configuration.arguments, workers: scheduling.workers,
      batch: "\(scheduling.batch)", retries: scheduling.retries,
      timeLimit: configuration.timeLimit, leaksFail: scheduling.leaksFail,
      isolation: isolation.level.rawValue, seed: configuration.seed,
      toolchain: preparation.catalog.compiler,
      hostName: name.withUnsafeBufferPointer { $0.baseAddress.map { String(cString: $0) } ?? "" },
      passedVariables: TestEnvironment(
        caller: package.environment, additional: package.passedVariables
      ).passed, buildConfiguration: package.location.configuration,
      buildFlags: package.buildFlags, configuration: configuration.text,
      isolationReason: isolation.reason,
      network: isolation.level == .sandbox ? configuration.isolation.network.rawValue : nil,
      writable: isolation.level == .sandbox && !configuration.isolation.writable.isEmpty
        ? configuration.isolation.writable : nil,
      scratch: isolation.level == .sandbox && !configuration.isolation.scratch.isEmpty
        ? configuration.isolation.scratch : nil,
      clone: clones?.way.rawValue, cloneReason: clones?.reason,
      limits: limits)
    header.folder = configuration.folder
    header.processors = availableProcessors().count
    if isolation.level == .sandbox, !configuration.isolation.home.isEmpty {
      header.home = configuration.isolation.home
    }
    header.products = preparation.catalog.builtProducts
    header.toolchainDetails = preparation.catalog.toolchain
    header.archive = preparation.catalog.archive
    return header
  }
}

extension TestChoice {
  /// - Returns: The selection, and tests that are to be run and are not there.
  fileprivate func select(
    from tests: [TestDescriptor]
  ) throws -> (TestSelection, missing: [TestID]) {
    switch self {
    case .filter(let filter):
      return (try filter.select(from: tests), [])
    case .only(let only):
      let (wanted, known) = (Set(only), Set(tests.map(\.id)))
      let selection = TestSelection(
        tests: tests.filter { wanted.contains($0.id) }, listed: tests.count, skipped: 0,
        unmatched: [])
      return (selection, only.filter { !known.contains($0) })
    }
  }
}

extension [TestDescriptor] {
  /// Marks those that share their name with a test which was listed and is not among them.
  fileprivate func markingNamesakes(among listed: [TestDescriptor]) -> [TestDescriptor] {
    guard count < listed.count else { return self }
    let selected = Set(map(\.id))
    let others = Set(listed.lazy.map(\.id).filter { !selected.contains($0) }.map(\.name))
    return map { test in
      var test = test
      test.hasNamesake = others.contains(test.id.name)
      return test
    }
  }
}
