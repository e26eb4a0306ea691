import Evidence
import Glibc
import Orchestration
import RunModel
import SwiftTests
import SystemFiles
import Workers

/// From a batch to its process.
extension BatchRun {
  /// Starts the process. A failure to do so ends the batch at once.
  func start() {
    startedAt = monotonicSeconds()
    guard usesIntents else { return orFail { try prepare() } }
    preload()
    if copiesSeed { session.beginFixture(for: spec) }
    session.checkApps(for: spec) { [unowned self] fault in
      orFail {
        if let fault { throw fault }
        try prepare()
      }
    }
  }

  /// Whether the container is a copy of the one in which the seed intent was called.
  private var copiesSeed: Bool {
    session.configuration.prepareContainer == nil && usesIntents && session.intents.copiesSeed
  }

  /// Makes the container, and the data that a test which calls apps starts with.
  private func prepare() throws {
    try beginLimits()
    let restore = session.configuration.prepareContainer
    if copiesSeed {
      return session.seed(spec) { [unowned self] fault in
        orFail {
          if let fault { throw fault }
          try startIntents(seeds: false)
        }
      }
    }
    _ = try session.root.prepare(worker: spec.worker, indexTemplate: session.indexTemplate)
    if let restore = session.configuration.prepareContainer {
      do {
        try restore(container)
      } catch {
        throw WorkersError(.container, "the container cannot be filled", cause: error)
      }
    }
    guard usesIntents else { return try startProcess() }
    try startIntents(seeds: restore == nil)
  }

  /// Starts the batch's own intent system, then the process.
  ///
  /// - Parameter seeds: Whether the seed intent may be called in the attempt's own container.
  private func startIntents(seeds: Bool) throws {
    try withSandbox { [unowned self] in try startIntentsInSandbox(seeds: seeds) }
  }

  /// Makes the batch's sandbox, if it is to have one and has none, and goes on when it is there:
  /// later, while there is no room for it.
  private func withSandbox(_ go: @escaping () throws -> Void) throws {
    guard sandbox == nil else { return try go() }
    do throws(WorkersError) {
      sandbox = try session.makeSandbox(for: container)
    } catch {
      let waits = session.sandboxRoom.wait(for: error, since: startedAt) { [unowned self] in
        orFail { try withSandbox(go) }
      }
      guard waits else { throw error }
      return
    }
    if sandbox != nil { session.sandboxRoom.wasMade() }
    try go()
  }

  private func startIntentsInSandbox(seeds: Bool) throws {
    guard let test = spec.tests.first else { return try startProcess() }
    let intents = try BatchIntents(
      session.intents, test: test, attempt: spec.attempts[test] ?? 1, container: container,
      environment: session.variables(of: spec, container: container),
      scope: session.scope(of: spec) + "-app", sandbox: sandbox, supervisor: session.supervisor,
      record: session.record, limits: processLimits,
      faults: session.intents.faults(ofWorker: spec.worker))
    intents.onHang = { [unowned self] in lookAtHangingCall($0, then: $1) }
    intents.onOutput = { [unowned self] in noteSign() }
    self.intents = intents
    guard seeds else { return try startProcess() }
    intents.seed { [unowned self] fault in
      orFail {
        if let fault { throw fault }
        try startProcess()
      }
    }
  }

  /// What the processes of the batch and of its apps may use, and the mask of their files.
  var processLimits: ProcessLimits? {
    .adding(fileMask: session.configuration.fileMask, to: limits?.process)
  }

  /// Loads the product while the apps are checked and the seed intent is called.
  private func preload() {
    guard session.starter.canPreload(spec), let product = session.catalog.product(spec.product)
    else { return }
    let command = BatchCommand(
      product: product, library: spec.library, tests: [], isWholeProduct: true, nonce: nonce,
      checksHomes: false, patterns: session.patterns(of: spec.product))
    // What is wrong is told by whoever starts the batch's process.
    guard (try? session.checkExecutable(of: product)) != nil,
      let request = try? request(for: command)
    else { return }
    session.starter.preload(spec, request)
  }

  private func request(for command: BatchCommand) throws -> ProcessRequest {
    var environment = session.variables(of: spec, container: container)
    environment.merge(intents?.variables ?? [:]) { _, own in own }
    environment.merge(session.package.observerVariables) { _, own in own }
    return try command.request(
      environment: environment, container: container, observer: session.catalog.observer.path,
      directory: session.package.workingFolder, scope: session.scope(of: spec))
  }

  /// Starts the process in its container.
  private func startProcess() throws {
    guard let product = session.catalog.product(spec.product) else {
      throw RunEngineError(
        .noProduct, "there is no product \(spec.product)", context: ["product": spec.product])
    }
    try session.checkExecutable(of: product)
    let command = BatchCommand(
      product: product, library: spec.library, tests: descriptors,
      isWholeProduct: session.isWholeProduct(spec), nonce: nonce, checksHomes: checksHomes,
      patterns: session.patterns(of: spec.product))
    var request = try request(for: command)
    request.limits = processLimits
    self.request = request
    try withSandbox { [unowned self, request] in try chooseStart(request) }
  }

  /// Finds out how the process is to be started, and starts it.
  private func chooseStart(_ request: ProcessRequest) throws {
    if usesIntents, sandbox == nil, session.starter.willLoad(spec) {
      session.root.noteContents(worker: spec.worker)
    }
    if let other = try session.listener?.processWillStart(request, in: container) {
      return try launch(inPlace: other)
    }
    session.starter.choose(spec, request) { [unowned self] in
      session.root.isUntouched(worker: spec.worker)
    } then: { [unowned self, request] warm in
      guard let sandbox, warm != nil else { return launch(request, from: warm) }
      sandbox.whenReady { [unowned self] failure in
        // Why there is no sandbox is told by whoever starts something in it.
        launch(request, from: failure == nil ? warm : nil)
      }
    }
  }

  private func orFail(_ body: () throws -> Void) {
    do {
      // The batch may have been ended while something else was waited for.
      if intervention != nil { throw EnvironmentFault("the run ends") }
      try body()
    } catch {
      cannotStart(error)
    }
  }

  /// Ends the batch before there is a process.
  private func cannotStart(_ error: any Error) {
    session.logStart(of: spec, .cold)
    failToStart(error)
  }

  /// Starts the process as a copy of a warm one or, without one, anew.
  func launch(_ request: ProcessRequest, from warm: WarmProcess?) {
    session.logStart(of: spec, warm == nil ? .cold : .warm)
    guard let warm else { return launchCold(request) }
    warm.start(
      request, in: sandbox, onOutput: { [unowned self] in take($0, $1) },
      onEnd: { [unowned self] in processEnded($0, $1) }
    ) { [unowned self] process in
      if let process {
        isCopy = true
        begin(process)
      } else {
        if !warm.isUsable { session.starter.decline(spec, "its warm process is gone") }
        launchCold(request)
      }
    }
  }

  func launchCold(_ request: ProcessRequest) {
    do throws(WorkersError) {
      if let sandbox {
        return begin(
          try SupervisedProcess(
            request, in: sandbox, loop: session.supervisor.loop,
            registry: session.supervisor.registry,
            onOutput: { [unowned self] in take($0, $1) },
            onEnd: { [unowned self] in processEnded($0, $1) }))
      }
      begin(
        try SupervisedProcess(
          request, loop: session.supervisor.loop, registry: session.supervisor.registry,
          onOutput: { [unowned self] in take($0, $1) },
          onEnd: { [unowned self] in processEnded($0, $1) }))
    } catch {
      failToStart(error)
    }
  }

  func begin(_ process: SupervisedProcess) {
    self.process = process
    watch()
    // The run may have been interrupted while a warm process was waited for.
    if intervention != nil { process.terminate(grace: interruptionGrace) }
  }
}
