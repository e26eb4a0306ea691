import CSystem
import Glibc
import RunModel
import SystemFiles

/// What is on the network of a sandbox.
package enum SandboxNetwork: String, Codable, CaseIterable, Sendable {
  /// The machine's network.
  case host
  /// A loopback interface of its own and nothing else, so every worker may listen on any port.
  case loopback
  /// No interface that is up.
  case none
}

/// Namespaces of a batch's own (namespaces(7)): mounts, processes, network, IPC, host name.
///
/// Processes see the file system read-only, with private folders at `/tmp`, `/var/tmp` and
/// `/dev/shm`, and what was bound. They are started by the first process of the sandbox, which ends
/// with Carrel; when it ends, the kernel ends all others (pid_namespaces(7)). It is made by system
/// calls of Carrel's own: docs/decisions/0011-sandbox.md says why not by bubblewrap.
package final class Sandbox {
  package struct Bind: Hashable, Sendable {
    /// Absolute path outside.
    package var source: String
    /// Absolute path inside.
    package var target: String
    package var isWritable: Bool
    /// Where what is written goes, while the source stays as it is; `nil` for the source.
    package var layer: Layer?

    package init(
      _ source: String, at target: String? = nil, isWritable: Bool = false, layer: Layer? = nil
    ) {
      self.source = source
      self.target = target ?? source
      self.isWritable = isWritable
      self.layer = layer
    }
  }

  /// Two empty folders of one file system that take what is written to an overlay (overlayfs).
  package struct Layer: Hashable, Sendable {
    /// Absolute path; has the mode and times that the overlay's folder is to have.
    package var upper: String
    /// Absolute path; the kernel's own.
    package var work: String

    package init(upper: String, work: String) {
      self.upper = upper
      self.work = work
    }
  }

  package struct Configuration: Hashable, Sendable {
    package var binds: [Bind]
    /// Absolute paths of folders in whose place an empty one is seen.
    package var covers: [String]
    package var network: SandboxNetwork
    /// Bytes that each private folder holds at most; `nil` for half of the memory (tmpfs(5)).
    package var privateSize: UInt64?
    /// Whether it is for a process that will be copied into others, see ``WarmProcess``: it has
    /// only the file system of a sandbox.
    package var isForCopying = false

    package init(
      binds: [Bind] = [], covers: [String] = [], network: SandboxNetwork = .loopback,
      privateSize: UInt64? = nil
    ) {
      self.binds = binds
      self.covers = covers
      self.network = network
      self.privateSize = privateSize
    }
  }

  /// What becomes of a process that was asked for.
  enum Event {
    /// It runs: its PID inside, its PID outside, and a pidfd that the receiver closes.
    case started(inside: Int32, outside: Int32, pidfd: Int32)
    case ended(ProcessEnd)
    case failed(WorkersError)
  }

  /// PID of the first process, outside.
  let pid: Int32
  /// The network of its processes.
  let network: SandboxNetwork
  private let loop: EventLoop
  private let registry: ProcessRegistry
  /// A pidfd of the first process.
  let pidfd: Int32
  private var control: Int32
  /// Those that were asked for and have not been started, in order.
  private var waiting: [(Event) -> Void] = []
  /// Those that run, by their PID inside.
  private var running: [Int32: (outside: Int32, handler: (Event) -> Void)] = [:]
  private var onGone: [() -> Void] = []
  /// Why it could not be made.
  private var failure: WorkersError?
  private(set) var isGone = false
  private var isReady = false
  private var startTimer: EventLoop.Timer?
  private var onReady: [(WorkersError?) -> Void] = []

  /// Starts to make a sandbox; processes may be asked for at once.
  ///
  /// - Throws: ``WorkersError`` with code `sandbox` when the machine does not allow it.
  package init(
    _ configuration: Configuration, loop: EventLoop, registry: ProcessRegistry
  ) throws(WorkersError) {
    let made = try registry.makeSandbox(configuration)
    pid = made.pid
    pidfd = made.pidfd
    control = made.control
    network = configuration.network
    self.loop = loop
    self.registry = registry
    registry.add(pid, isAttendant: true)
    loop.watch(control) { [unowned self] in receive() }
    loop.watch(pidfd) { [self] in firstProcessEnded() }
  }

  /// Starts a process.
  ///
  /// - Parameters:
  ///   - content: What ``ProcessRequest/encoded`` gives.
  ///   - descriptors: Those that it gets as 0, 1, 2, and so on.
  ///   - groups: Files `cgroup.procs` of the control groups that it joins.
  ///   - handler: Told what becomes of it: `started` and `ended`, or `failed`; also within this
  ///     call.
  func start(
    _ content: [UInt8], descriptors: [Int32], groups: [Int32],
    _ handler: @escaping (Event) -> Void
  ) {
    let file = carrel_memory_file(content, content.count)
    guard file >= 0 else {
      return handler(
        .failed(WorkersError(.launch, "cannot ask for a process", errorNumber: errno)))
    }
    defer { close(file) }
    guard control >= 0 else { return handler(.failed(failure ?? Self.gone)) }
    let result = carrel_sandbox_spawn(
      control, file, descriptors, descriptors.count, groups, groups.count)
    // Nobody to ask: why will be told when the first process has ended.
    if result == 0 || errno == EPIPE || errno == ECONNRESET {
      waiting.append(handler)
      awaitStart()
      return
    }
    handler(
      .failed(WorkersError(.launch, "cannot ask for a process in the sandbox", errorNumber: errno)))
  }

  /// Calls the handler when the sandbox is made, or cannot be; at once when that is known.
  package func whenReady(_ handler: @escaping (WorkersError?) -> Void) {
    if isReady { return handler(nil) }
    if isGone { return handler(failure ?? Self.gone) }
    onReady.append(handler)
  }

  private static let gone = WorkersError(.sandbox, "the sandbox has ended")

  private func answer(_ error: WorkersError?) {
    let handlers = onReady
    onReady = []
    for handler in handlers { handler(error) }
  }

  /// Limits the time to the next start: the first process may have been stopped.
  private func awaitStart() {
    loop.cancel(startTimer)
    guard !waiting.isEmpty else { return }
    startTimer = loop.after(Self.startLimit) { [weak self] in
      self?.failure = WorkersError(.sandbox, "the sandbox does not answer")
      self?.end {}
    }
  }

  /// Sends a signal to the group of a process, unless it has ended.
  ///
  /// - Parameter process: Its PID inside.
  func signal(_ process: Int32, _ signal: Int32) {
    if control >= 0 { _ = carrel_sandbox_signal(control, process, signal) }
  }

  /// Whether the first process has been stopped, and so hears nothing.
  var isStopped: Bool {
    guard !isGone, let state = ProcessTable.state(of: pid)?.letter else { return false }
    return state == "T" || state == "t"
  }

  /// PIDs, outside, of processes whose parents have ended.
  package func orphans() -> [Int32] {
    guard !isGone else { return [] }
    let known = Set(running.values.map(\.outside))
    return ProcessTable.children(of: pid).filter { !known.contains($0) }
  }

  /// Ends all processes and the sandbox.
  ///
  /// - Parameter handler: Called once when nothing is left; at once when that is so already.
  package func end(_ handler: @escaping () -> Void) {
    guard !isGone else { return handler() }
    onGone.append(handler)
    _ = carrel_pidfd_signal(pidfd, SIGKILL)
    reapLostCopies()
  }

  /// The first process only ends when every process of its namespace has been reaped
  /// (pid_namespaces(7)): also a copy of a warm process that nobody waits for any more.
  private func reapLostCopies() {
    guard !isGone else { return }
    registry.reapAdopted()
    loop.after(Self.reapInterval) { [weak self] in self?.reapLostCopies() }
  }

  private static let reapInterval = 0.02
  /// Seconds that the start of a process may take; it takes milliseconds.
  private static let startLimit = 10.0

  private func receive() {
    var message = carrel_sandbox_message()
    var descriptor: Int32 = -1
    while control >= 0 {
      switch carrel_sandbox_receive(control, &message, &descriptor) {
      case 1: take(message, descriptor)
      case 0: return
      default: return closeControl()
      }
    }
  }

  private func take(_ message: carrel_sandbox_message, _ descriptor: Int32) {
    switch carrel_sandbox_message_kind(rawValue: UInt32(message.kind)) {
    case carrel_sandbox_ready:
      isReady = true
      answer(nil)
    case carrel_sandbox_failed:
      failure = Self.failure(message.first, errorNumber: message.second)
    case carrel_sandbox_started where !waiting.isEmpty:
      let handler = waiting.removeFirst()
      awaitStart()
      guard descriptor >= 0 else {
        signal(message.first, SIGKILL)
        let problem = WorkersError(
          .launch, "a process in the sandbox cannot be watched", errorNumber: EMFILE)
        return handler(.failed(problem))
      }
      let outside = ProcessTable.pid(ofDescriptor: descriptor) ?? 0
      running[message.first] = (outside, handler)
      handler(.started(inside: message.first, outside: outside, pidfd: descriptor))
    case carrel_sandbox_not_started where !waiting.isEmpty:
      defer { awaitStart() }
      waiting.removeFirst()(
        .failed(
          WorkersError(
            .launch, "a process cannot be started in the sandbox", errorNumber: message.first)))
    case carrel_sandbox_ended:
      guard let process = running.removeValue(forKey: message.first) else { return }
      process.handler(.ended(ProcessEnd(waitStatus: message.second)))
    default:
      if descriptor >= 0 { close(descriptor) }
    }
  }

  /// The first process is about to end, or has ended.
  private func closeControl() {
    guard control >= 0 else { return }
    loop.unwatch(control)
    close(control)
    control = -1
  }

  private func firstProcessEnded() {
    guard !isGone else { return }
    var status: Int32 = -1
    var signal: Int32 = -1
    // The loop may have meant a descriptor that had the same number before.
    guard carrel_reap(pid, &status, &signal) != 0 else { return }
    receive()
    closeControl()
    loop.unwatch(pidfd)
    close(pidfd)
    registry.remove(pid)
    isGone = true
    answer(failure ?? Self.gone)
    let lost = waiting
    waiting = []
    awaitStart()
    let end = signal > 0 ? ProcessEnd.signaled(signal) : .exited(status)
    let reason =
      failure ?? WorkersError(.sandbox, "the sandbox has ended: its first process with \(end)")
    for handler in lost { handler(.failed(reason)) }
    let ended = running
    running = [:]
    // The kernel has sent it to all of them (pid_namespaces(7)).
    for process in ended.values { process.handler(.ended(.signaled(SIGKILL))) }
    let handlers = onGone
    onGone = []
    for handler in handlers { handler() }
  }

  /// What to do where no overlay can be mounted.
  package static let overlayAdvice =
    "set CARREL_WORK_DIR to a folder of a file system that can take what is written to an overlay, "
    + "such as ext4, XFS, Btrfs or tmpfs; a container's own overlay cannot"

  /// What a step that failed means for people.
  static func failure(_ step: Int32, errorNumber: Int32) -> WorkersError {
    let what =
      switch carrel_sandbox_step(rawValue: UInt32(step)) {
      case carrel_sandbox_namespaces where errorNumber == ENOSPC:
        "namespaces cannot be made, because there are as many as a limit max_*_namespaces in "
          + "/proc/sys/user allows"
      case carrel_sandbox_namespaces: "namespaces cannot be made"
      case carrel_sandbox_users: "the user cannot be mapped into a namespace of users"
      case carrel_sandbox_sources: "a file or folder that shall be seen inside cannot be bound"
      case carrel_sandbox_read_only: "the file system cannot be made read-only"
      case carrel_sandbox_private_folders: "private folders cannot be mounted"
      case carrel_sandbox_targets: "a file or folder cannot be put into its place"
      case carrel_sandbox_proc: "a /proc of its own cannot be mounted"
      case carrel_sandbox_network_up: "the loopback interface cannot be brought up"
      case carrel_sandbox_overlays: "an overlay cannot be mounted"
      default: "privileges cannot be given up"
      }
    let isOverlay = step == Int32(carrel_sandbox_overlays.rawValue)
    return WorkersError(
      .sandbox, "a sandbox cannot be made on this machine: \(what)",
      cause: SystemFailure(errorNumber),
      advice: isOverlay
        ? Self.overlayAdvice
        : "'carrel doctor' says why, and '--isolation processes' does without")
  }
}
