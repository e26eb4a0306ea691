import Evidence
import Orchestration
import Workers

/// What batches that call apps need of their run.
extension RunSession {
  /// Marks the processes of a batch.
  func scope(of spec: BatchSpec) -> String { "\(record.runID)-\(spec.batch)" }

  /// The environment of a batch's container.
  func variables(of spec: BatchSpec, container: Container) -> [String: String] {
    environment.variables(
      container: container, run: record.runID, worker: spec.worker,
      workers: configuration.scheduling.workers, batch: spec.batch)
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

  /// Makes a batch's container with the data that tests which call apps start with.
  func seed(
    _ spec: BatchSpec, then handler: @escaping (EnvironmentFault?) -> Void
  ) {
    intents.seed(
      worker: spec.worker, root: root, indexTemplate: indexTemplate,
      environment: { [unowned self] in variables(of: spec, container: $0) },
      scope: scope(of: spec) + "-seed", then: handler)
  }
}
