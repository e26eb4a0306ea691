import CSystem
import Glibc
import RunModel

/// The processes that outlive the one by which they were started: they get a moment to end by
/// themselves, then they are named and killed.
///
/// When their parent ends this process adopts them. They are known by the session or the group of
/// the process that was started, or by ``SupervisedProcess/scopeVariable``; and whatever descends
/// from one of them is one of them.
final class LeakedProcesses {
  /// What is known of the process that has ended.
  struct Origin {
    var pid: Int32
    var scope: String
    /// Whether it and its group were killed: then nobody in the group counts as left behind.
    var wasKilled: Bool
    /// Its pipes by the number of their inode.
    var pipes: [UInt64: LeakedProcess.Pipe]
  }

  /// Seconds that processes get at most when the one that started them was killed.
  static let killedGrace = 0.01
  /// Seconds between two looks at processes that should be gone.
  private static let again = 0.02
  /// Looks in vain at a process whose scope cannot be told yet, 0.1 s in all.
  private static let maxUndecidedLooks = 20

  private let origin: Origin
  /// Where they are; `nil` when they see what Carrel sees, and are adopted by it.
  private let sandbox: Sandbox?
  private let loop: EventLoop
  private let registry: ProcessRegistry
  private let grace: Double
  private let onEnd: ([Leak]) -> Void
  private var timer: EventLoop.Timer?
  /// Adopted ones, with the descriptors that tell of their ends.
  private var watched: [Int32: Int32] = [:]
  private var killed: Set<Int32> = []
  private var leaks: [Int32: Leak] = [:]
  private var undecidedLooks = 0
  private var isEnding = false
  private var isLookComing = false
  private var isFinished = false
  /// By the namespace's name; read when the first socket is found.
  private var sockets: [String: ListeningSockets] = [:]

  /// - Parameters:
  ///   - grace: Seconds that they get to end by themselves.
  ///   - onEnd: Called once, when all are gone.
  init(
    of origin: Origin, in sandbox: Sandbox?, grace: Double, loop: EventLoop,
    registry: ProcessRegistry,
    onEnd: @escaping ([Leak]) -> Void
  ) {
    self.origin = origin
    self.sandbox = sandbox
    self.grace = origin.wasKilled ? min(grace, Self.killedGrace) : grace
    self.loop = loop
    self.registry = registry
    self.onEnd = onEnd
  }

  /// Finishes when nothing is left; otherwise gives what is left the grace time.
  func begin() {
    let isSure = look()
    if !watched.isEmpty {
      timer = loop.after(grace) { [self] in
        isEnding = true
        endAll()
      }
    } else if isSure {
      finish()
    } else {
      // The last look takes what has no environment for what it is.
      undecidedLooks += 1
      timer = loop.after(0.005) { [self] in begin() }
    }
  }

  /// Watches adopted processes of this origin that are not watched yet.
  ///
  /// - Returns: Whether all adopted processes could be told: one in the middle of execve(2) has no
  ///   environment for a moment (proc_pid_environ(5)), and so no scope.
  @discardableResult
  private func look() -> Bool {
    var isSure = true
    let orphans = sandbox?.orphans() ?? registry.adopted()
    for orphan in orphans where watched[orphan] == nil {
      guard let status = ProcessTable.status(of: orphan) else { continue }
      let isOwn =
        status.session == origin.pid || status.group == origin.pid || killed.contains(orphan)
      if status.isZombie {
        // In a sandbox its first process does that.
        guard sandbox == nil else { continue }
        registry.reap(orphan, isOwn: isOwn)
        continue
      }
      if !isOwn {
        guard let its = scope(of: orphan) else {
          isSure = false
          continue
        }
        guard its == origin.scope else { continue }
      }
      let descriptor = carrel_pidfd_open(orphan)
      guard descriptor >= 0 else { continue }
      watched[orphan] = descriptor
      if sandbox == nil { registry.add(orphan) }
      loop.watch(descriptor) { [self] in ended(orphan, descriptor) }
    }
    return isSure
  }

  /// - Returns: The scope of an adopted process, empty when it has none; `nil` when that has to be
  ///   seen later.
  private func scope(of orphan: Int32) -> String? {
    let environment = ProcessTable.environment(of: orphan)
    // In a sandbox there is nobody else's.
    let unmarked = sandbox == nil ? "" : origin.scope
    if let environment, !environment.isEmpty {
      return environment[SupervisedProcess.scopeVariable] ?? unmarked
    }
    if undecidedLooks < Self.maxUndecidedLooks, !registry.isOpaque(orphan) { return nil }
    // It has none, or it may not be read (proc_pid_environ(5)). Later ones need not wait for that.
    if sandbox == nil { registry.markOpaque(orphan) }
    return unmarked
  }

  private func ended(_ orphan: Int32, _ descriptor: Int32) {
    if sandbox == nil {
      var status: Int32 = -1
      var signal: Int32 = -1
      guard carrel_reap(orphan, &status, &signal) != 0 else { return }
      registry.remove(orphan)
    }
    loop.unwatch(descriptor)
    close(descriptor)
    watched[orphan] = nil
    guard !isLookComing else { return }
    // Many end at once: what they have left is looked for once, when all of them have been heard.
    isLookComing = true
    loop.after(0) { [self] in
      isLookComing = false
      let known = watched.count
      look()
      if watched.isEmpty { return finish() }
      if isEnding, watched.count > known { endAll() }
    }
  }

  /// Names and kills all at once, also those that still have a parent.
  private func endAll() {
    look()
    leaveAloneWhatStarts()
    var parents = Array(watched.keys)
    var seen = Set(parents)
    for orphan in parents { name(orphan) }
    while let parent = parents.popLast() {
      for child in ProcessTable.children(of: parent) where seen.insert(child).inserted {
        if killDescendant(child, of: parent) { parents.append(child) }
      }
      guard let descriptor = watched[parent] else { continue }
      _ = carrel_pidfd_signal(descriptor, SIGKILL)
      killed.insert(parent)
    }
    loop.cancel(timer)
    if watched.isEmpty { return finish() }
    timer = loop.after(Self.again) { [self] in endAll() }
  }

  /// What the first process of a sandbox has just started is known to it a moment later; until then
  /// it looks like something that was left behind.
  private func leaveAloneWhatStarts() {
    guard let sandbox else { return }
    let orphans = Set(sandbox.orphans())
    for (process, descriptor) in watched where !orphans.contains(process) {
      loop.unwatch(descriptor)
      close(descriptor)
      watched[process] = nil
    }
  }

  /// - Returns: Whether it is there.
  private func killDescendant(_ process: Int32, of parent: Int32) -> Bool {
    let descriptor = carrel_pidfd_open(process)
    guard descriptor >= 0 else { return false }
    defer { close(descriptor) }
    // The number may belong to somebody else by now.
    guard ProcessTable.state(of: process)?.parent == parent else { return false }
    name(process)
    killed.insert(process)
    return carrel_pidfd_signal(descriptor, SIGKILL) == 0
  }

  /// Notes what a process is, as long as it is there.
  private func name(_ process: Int32) {
    guard leaks[process] == nil, let status = ProcessTable.status(of: process),
      !status.isZombie
    else { return }
    if origin.wasKilled, status.session == origin.pid || status.group == origin.pid { return }
    let sequence = ProcessTable.environment(of: process)?["CARREL_TEST_SEQUENCE"]
    let (socketNumbers, pipeNumbers) = ProcessTable.openEnds(of: process)
    let pipes = origin.pipes.filter { pipeNumbers.contains($0.key) }.values
    leaks[process] = Leak(
      process: LeakedProcess(
        pid: process, command: ProcessTable.command(of: process),
        pipes: LeakedProcess.Pipe.allCases.filter { pipes.contains($0) },
        sockets: listening(process, socketNumbers)),
      insidePID: ProcessTable.innermostPID(of: process),
      sequence: sequence.flatMap { Int($0, radix: 16) } ?? 0)
  }

  private func listening(_ process: Int32, _ inodes: Set<UInt64>) -> [LeakedProcess.Socket] {
    guard !inodes.isEmpty else { return [] }
    let namespace = ProcessTable.networkNamespace(of: process)
    let known = sockets[namespace] ?? ListeningSockets(networkOf: process)
    sockets[namespace] = known
    return known.among(inodes)
  }

  private func finish() {
    loop.cancel(timer)
    // A look that was arranged before may find the same.
    guard !isFinished else { return }
    isFinished = true
    onEnd(leaks.values.sorted { $0.process.pid < $1.process.pid })
  }
}
