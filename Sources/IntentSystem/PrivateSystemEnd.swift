import CSystem
import Glibc
import IntentWire
import RunModel
import Synchronization
import SystemFiles
import Workers

/// The end of a private system, when its process exits: apps end, what they have left behind is
/// named and killed, and the container is removed.
///
/// The system's thread never ends by itself; a process that is killed leaves this to the watchdog.
enum PrivateSystemEnd {
  private struct Plan {
    var root: String
    var scope: String
    /// The end of a pipe whose other one the system's loop watches.
    var request: Int32
  }

  private static let plan = Mutex<Plan?>(nil)
  private static let hasStopped = Semaphore()
  /// Seconds that apps may take to end; they get half a second to do so by themselves.
  private static let patience = 3

  /// - Throws: ``WireError`` with the code `internalError` when there is no pipe.
  static func arrange(
    _ system: IntentSystem, loop: EventLoop, root: String, scope: String
  ) throws(WireError) {
    var ends: [Int32] = [-1, -1]
    guard carrel_pipe(&ends) == 0 else {
      throw WireError(.internalError, "there is no pipe: \(String(cString: strerror(errno)))")
    }
    let asked = ends[0]
    loop.watch(asked) { [unowned loop] in
      loop.unwatch(asked)
      system.stop { hasStopped.signal() }
    }
    plan.withLock { $0 = Plan(root: root, scope: scope, request: ends[1]) }
    atexit { PrivateSystemEnd.run() }
  }

  private static func run() {
    let known = plan.withLock { plan in
      defer { plan = nil }
      return plan
    }
    guard let plan = known else { return }
    // A copy of the process by fork(2) has no thread that could stop anything, and nothing to end.
    guard plan.scope.hasPrefix("private-\(getpid())-") else { return }
    if write(plan.request, [0], 1) == 1 { _ = hasStopped.wait(seconds: patience) }
    let ended = endMarked(plan.scope)
    if !ended.isEmpty {
      let list = ended.map { "\($0.pid) (\($0.command))" }.joined(separator: ", ")
      let what = ended.count == 1 ? "a process, which was" : "processes, which were"
      try? writeAll(
        Array("the apps have left behind \(what) ended: \(list)\n".utf8), to: STDERR_FILENO)
    }
    removeTree(plan.root)
  }

  /// Kills every process that has inherited the mark of a scope.
  private static func endMarked(_ scope: String) -> [(pid: Int32, command: String)] {
    var ended: [Int32: String] = [:]
    // What was killed may have started another one before.
    for _ in 0..<20 {
      var isClean = true
      for process in ProcessTable.all() where process != getpid() {
        let descriptor = carrel_pidfd_open(process)
        guard descriptor >= 0 else { continue }
        defer { close(descriptor) }
        guard let its = ProcessTable.environment(of: process)?[SupervisedProcess.scopeVariable],
          its.hasPrefix("\(scope)-")
        else { continue }
        let command = ProcessTable.command(of: process)
        guard carrel_pidfd_signal(descriptor, SIGKILL) == 0 else { continue }
        isClean = false
        ended[process] = ended[process] ?? command
        var wait = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        _ = poll(&wait, 1, 1000)
      }
      if isClean { break }
    }
    return ended.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
  }
}
