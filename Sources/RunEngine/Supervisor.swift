import Glibc
package import RunModel
package import Workers

/// The event loop with the signals that end a run, and processes that are waited for.
package final class Supervisor {
  /// Seconds that processes get to end by themselves after the first signal, at most.
  static let grace = 2.0

  package let loop: EventLoop
  package let registry: ProcessRegistry
  /// Ends the processes when this one is killed; only where all children are this supervisor's.
  package let watchdog: Watchdog?
  /// Name of the signal that asked for the end of the run; also one that came while the loop did
  /// not run.
  package var interruption: String? { first ?? loop.pendingSignal.map { signalName($0) } }
  private var first: String?
  private var signalsSeen = 0
  /// Called for each signal, with the number of signals seen so far; in the loop.
  package var onInterruption: ((Int) -> Void)?
  /// Called with the name of the first signal; in the loop.
  package var onFirstSignal: ((String) -> Void)?

  /// - Parameter ownsAllChildren: Whether this process has no children but those that are started
  ///   here; see ``ProcessRegistry``.
  /// - Throws: ``WorkersError`` when the system has no means left.
  package init(ownsAllChildren: Bool = true) throws(WorkersError) {
    loop = try EventLoop()
    registry = try ProcessRegistry(ownsAllChildren: ownsAllChildren)
    watchdog = ownsAllChildren ? try Watchdog(registry: registry) : nil
    loop.onStop = { [unowned self] in pause() }
    try loop.onSignals(
      [SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGTSTP]
    ) { [unowned self] signal in
      signalsSeen += 1
      if first == nil {
        first = signalName(signal)
        onFirstSignal?(signalName(signal))
      }
      onInterruption?(signalsSeen)
    }
  }

  /// Stops what runs and then this process, as SIGTSTP wants it; goes on when both are continued.
  private func pause() {
    var except: Set<Int32> = []
    if let watchdog { except.insert(watchdog.pid) }
    // One that is stopped before it has asked for a signal at Carrel's end would never end.
    except.formUnion(registry.attendants)
    PausedProcesses.pause(except: except) { EventLoop.stopProcess() }
  }

  /// Does work that may take long on a thread of its own, so that a signal can end the wait for it.
  ///
  /// - Returns: `nil` when a signal came first; nobody waits for the work then.
  package func compute<Value: Sendable>(_ work: @escaping @Sendable () -> Value) -> Value? {
    var result: Value?
    if interruption == nil {
      loop.inBackground(work) { result = $0 }
      loop.run { result != nil || interruption != nil }
    }
    return result
  }

  /// Runs processes side by side to their ends.
  ///
  /// - Parameters:
  ///   - limit: Seconds after which they are killed; `nil` for no limit.
  ///   - onOutput: Called with the index of the process and a piece of its output.
  /// - Returns: How each ended, or why it could not be started.
  package func run(
    _ requests: [ProcessRequest], limit: Double? = nil,
    onOutput: @escaping (Int, ProcessStream, UnsafeRawBufferPointer) -> Void
  ) -> [Result<ProcessEnd, WorkersError>] {
    var results: [Int: Result<ProcessEnd, WorkersError>] = [:]
    var running: [SupervisedProcess] = []
    for (index, request) in requests.enumerated() {
      do throws(WorkersError) {
        let process = try SupervisedProcess(
          request, loop: loop, registry: registry,
          onOutput: { onOutput(index, $0, $1) },
          onEnd: { end, _ in results[index] = .success(end) })
        running.append(process)
      } catch {
        results[index] = .failure(error)
      }
    }
    var timer: EventLoop.Timer?
    if let limit {
      timer = loop.after(limit) { for process in running { process.terminate(grace: 0) } }
    }
    let previous = onInterruption
    onInterruption = { count in
      for process in running { process.terminate(grace: count > 1 ? 0 : Self.grace) }
    }
    loop.run { results.count == requests.count }
    onInterruption = previous
    loop.cancel(timer)
    return requests.indices.map { index in
      guard let result = results[index] else { preconditionFailure("a process is not waited for") }
      return result
    }
  }
}
