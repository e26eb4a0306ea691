import Evidence
import Orchestration
import Workers

/// What batches that call apps need of their run.
extension RunSession {
  /// Marks the processes of a batch.
  func scope(of spec: BatchSpec) -> String { "\(record.runID)-\(spec.batch)" }

  /// The environment of a batch's container.
  func variables(of spec: BatchSpec, container: Container) -> [String: String] {
    let place =
      configuration.place
      ?? RecordedPlace(
        runID: record.runID, worker: spec.worker, workers: configuration.scheduling.workers,
        batch: spec.batch)
    return environment.variables(
      container: container, run: place.runID, worker: place.worker, workers: place.workers,
      batch: place.batch)
  }

  /// Finds out whether the apps answer on the batch's worker; the first time in a container of
  /// their own.
  func checkApps(
    for spec: BatchSpec, then handler: @escaping (EnvironmentFault?) -> Void
  ) {
    intents.check(
      worker: spec.worker, environment: { [unowned self] in variables(of: spec, container: $0) },
      scope: scope(of: spec) + "-check",
      makeContainer: { [unowned self] in
        try root.prepare(worker: spec.worker, indexTemplate: indexTemplate)
      },
      removeContainer: { [unowned self] container in
        if let folder = root.retire(container, keepsFiles: true) { disposal.remove(folder) }
      }, then: handler)
  }

  /// Begins with the container whose data all tests that call apps start with, beside the check of
  /// the first worker's apps.
  func beginFixture(for spec: BatchSpec) { makeFixture(for: spec) { _ in } }

  /// Makes a batch's container as a copy of the one in which the seed intent was called.
  func seed(
    _ spec: BatchSpec, then handler: @escaping (EnvironmentFault?) -> Void
  ) {
    makeFixture(for: spec) { [unowned self] result in
      switch result {
      case .failure(let fault): handler(fault)
      case .success(let template):
        cloneDecision.whenMade(for: template) { [unowned self] way in
          guard let way else { return handler(EnvironmentFault("the run was interrupted")) }
          cloneWays[spec.batch] = way
          root.prepare(
            worker: spec.worker, from: template, by: way, in: supervisor.loop
          ) { failure in
            handler(failure.map { EnvironmentFault("the container cannot be made: \($0)") })
          }
        }
      }
    }
  }

  private func makeFixture(
    for spec: BatchSpec,
    then handler: @escaping (Result<ContainerTemplate, EnvironmentFault>) -> Void
  ) {
    intents.makeFixture(
      root: root, indexTemplate: indexTemplate,
      environment: { [unowned self] in variables(of: spec, container: $0) },
      scope: scope(of: spec) + "-seed", then: handler)
  }
}
