package import Evidence
import Glibc
import IntentSystem
import IntentWire
package import Orchestration
package import RunModel
import SwiftTests
import SystemFiles
package import Workers

/// One run: does what the scheduler wants, and writes down what happens.
package final class RunSession {
  let supervisor: Supervisor
  let root: WorkRoot
  let indexTemplate: String
  let catalog: TestCatalog
  let package: PackageConfiguration
  let configuration: RunConfiguration
  package let record: RunRecord
  let environment: TestEnvironment
  /// What batches that call apps share.
  let intents: IntentRun
  /// Sets the limits of batches.
  let limiter: Limiter
  /// Path of the debugger that shows stacks of processes which hang.
  let debugger: String?
  let header: RunHeader
  /// What the batches' sandboxes are like; `nil` when processes see what Carrel sees.
  let sandboxes: SandboxPlan?
  /// How containers come to have the data of the seed intent.
  let cloneDecision: CloneDecision
  /// The way of each batch that has such data.
  var cloneWays: [Int: CloneWay] = [:]
  weak var listener: (any RunListener)?
  private let events: EventLogWriter
  /// Whether somebody writes the events down soon.
  private var isWriting = true
  /// The events so far, taken together.
  package private(set) var state = RunState()
  /// What could not be written, once each.
  package private(set) var writeFailures: [String] = []
  /// The one of them that says that the record was removed meanwhile.
  package private(set) var recordRemoval: String?
  private var scheduler: Scheduler
  let starter: BatchStarter
  private let descriptors: [TestID: TestDescriptor]
  private let groupSizes: [TestGroup: Int]
  private var batches: [Int: BatchRun] = [:]
  private var starts: [Int: BatchStart] = [:]
  let disposal: ContainerDisposal
  private var patterns: [String: FilterPatterns] = [:]
  /// Products and libraries of which a process was asked for Foundation's folders.
  private var homesChecked: Set<TestGroup> = []
  /// Products that were built anew during the run.
  private var changedProducts: Set<String> = []
  private let clockOffset = wallClockSeconds() - monotonicSeconds() - Pauses.seconds
  private var random = SystemRandomNumberGenerator()
  private var loadingPlaces = 0

  /// - Parameters:
  ///   - plan: The tests to run; their products are in the catalog.
  ///   - limiter: Sets the limits of the configuration; `nil` to make one.
  ///   - resume: The run that is resumed: the plan has what is left of its tests.
  package init(
    supervisor: Supervisor, root: WorkRoot, indexTemplate: String, catalog: TestCatalog,
    package: PackageConfiguration, configuration: RunConfiguration, plan: Plan,
    record: RunRecord, events: EventLogWriter, header: RunHeader, sandboxes: SandboxPlan? = nil,
    clones: CloneChoice? = nil, listener: (any RunListener)?, limiter: Limiter? = nil,
    resume: ResumeRequest? = nil
  ) {
    self.sandboxes = sandboxes
    cloneDecision = CloneDecision(
      clones, plan: sandboxes, in: root.path, using: (supervisor.loop, supervisor.registry))
    self.limiter = limiter ?? Limiter(configuration.limits)
    debugger = Self.findDebugger(path: package.environment["PATH"])
    self.supervisor = supervisor
    self.root = root
    self.indexTemplate = indexTemplate
    self.catalog = catalog
    self.package = package
    self.configuration = configuration
    self.record = record
    self.events = events
    self.header = header
    self.listener = listener
    disposal = ContainerDisposal(loop: supervisor.loop)
    environment = TestEnvironment(
      caller: package.environment, additional: package.passedVariables)
    intents = IntentRun(
      catalog: catalog, seed: configuration.seed, options: configuration.intents, record: record,
      supervisor: supervisor)
    descriptors = Dictionary(
      plan.tests.map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first })
    groupSizes = catalog.tests.reduce(into: [:]) { $0[$1.id.group, default: 0] += 1 }
    var scheduling = configuration.scheduling
    scheduling.history = catalog.history
    scheduling.slowTests = catalog.slowTests
    scheduling.firstBatch = 1 + (resume?.resumable.lastBatch ?? 0)
    scheduler = Scheduler(plan: plan, options: scheduling)
    starter = BatchStarter(
      supervisor: supervisor, scheduling: scheduling, policy: configuration.start, plan: plan)
    starter.onDecline = { [unowned self] in log(.problem($0)) }
    disposal.onPacked = { [unowned self] result in
      switch result {
      case .success(let bundle): log(.bundleWritten(bundle))
      case .failure(let failure): noteWriteFailure(failure.message)
      }
    }
    if let sandboxes {
      starter.makePlace = { [unowned self] () throws(WorkersError) in
        try makeLoadingPlace(sandboxes)
      }
    }
    intents.makeSandbox = { [unowned self] in try makeSandbox(for: $0) }
    intents.onWriteFailure = { [unowned self] in noteWriteFailure($0) }
    log(.runStarted(header))
    for problem in catalog.problems { log(.problem(problem)) }
    if let problem = self.limiter.problem { log(.problem(problem)) }
    for problem in plan.problems { log(.problem(problem)) }
    if let resume {
      takeOver(resume, rest: plan)
    } else {
      for test in plan.tests { log(.testPlanned(test)) }
    }
    isWriting = false
    flushEvents()
  }

  /// Writes down what an earlier run has found out already; nobody is told of that anew.
  private func takeOver(_ resume: ResumeRequest, rest: Plan) {
    let resumable = resume.resumable
    let known = Set(state.problems)
    for test in resumable.tests { log(.testPlanned(test)) }
    for event in resumable.events {
      if case .problem(let problem) = event.kind, known.contains(problem) { continue }
      record(event)
    }
    guard supervisor.interruption == nil else { return }
    for test in resumable.rest where rest.position(of: test) == nil {
      log(
        .testFinished(
          TestResult(
            test: test, verdict: .notRun, attempts: 0,
            reason: "the test does not exist any more")))
    }
  }

  /// Runs the plan to its end.
  package func run() {
    let loop = supervisor.loop
    isWriting = true
    loop.beforeWaiting = { [unowned self] in flushEvents() }
    defer {
      loop.beforeWaiting = nil
      isWriting = false
      flushEvents()
    }
    supervisor.onInterruption = { [unowned self] count in interrupt(count) }
    if let signal = supervisor.interruption {
      perform(scheduler.handle(.interrupted(reason: "the run was interrupted by \(signal)")))
    } else {
      perform(scheduler.start())
    }
    loop.run {
      scheduler.isDone && batches.isEmpty && disposal.isIdle
    }
    supervisor.onInterruption = nil
    // No test may have needed the data that was begun with.
    intents.cancelFixture()
    loop.run { intents.isIdle }
    starter.finish()
    supervisor.registry.endAdopted()
    limiter.close()
    if let leftFiles = disposal.leftFiles {
      log(
        .problem(
          RunProblem(
            severity: .warning, code: .containerLeft,
            message: "files of used containers stay behind: \(leftFiles)")))
    }
    var seconds: [TestID: Double] = [:]
    for test in state.tests {
      if let attempt = test.decisive { seconds[test.id] = attempt.duration }
    }
    catalog.remember(scheduler.measurements, seconds: seconds)
    noteRemovedFiles()
  }

  /// A record that somebody cleaned away during the run is no proof of anything.
  private func noteRemovedFiles() {
    let removed = record.removedFiles(state)
    guard let first = removed.first else { return }
    let more = removed.count == 1 ? "" : " and \(removed.count - 1) more of its files"
    let message =
      "the record \(record.path) was removed while the run wrote it: \(first)\(more) is gone"
    recordRemoval = message
    noteWriteFailure(message)
  }

  /// The loop that the run's processes are watched by.
  package var loop: EventLoop { supervisor.loop }

  /// Name of the signal that asked for the end of the run.
  package var interruption: String? { supervisor.interruption }

  /// Seconds since a monotonic time.
  package func elapsed(since start: Double) -> Double { monotonicSeconds() - start }

  /// Tests that run now, in the order of their workers.
  package var running: [RunningTest] {
    let now = monotonicSeconds()
    return batches.values.compactMap { batch in
      batch.running.map {
        RunningTest(test: $0.test, worker: batch.spec.worker, seconds: now - $0.since)
      }
    }.sorted { $0.worker < $1.worker }
  }

  /// Seconds since 1970 of a monotonic time.
  func wallClock(at monotonic: Double) -> Double {
    monotonic + Pauses.seconds(before: monotonic) + clockOffset
  }

  /// Whether the batch has all tests of its product and library, so that no selection is needed.
  func isWholeProduct(_ spec: BatchSpec) -> Bool {
    groupSizes[spec.group] == spec.tests.count
  }

  /// Makes the selections of Swift Testing tests of a product.
  func patterns(of product: String) -> FilterPatterns {
    if let known = patterns[product] { return known }
    let made = FilterPatterns(
      catalog.tests.lazy.filter { $0.id.product == product && $0.id.library == .testing }
        .map(\.libraryID))
    patterns[product] = made
    return made
  }

  /// Makes sure that a product is the build that was listed: processes of several builds would be
  /// mixed in one run otherwise.
  ///
  /// - Throws: ``RunEngineError`` with code `executableChanged`. Once a product has changed it
  ///   stays refused, also when the build that was listed comes back.
  func checkExecutable(of product: TestProduct) throws(RunEngineError) {
    guard let listed = catalog.executables[product.name] else { return }
    let isSame =
      !changedProducts.contains(product.name)
      && ExecutableIdentity(of: product.executable) == listed
    guard !isSame else { return }
    let message =
      "\(product.executable) is not the file any more that was listed; it was built anew or "
      + "removed during the run, so no more tests of \(product.name) are started"
    if changedProducts.insert(product.name).inserted {
      log(.problem(RunProblem(severity: .error, code: .executableChanged, message: message)))
    }
    throw RunEngineError(
      .executableChanged, message,
      context: ["path": product.executable, "product": product.name])
  }

  /// Makes the sandbox of a batch's container, if it is to have one.
  func makeSandbox(for container: Container) throws(WorkersError) -> Sandbox? {
    guard let sandboxes else { return nil }
    return try Sandbox(
      sandboxes.configuration(for: container, layers: root.layers(of: container)), loop: loop,
      registry: supervisor.registry)
  }

  /// Makes a sandbox in which a warm process is loaded.
  private func makeLoadingPlace(
    _ sandboxes: SandboxPlan
  ) throws(WorkersError) -> BatchStarter.LoadingPlace {
    loadingPlaces += 1
    // No worker has such a number.
    let worker = -loadingPlaces
    let container = try root.prepare(worker: worker, indexTemplate: indexTemplate)
    var configuration = try sandboxes.configuration(for: container)
    configuration.isForCopying = true
    return BatchStarter.LoadingPlace(
      sandbox: try Sandbox(configuration, loop: loop, registry: supervisor.registry),
      isUntouched: { [root] in root.isUntouched(worker: worker) })
  }

  /// Writes an event down and takes it into account.
  package func log(_ kind: RunEvent.Kind) {
    let event = RunEvent(time: wallClockSeconds(), kind)
    record(event)
    listener?.runDid(event, state: state)
  }

  private func record(_ event: RunEvent) {
    noteFailure { try events.add(event) }
    if !isWriting { flushEvents() }
    state.apply(event)
  }

  /// Writes down the events so far: before the loop waits, and before a process starts.
  private func flushEvents() { noteFailure { try events.flush() } }

  private func noteFailure(_ body: () throws -> Void) {
    do {
      try body()
    } catch {
      noteWriteFailure("\(error)")
    }
  }

  func noteWriteFailure(_ message: String) {
    if !writeFailures.contains(message) { writeFailures.append(message) }
  }

  private func interrupt(_ count: Int) {
    let signal = supervisor.interruption ?? "a signal"
    let reason = "the run was interrupted by \(signal)"
    perform(scheduler.handle(.interrupted(reason: reason)))
    let grace = count > 1 ? 0 : min(configuration.grace, Supervisor.grace)
    intents.cancelFixture()
    cloneDecision.cancel()
    for batch in batches.values { batch.interrupt(because: reason, grace: grace) }
    starter.stopWaiting()
    if count > 1 { disposal.stopsPacking.set() }
  }

  private func perform(_ commands: [SchedulerCommand]) {
    for command in commands {
      switch command {
      case .finishTest(let result): log(.testFinished(result))
      case .startBatch(let spec): start(spec)
      case .endPlannedBatches(let reason):
        for batch in batches.values where batch.spec.purpose == .planned {
          batch.interrupt(because: reason, grace: configuration.grace)
        }
      }
    }
  }

  /// Tells the scheduler of a planned attempt's failure while the batch still runs.
  func noteResult(_ test: TestID, _ verdict: Verdict) {
    guard configuration.scheduling.maxFailures != nil, verdict != .interrupted,
      !verdict.isSuccess(leaksFail: configuration.scheduling.leaksFail)
    else { return }
    perform(scheduler.handle(.failedMeanwhile(test)))
  }

  /// Checks where Foundation's folders are in the first process of each product and library.
  func checkHomes(_ homes: [String: String], of spec: BatchSpec, container: Container) {
    if let problem = CatalogMaker.homeProblem(
      homes, product: spec.product, container: container)
    {
      log(.problem(problem))
    }
  }

  func logStart(of spec: BatchSpec, _ start: ProcessStart) {
    let way = cloneWays[spec.batch]
    let event = BatchStart(
      batch: spec.batch, worker: spec.worker, purpose: spec.purpose, tests: spec.tests,
      start: start, clone: way?.rawValue,
      cloneReason: way == nil ? nil : cloneDecision.takeReason())
    starts[spec.batch] = event
    log(.batchStarted(event))
    flushEvents()
  }

  private func start(_ spec: BatchSpec) {
    let nonce = hexadecimal(random.next())
    let batch = BatchRun(
      spec, descriptors: spec.tests.compactMap { descriptors[$0] }, session: self, nonce: nonce
    ) { [unowned self] batch, ended in batchEnded(batch, ended) }
    batch.checksHomes = homesChecked.insert(spec.group).inserted
    batches[spec.batch] = batch
    batch.start()
  }

  private func batchEnded(_ batch: BatchRun, _ ended: BatchRun.Ended) {
    let spec = batch.spec
    batch.limits?.end()
    log(
      .batchFinished(
        BatchFinish(
          batch: spec.batch, worker: spec.worker, end: ended.end, duration: ended.duration)))
    let failed = ended.results.filter { $0.verdict.needsBundle }
    let layers = root.layers(of: batch.container)
    // A container that apps have used is not looked at; a clone is made as it was.
    let isOver = batch.usesIntents && !root.isClone(batch.container)
    if let folder = root.retire(batch.container, keepsFiles: !failed.isEmpty || isOver) {
      if failed.isEmpty {
        disposal.remove(folder)
      } else {
        disposal.pack(
          failed,
          with: bundleTask(batch, ended, container: Container(root: folder), layers: layers))
      }
    }
    batches[spec.batch] = nil
    starts[spec.batch] = nil
    cloneWays[spec.batch] = nil
    perform(
      scheduler.handle(
        .batchEnded(
          batch: spec.batch, results: ended.results,
          startCost: ended.startCost, duration: ended.duration)))
  }

  private func bundleTask(
    _ batch: BatchRun, _ ended: BatchRun.Ended, container: Container, layers: ContainerLayers?
  ) -> BundleTask {
    var task = BundleTask(
      startOrder: ended.startOrder, start: starts[batch.spec.batch] ?? batch.spec.unstarted,
      request: ended.request, original: batch.container, container: container, layers: layers,
      header: header,
      record: record, compression: configuration.compression, selection: ended.selection,
      calls: batch.intents.map { CallEvidence($0) }, hang: ended.hang, stop: disposal.stopsPacking)
    task.cache = catalog.cache
    if let product = catalog.product(batch.spec.product) {
      task.executables[ToolchainFactKind.product.rawValue + product.name] = product.executable
    }
    if batch.intents != nil {
      for app in catalog.apps {
        let name = lastComponent(of: app.executable)
        task.executables[ToolchainFactKind.host.rawValue + name] = app.executable
        let bundle = app.bundleIdentifier
        task.metadata.append((bundle, .registered, app.description.json.bytes))
        if let declared = catalog.metadata[bundle] {
          task.metadata.append((bundle, .declared, declared))
        }
      }
    }
    return task
  }
}

extension BatchSpec {
  /// The start of a batch that ended before it was written down.
  fileprivate var unstarted: BatchStart {
    BatchStart(batch: batch, worker: worker, purpose: purpose, tests: tests)
  }
}
