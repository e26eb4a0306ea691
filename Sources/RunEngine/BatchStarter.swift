import Glibc
import Orchestration
import RunModel
import Workers

/// When processes of batches are copies of a warm process.
package enum StartPolicy: String, CaseIterable, Sendable {
  /// Never.
  case cold
  /// Whenever the executable allows it.
  case warm
  /// When so many processes are planned that it pays.
  case auto
}

/// Starts the processes of batches, warm or cold, and keeps the warm processes of a run: one for
/// each worker, product and library, because a worker's folders stay the same; in sandboxes, where
/// they are the same for all workers, one for each product and library.
final class BatchStarter {
  /// Seconds that an executable may take until it is about to run tests.
  static let readyLimit = 10.0
  /// Processes of one product and library for each worker from which on ``StartPolicy/auto`` is
  /// warm; a warm process costs about two starts.
  static let fewestProcesses = 4

  /// What a warm process is for.
  private struct Key: Hashable {
    /// `nil` for all workers.
    let worker: Int?
    let group: TestGroup
  }

  /// Where a warm process is loaded when the batches have sandboxes.
  struct LoadingPlace {
    let sandbox: Sandbox
    /// Whether nobody has touched its container.
    let isUntouched: () -> Bool
  }

  /// Makes such a place; `nil` when processes are loaded in the container of their first batch.
  var makePlace: (() throws(WorkersError) -> LoadingPlace)?

  private let supervisor: Supervisor
  private let policy: StartPolicy
  /// Products and libraries that are started warm.
  private var warmGroups: Set<TestGroup> = []
  private var processes: [Key: WarmProcess] = [:]
  /// Says that a product and library cannot be started warm, and why; once each.
  var onDecline: ((RunProblem) -> Void)?

  init(supervisor: Supervisor, scheduling: SchedulerOptions, policy: StartPolicy, plan: Plan) {
    self.supervisor = supervisor
    self.policy = policy
    guard policy != .cold else { return }
    for group in plan.groups {
      var scheduling = scheduling
      if group.isSolitary { scheduling.batch = .fixed(1) }
      guard policy == .warm || Self.pays(tests: group.range.count, scheduling: scheduling) else {
        continue
      }
      warmGroups.insert(TestGroup(product: group.product, library: group.library))
    }
  }

  /// Whether many processes will be needed. Batches that are sized by time are long compared with
  /// the start of their process.
  static func pays(tests: Int, scheduling: SchedulerOptions) -> Bool {
    guard case .fixed(let size) = scheduling.batch else { return false }
    return tests / max(size, 1) >= fewestProcesses * scheduling.workers
  }

  /// Whether the batch's process would be the first warm one of its worker, so that the container
  /// is looked at before and after.
  func willLoad(_ spec: BatchSpec) -> Bool {
    warmGroups.contains(spec.group) && processes[key(spec)] == nil
  }

  private func key(_ spec: BatchSpec) -> Key {
    Key(worker: makePlace == nil ? spec.worker : nil, group: spec.group)
  }

  /// Finds out how a batch is to be started.
  ///
  /// - Parameters:
  ///   - request: How it would be started cold.
  ///   - isUntouched: Whether the batch's container is as it was prepared.
  ///   - handler: Is given the warm process, or `nil` for a cold start. Called at once, or later.
  func choose(
    _ spec: BatchSpec, _ request: ProcessRequest, isUntouched: @escaping () -> Bool,
    then handler: @escaping (WarmProcess?) -> Void
  ) {
    guard warmGroups.contains(spec.group) else { return handler(nil) }
    let key = key(spec)
    if let process = processes[key] {
      process.whenReady { [self] reason in
        if let reason { decline(spec, reason) }
        handler(reason == nil ? process : nil)
      }
      return
    }
    load(spec, request, isUntouched: isUntouched, then: handler)
  }

  /// Loads the warm process of a batch beside what else has to be done before the batch's process
  /// is needed; only where it has a place of its own for that.
  ///
  /// - Parameter request: How a process of the product would be started cold.
  func preload(_ spec: BatchSpec, _ request: ProcessRequest) {
    load(spec, request, isUntouched: { true }, then: { _ in })
  }

  /// Whether ``preload(_:_:)`` makes sense.
  func canPreload(_ spec: BatchSpec) -> Bool { makePlace != nil && willLoad(spec) }

  /// Starts to load a warm process, as ``choose(_:_:isUntouched:then:)``.
  private func load(
    _ spec: BatchSpec, _ request: ProcessRequest, isUntouched: @escaping () -> Bool,
    then handler: @escaping (WarmProcess?) -> Void
  ) {
    var own = request
    // Swift Testing is chosen by arguments; which tests are run is not known yet.
    if spec.library == .xctest { own.arguments = [] }
    var place: LoadingPlace?
    do throws(WorkersError) {
      place = try makePlace?()
      let isUntouched = place?.isUntouched ?? isUntouched
      let process = try WarmProcess(
        own, in: place?.sandbox, limit: Self.readyLimit, loop: supervisor.loop,
        registry: supervisor.registry)
      processes[key(spec)] = process
      process.whenReady { [self] reason in
        let reason = reason ?? (isUntouched() ? nil : "it uses its folders before the tests run")
        if let reason { decline(spec, reason) }
        handler(reason == nil ? process : nil)
      }
    } catch {
      place?.sandbox.end {}
      decline(spec, "\(error)")
      handler(nil)
    }
  }

  /// Starts a product's and library's processes cold from now on.
  func decline(_ spec: BatchSpec, _ reason: String) {
    guard warmGroups.remove(spec.group) != nil else { return }
    for (key, process) in processes where key.group == spec.group { process.end() }
    if supervisor.interruption == nil {
      onDecline?(
        RunProblem(
          severity: .warning, code: .warmStartDeclined,
          message:
            "each process of \(spec.product)'s \(spec.library.displayName) tests is started "
            + "anew, which is slower: \(reason)"))
    }
  }

  /// Lets batches that wait for a warm process go on without it.
  func stopWaiting() {
    for process in processes.values { process.stopWaiting() }
  }

  /// Ends the warm processes and waits for their ends.
  func finish() {
    for process in processes.values { process.end() }
    supervisor.loop.run { processes.values.allSatisfy(\.isGone) }
    processes = [:]
  }
}
