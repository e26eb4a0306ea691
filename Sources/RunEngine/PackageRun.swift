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
    let level = request.configuration.isolation.level
    let workplace = try Workplace(
      request.package, folder: request.workFolder,
      makesSandboxes: level == nil || level == .sandbox, listener: listener)
    let package = workplace.package
    let (supervisor, root) = (workplace.supervisor, workplace.root)
    defer { workplace.close() }
    supervisor.onFirstSignal = { [listener] in listener.runIsInterrupted(by: $0) }
    let (record, events, taken) = try makeRecord(at: startedAt)
    supervisor.watchdog?.cover(record.runID)
    ignoreRecords()
    listener.runDidOpen(record)

    var catalog = TestCatalog.empty()
    var selected: [TestDescriptor] = []
    var failure: (any Error)?
    do {
      catalog = try workplace.makeCatalog()
    } catch {
      failure = error
    }
    var isolation: (choice: IsolationChoice, plan: SandboxPlan?)
    isolation = (IsolationChoice(level: .directories, reason: "nothing was run"), nil)
    var clones: CloneChoice?
    if failure == nil {
      do {
        isolation = try workplace.chooseIsolation(request.configuration, catalog)
        clones = try workplace.chooseClones(request.configuration, catalog, plan: isolation.plan)
      } catch {
        failure = error
      }
    }
    if failure == nil, supervisor.interruption == nil {
      do { try request.resume?.check(catalog) } catch { failure = error }
    }
    let limiter = Limiter(request.configuration.limits)
    defer { limiter.close() }
    var header = header(
      record: record, compiler: catalog.compiler, isolation: isolation.choice,
      clones: clones, limits: limiter.record)
    header.products = catalog.builtProducts
    header.toolchainDetails = catalog.toolchain
    let resume = failure == nil ? taken : nil
    request.resume?.mark(&header, takesOver: resume != nil)
    try record.write(header)
    if failure == nil {
      do {
        selected = try select(from: catalog, supervisor)
        if selected.contains(where: \.usesIntents) {
          try workplace.findApps(for: &catalog)
          workplace.checkRegistration(for: &catalog, selected, request.configuration)
        }
      } catch {
        failure = error
      }
    }

    let plan = Plan(selected)
    let session = RunSession(
      supervisor: supervisor, root: root, indexTemplate: workplace.indexTemplate,
      catalog: catalog,
      package: package, configuration: request.configuration, plan: plan,
      record: record, events: events, header: header, sandboxes: isolation.plan,
      clones: clones, listener: listener, limiter: limiter,
      resume: resume)
    if level == nil, isolation.choice.level == .processes {
      session.log(
        .problem(
          RunProblem(
            severity: .warning, code: .isolationWeakened,
            message:
              "tests are not run in sandboxes, but at the level 'processes': "
              + isolation.choice.reason + "; 'carrel doctor' says what is missing")))
    }
    if let failure { session.log(.problem(listener.problem(for: failure))) }
    if !selected.isEmpty {
      listener.runWillStart(session, tests: plan.count, of: Set(catalog.tests.map(\.id)).count)
      session.run()
      listener.runDidEnd(session)
    }
    return RunOutcome(
      session: session, failure: failure, didRun: !selected.isEmpty, startedAt: startedAt,
      containerPath: root.container(worker: 1).root)
  }

  /// Makes the record and its event log, with the files of a run that is resumed.
  private func makeRecord(
    at startedAt: Double
  ) throws -> (RunRecord, EventLogWriter, ResumeRequest?) {
    let isAlone = request.resume == nil
    let record = try RunRecord.create(
      inRunsFolder: request.runsFolder, at: startedAt,
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
    let folder = request.package.location.package + "/.carrel"
    guard request.runsFolder == folder + "/runs", access(folder + "/.gitignore", F_OK) != 0 else {
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

  private func header(
    record: RunRecord, compiler: String, isolation: IsolationChoice, clones: CloneChoice?,
    limits: RunLimits?
  ) -> RunHeader {
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
      toolchain: compiler,
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
