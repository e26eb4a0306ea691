import Glibc
import RunModel
import Workers

/// Lets batches wait for the sandboxes of others where the machine allows no more at once: there
/// are limits on namespaces (namespaces(7), `/proc/sys/user`), processes and descriptors.
final class SandboxRoom {
  /// Seconds for which a batch waits for room that other programs have, and between its attempts.
  private static let patience = 10.0
  private static let interval = 0.25

  private let loop: EventLoop
  private var waiting: [(since: Double, go: () -> Void)] = []
  /// Number of sandboxes that batches of the run have.
  private var used = 0
  private var timer: EventLoop.Timer?
  private var hasTold = false
  /// Told once that batches wait, and why.
  var onShortage: ((RunProblem) -> Void)?

  init(loop: EventLoop) { self.loop = loop }

  /// A sandbox was made for a batch.
  func wasMade() { used += 1 }

  /// The sandbox of a batch is gone.
  func wasEnded() {
    used -= 1
    tryAgain()
  }

  /// Lets a batch wait.
  ///
  /// - Parameters:
  ///   - error: Why its sandbox was not made.
  ///   - since: When it was tried first, in monotonic seconds.
  ///   - go: Tries again; called once, later.
  /// - Returns: `false` when waiting is of no use.
  func wait(for error: WorkersError, since: Double, then go: @escaping () -> Void) -> Bool {
    guard error.isShortage, used > 0 || monotonicSeconds() - since < Self.patience else {
      return false
    }
    if !hasTold {
      hasTold = true
      onShortage?(
        RunProblem(
          severity: .warning, code: .sandboxesShort,
          message:
            "there is no room for a sandbox for each worker, so batches wait for one another: "
            + "\(error.message)" + (error.cause.map { ": \($0)" } ?? "")
            + "; use fewer workers, or raise the limit"))
    }
    waiting.append((since, go))
    // Others than this run's batches may have what is missing.
    if timer == nil { timer = loop.after(Self.interval) { [weak self] in self?.look() } }
    return true
  }

  /// Lets all that wait go on: they find out whether there is room, or that they are to end.
  func tryAgain() {
    let all = waiting
    waiting = []
    for one in all { one.go() }
  }

  private func look() {
    timer = nil
    tryAgain()
  }
}

extension WorkersError {
  /// Whether the machine has no more of something that others may give back.
  fileprivate var isShortage: Bool {
    code == .sandbox && [ENOSPC, EAGAIN, EUSERS, ENFILE, EMFILE].contains(errorNumber)
  }
}
