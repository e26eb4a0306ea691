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
  /// What is taken out of bundles; `nil` for bundles that do not say.
  package var redaction: BundleRedactionChoice?
  /// How containers come to have the data of the seed intent.
  let cloneDecision: CloneDecision
  /// Where batches wait for a sandbox.
  let sandboxRoom: SandboxRoom
  /// The way of each batch that has such data.
  var cloneWays: [Int: CloneWay] = [:]
  weak var listener: (any RunListener)?
  /// Writes down what happens.
  let recorder: EventRecorder
  var scheduler: Scheduler
  let starter: BatchStarter
  let descriptors: [TestID: TestDescriptor]
  let groupSizes: [TestGroup: Int]
  var batches: [Int: BatchRun] = [:]
  var starts: [Int: BatchStart] = [:]
  let disposal: ContainerDisposal
  var patterns: [String: FilterPatterns] = [:]
  /// Products and libraries of which a process was asked for Foundation's folders.
  var homesChecked: Set<TestGroup> = []
  /// Products that were built anew during the run.
  var changedProducts: Set<String> = []
  private let clockOffset = wallClockSeconds() - monotonicSeconds() - Pauses.seconds
  var random = SystemRandomNumberGenerator()
  var loadingPlaces = 0

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
    sandboxRoom = SandboxRoom(loop: supervisor.loop)
    self.limiter = limiter ?? Limiter(configuration.limits)
    debugger = Self.findDebugger(path: package.environment["PATH"])
    self.supervisor = supervisor
    self.root = root
    self.indexTemplate = indexTemplate
    self.catalog = catalog
    self.package = package
    self.configuration = configuration
    self.record = record
    recorder = EventRecorder(events)
    self.header = header
    self.listener = listener
    disposal = ContainerDisposal(loop: supervisor.loop)
    environment = TestEnvironment(
      caller: package.environment, additional: package.passedVariables)
    intents = IntentRun(
      catalog: catalog, seed: configuration.seed, options: configuration.intents, record: record,
      supervisor: supervisor, isReleaseBuild: package.location.configuration == "release")
    intents.fileMask = configuration.fileMask
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
    sandboxRoom.onShortage = { [unowned self] in log(.problem($0)) }
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
    recorder.writesAtOnce = true
  }

  /// The events so far, taken together.
  package var state: RunState { recorder.state }

  /// What could not be written, once each.
  package var writeFailures: [String] { recorder.failures }

  /// The one of them that says that the record was removed meanwhile.
  package var recordRemoval: String? { recorder.removal }

  /// The loop that the run's processes are watched by.
  package var loop: EventLoop { supervisor.loop }

  /// Name of the signal that asked for the end of the run.
  package var interruption: String? { supervisor.interruption }

  /// What is known of a planned test.
  func descriptor(of test: TestID) -> TestDescriptor? { descriptors[test] }

  /// Lets another run have the signals; what came until then is in ``interruption`` before.
  package func releaseSignals() { supervisor.loop.releaseSignals() }

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
}
