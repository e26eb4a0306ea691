import SystemFiles
import Workers

/// The sandboxes of a run.
extension RunSession {
  /// Makes the sandbox of a batch's container, if it is to have one.
  func makeSandbox(for container: Container) throws(WorkersError) -> Sandbox? {
    guard let sandboxes else { return nil }
    return try Sandbox(
      sandboxes.configuration(for: container, layers: root.layers(of: container)), loop: loop,
      registry: supervisor.registry)
  }

  /// Makes a sandbox in which a warm process is loaded.
  func makeLoadingPlace(
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
}
