import CSystem
import Glibc
package import RunModel
import SystemFiles

/// A process of a test executable that was loaded once and is copied for each batch.
///
/// See `docs/decisions/0007-warm-start.md`. The copies are children of this process, not of the
/// warm one, and are supervised like every other child.
package final class WarmProcess {
  /// The variable that makes a process a warm one: the number of its control socket.
  static let variable = "CARREL_OBSERVER_WARM"

  private enum State {
    case starting
    case ready
    /// It cannot be used; why.
    case declined(String)
  }

  /// Seconds that a copy may take; it takes milliseconds. A stopped process never answers.
  static let replyLimit = 10.0

  /// Copies that fail one after the other until there are no more.
  private static let mostFailures = 2

  private typealias Start = (pipes: ProcessPipes, then: (StartedProcess?) -> Void)

  private let loop: EventLoop
  private let registry: ProcessRegistry
  private let control: Int32
  private var process: SupervisedProcess?
  private var state = State.starting
  private var hasPrinted = false
  private var failures = 0
  private var waiting: [(String?) -> Void] = []
  private var starts: [Start] = []
  private let replyLimit: Double
  private var replyTimer: EventLoop.Timer?
  private var limitTimer: EventLoop.Timer?
  /// Whether it and all it started are gone.
  package private(set) var isGone = false

  /// Starts the process; ``whenReady(_:)`` tells what came of it.
  ///
  /// - Parameters:
  ///   - request: How the first batch would be started.
  ///   - sandbox: One for copying, of the process's own, which ends with it; `nil` for none.
  ///   - limit: Seconds that it may take until the library is about to run tests.
  ///   - replyLimit: Seconds that a copy may take.
  /// - Throws: ``WorkersError`` with code `launch`.
  package init(
    _ request: ProcessRequest, in sandbox: Sandbox? = nil, limit: Double,
    replyLimit: Double = WarmProcess.replyLimit,
    loop: EventLoop, registry: ProcessRegistry
  ) throws(WorkersError) {
    var sockets: [Int32] = [-1, -1]
    guard carrel_socket_pair(&sockets) == 0 else {
      throw WorkersError(.launch, "cannot make a control socket", errorNumber: errno)
    }
    defer { close(sockets[1]) }
    self.loop = loop
    self.registry = registry
    self.replyLimit = replyLimit
    control = sockets[0]
    var own = request
    own.hasChannel = false
    own.limits = nil
    own.control = sockets[1]
    own.environment = own.environment.filter { !$0.key.hasPrefix("CARREL_OBSERVER_") }
    own.environment[Self.variable] = String(SupervisedProcess.channelDescriptor)
    if let sandbox {
      let kept = carrel_sandbox_capability_set(sandbox.network.value)
      own.environment[Self.variable]? += " " + String(kept, radix: 16)
    }
    own.environment["CARREL_TEST_SEQUENCE"] = "00000000"
    own.environment["LD_BIND_NOW"] = "1"
    // Room for the scopes of the batches, which are shorter.
    own.scope += "-warm" + String(repeating: ".", count: 24)
    do throws(WorkersError) {
      let onOutput = { [unowned self] (_: ProcessStream, _: UnsafeRawBufferPointer) in
        hasPrinted = true
      }
      let onEnd = { [self] (end: ProcessEnd, _: [Leak]) in
        decline(
          process?.launchFailure.map { "\($0)" } ?? "it ended with \(end) before the tests")
        process = nil
        let isEnded = { [self] in isGone = true }
        sandbox?.end(isEnded) ?? isEnded()
      }
      if let sandbox {
        process = try SupervisedProcess(
          own, in: sandbox, loop: loop, registry: registry, onOutput: onOutput, onEnd: onEnd)
      } else {
        process = try SupervisedProcess(
          own, loop: loop, registry: registry, onOutput: onOutput, onEnd: onEnd)
      }
    } catch {
      close(control)
      throw error
    }
    loop.watch(control) { [unowned self] in receive() }
    limitTimer = loop.after(limit) { [unowned self] in
      decline("it did not get to its tests within \(Int(limit)) s")
    }
  }

  deinit { close(control) }

  /// Calls the handler when the process can be copied, or cannot: with the reason. At once when
  /// that is known.
  package func whenReady(_ handler: @escaping (String?) -> Void) {
    switch state {
    case .starting: waiting.append(handler)
    case .ready: handler(nil)
    case .declined(let reason): handler(reason)
    }
  }

  /// Ends the process; batches that it has started are not affected.
  package func end() {
    decline("it was ended")
    process?.terminate(grace: 0)
  }

  /// Whether it can be copied.
  package var isUsable: Bool {
    if case .ready = state { return true }
    return false
  }

  /// Gives up waiting for a process that is not ready, or that has not answered yet.
  package func stopWaiting() {
    if case .starting = state { return end() }
    if !starts.isEmpty { end() }
  }

  /// Limits the time to the answer to the oldest request.
  private func awaitReply() {
    loop.cancel(replyTimer)
    replyTimer = nil
    guard !starts.isEmpty else { return }
    replyTimer = loop.after(replyLimit) { [weak self] in
      self?.decline("it did not answer within the limit for a copy")
    }
  }

  /// Makes a copy for a batch.
  ///
  /// - Parameters:
  ///   - sandbox: That of the batch, which is made; `nil` when it has none.
  ///   - handler: Is given the supervised copy, or `nil` when there is none.
  package func start(
    _ request: ProcessRequest, in sandbox: Sandbox? = nil,
    onOutput: @escaping (ProcessStream, UnsafeRawBufferPointer) -> Void,
    onEnd: @escaping (ProcessEnd, [Leak]) -> Void,
    then handler: @escaping (SupervisedProcess?) -> Void
  ) {
    guard case .ready = state, let pipes = send(request, into: sandbox) else {
      decline("it does not take requests")
      handler(nil)
      return
    }
    registry.expectOrphan()
    starts.append(
      (
        pipes,
        { [loop, registry] started in
          registry.claim(started?.pid)
          handler(
            started.map {
              SupervisedProcess(
                $0, scope: request.scope, in: sandbox, loop: loop, registry: registry,
                onOutput: onOutput,
                onEnd: onEnd)
            })
        }
      ))
    if starts.count == 1 { awaitReply() }
  }

  /// - Returns: The pipes of the copy; `nil` when the request could not be sent.
  private func send(_ request: ProcessRequest, into sandbox: Sandbox?) -> ProcessPipes? {
    let content = request.encoded
    let file = carrel_memory_file(content, content.count)
    guard file >= 0 else { return nil }
    defer { close(file) }
    guard
      let pipes = try? ProcessPipes([.stdout, .stderr, .channel], of: request.executable)
    else { return nil }
    defer { pipes.closeWriters() }
    let groups = request.limits?.groups ?? []
    let descriptors = pipes.writers + [file] + (sandbox.map { [$0.pidfd] } ?? []) + groups
    let network = sandbox?.network.value
    let header = WarmRequest.header(
      namespaces: network.map { carrel_sandbox_namespace_set($0) } ?? 0, groups: groups.count,
      capabilities: network.map { carrel_sandbox_capability_set($0) } ?? 0)
    guard
      carrel_send_message(control, header, header.count, descriptors, descriptors.count) == 0
    else {
      pipes.closeReaders()
      return nil
    }
    return pipes
  }

  private func receive() {
    var bytes = [UInt8](repeating: 0, count: WarmReply.size + 1)
    let count = read(control, &bytes, bytes.count)
    if count < 0 && (errno == EAGAIN || errno == EINTR) { return }
    guard count > 0, let reply = WarmReply(Array(bytes.prefix(count))) else {
      decline("it went away")
      return
    }
    switch reply {
    case .ready(let found): take(found)
    case .started(let pid):
      guard !starts.isEmpty else { return }
      let start = starts.removeFirst()
      awaitReply()
      failures = 0
      let descriptor = carrel_pidfd_open(pid)
      if descriptor >= 0 {
        start.then(StartedProcess(pid: pid, pidfd: descriptor, readers: start.pipes.readers))
      } else {
        start.pipes.closeReaders()
        start.then(nil)
      }
    case .failed(let number):
      failures += 1
      guard failures < Self.mostFailures, !starts.isEmpty else {
        return decline("it cannot be copied: \(errorText(number))")
      }
      // The batch's sandbox may have ended.
      let start = starts.removeFirst()
      awaitReply()
      start.pipes.closeReaders()
      start.then(nil)
    }
  }

  private func take(_ found: WarmState) {
    guard case .starting = state else { return }
    process?.drain()
    if let objection = found.objection {
      decline(objection)
    } else if hasPrinted {
      decline("it prints before the tests run")
    } else {
      state = .ready
      loop.cancel(limitTimer)
      answer(nil)
    }
  }

  /// From now on no copies are made; those that were asked for do not come.
  private func decline(_ reason: String) {
    if case .declined = state { return }
    state = .declined(reason)
    loop.cancel(limitTimer)
    loop.unwatch(control)
    process?.terminate(grace: 0)
    answer(reason)
    let lost = starts
    starts = []
    awaitReply()
    for start in lost {
      start.pipes.closeReaders()
      start.then(nil)
    }
  }

  private func answer(_ reason: String?) {
    let handlers = waiting
    waiting = []
    for handler in handlers { handler(reason) }
  }
}
