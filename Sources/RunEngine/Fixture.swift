import Evidence
import IntentSystem
import IntentWire
import Workers

/// The data that a seed intent makes once and that the container of each attempt has.
final class Fixture {
  private enum State {
    case notMade
    case making(IntentSystem)
    case made(Result<ContainerTemplate, EnvironmentFault>)
  }

  private let call: SeedCall
  private var state = State.notMade
  private var waiting: [(Result<ContainerTemplate, EnvironmentFault>) -> Void] = []
  private var isCancelled = false

  init(_ call: SeedCall) { self.call = call }

  /// - Parameter handler: Is given the container with the data, which nobody writes to any more.
  func whenMade(
    by run: IntentRun, root: WorkRoot, indexTemplate: String,
    environment: (Container) -> [String: String], scope: String, supervisor: Supervisor,
    then handler: @escaping (Result<ContainerTemplate, EnvironmentFault>) -> Void
  ) {
    if isCancelled { return handler(.failure(Self.cancelled)) }
    switch state {
    case .made(let result): return handler(result)
    case .making: waiting.append(handler)
    case .notMade:
      waiting.append(handler)
      var sandbox: Sandbox?
      do {
        // No worker has the number 0.
        let container = try root.prepare(worker: 0, indexTemplate: indexTemplate)
        var configuration = run.systemConfiguration(
          container: container, environment: environment(container), scope: scope,
          fixtureToken: call.token(seed: run.seed))
        // Nobody looks into the index before everything is in it.
        configuration.indexDelay = 0
        configuration.onJournal = { run.write($0.json.bytes + [10]) }
        sandbox = try run.makeSandbox?(container)
        configuration.sandbox = sandbox
        let system = try IntentSystem(
          configuration, loop: supervisor.loop, registry: supervisor.registry)
        state = .making(system)
        let made = sandbox
        call.perform(in: system) { [self] fault in
          system.stop { [self] in
            let tell = { [self] in
              if let fault { return finish(.failure(fault)) }
              keep(container, root, supervisor.loop)
            }
            made?.end(tell) ?? tell()
          }
        }
      } catch {
        sandbox?.end {}
        finish(.failure(EnvironmentFault("\(error)")))
      }
    }
  }

  /// Whether the seed intent's system lives.
  var isBeingMade: Bool {
    if case .making = state { return true }
    return false
  }

  func cancel() {
    isCancelled = true
    if case .making(let system) = state { system.stop {} }
  }

  /// Takes the container out of the way of the workers' ones.
  private func keep(_ container: Container, _ root: WorkRoot, _ loop: EventLoop) {
    guard let folder = root.retire(container, keepsFiles: true) else {
      return finish(.failure(EnvironmentFault("the seeded container is gone")))
    }
    let kept = Container(root: folder, view: container.view)
    loop.inBackground {
      Result { () throws(WorkersError) in try ContainerTemplate(kept) }
    } then: { [self] result in
      finish(result.mapError { EnvironmentFault("the seeded container cannot be kept: \($0)") })
    }
  }

  private static let cancelled = EnvironmentFault("the run was interrupted")

  private func finish(_ result: Result<ContainerTemplate, EnvironmentFault>) {
    let result = isCancelled ? .failure(Self.cancelled) : result
    state = .made(result)
    let handlers = waiting
    waiting = []
    for handler in handlers { handler(result) }
  }
}

extension SeedCall {
  /// Names the data: the same for the same seed of a run.
  func token(seed: String) -> String {
    FixtureToken.make(seed: seed, name: "\(bundleIdentifier) \(intent)")
  }

  /// Calls the intent and waits until what it told the index can be found.
  func perform(in system: IntentSystem, then handler: @escaping (EnvironmentFault?) -> Void) {
    let name = "the seed intent \(intent) of \(bundleIdentifier)"
    system.perform(bundleIdentifier, intent, parameters) { result in
      switch result {
      case .success:
        system.whenIndexed { error in
          handler(error.map { EnvironmentFault("\(name): \($0.message)", log: $0.log) })
        }
      case .failure(let error):
        handler(EnvironmentFault("\(name) failed: \(error.fullText)", log: error.log))
      }
    }
  }
}
