import RunModel
import SystemFiles
import Workers

/// Packs and removes used containers, beside what else there is to do.
final class ContainerDisposal {
  private let loop: EventLoop
  /// Set by the second signal: nobody wants to wait for bundles any more.
  let stopsPacking = StopFlag()
  private var underWay = 0
  /// What could not be removed, taken together.
  private(set) var leftFiles: RemovalFailure?
  /// Told what came of each attempt.
  var onPacked: ((Result<BundleReference, BundleTask.Failure>) -> Void)?

  init(loop: EventLoop) { self.loop = loop }

  /// Whether nothing is left to do.
  var isIdle: Bool { underWay == 0 }

  /// Packs failed attempts, then removes their container.
  func pack(_ attempts: [AttemptResult], with task: BundleTask) {
    underWay += 1
    loop.inBackground(
      {
        let failure = task.assemble()
        return (failure, attempts.map { task.perform($0) })
      },
      then: { [unowned self] (failure: BundleTask.Failure?, results) in
        remove(task.container.root)
        underWay -= 1
        if let failure { onPacked?(.failure(failure)) }
        for result in results { onPacked?(result) }
      })
  }

  /// Removes a container.
  func remove(_ folder: String) {
    underWay += 1
    loop.inBackground(
      { removeTree(folder) },
      then: { [unowned self] failure in
        underWay -= 1
        guard let failure else { return }
        leftFiles?.count += failure.count
        if leftFiles == nil { leftFiles = failure }
      })
  }
}
