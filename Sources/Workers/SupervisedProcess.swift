import CSystem
import Glibc
package import RunModel

/// What to start.
package struct ProcessRequest: Sendable {
  /// Absolute path of the executable.
  package var executable: String
  /// Arguments, without the name of the executable.
  package var arguments: [String]
  package var environment: [String: String]
  /// Working directory; `nil` for the caller's.
  package var directory: String?
  /// Whether the process gets a pipe to the caller as its descriptor 3.
  package var hasChannel: Bool
  /// A descriptor of the caller's that the process gets as its descriptor 3 when it has no channel.
  package var control: Int32?
  /// Descriptors of the caller's that the process gets as 0, 1 and 2 in place of pipes; empty for
  /// pipes.
  package var inherited: [Int32] = []
  /// Whether its descriptor 0 becomes the controlling terminal of its session.
  package var takesTerminal = false
  /// Value of ``SupervisedProcess/scopeVariable`` in the environment: processes that outlive the
  /// started one are recognised by it.
  package var scope: String
  /// What the process may use; `nil` for what the caller may.
  package var limits: ProcessLimits?

  package init(
    executable: String, arguments: [String], environment: [String: String],
    directory: String? = nil, hasChannel: Bool = false, control: Int32? = nil, scope: String,
    limits: ProcessLimits? = nil
  ) {
    self.limits = limits
    self.executable = executable
    self.arguments = arguments
    self.environment = environment
    self.directory = directory
    self.hasChannel = hasChannel
    self.control = control
    self.scope = scope
  }
}

/// A stream from a process to its supervisor.
package enum ProcessStream: Int, Sendable {
  case stdout, stderr, channel
}

/// A leaked process: it outlived the one that was started. With what is known of its origin.
package struct Leak: Sendable, Hashable {
  package var process: LeakedProcess
  /// Its PID as the process that it comes from knows it.
  package var insidePID: Int32
  /// Number of the last boundary between tests when it was started; 0 when unknown.
  package var sequence: Int

  package init(process: LeakedProcess, insidePID: Int32? = nil, sequence: Int) {
    self.process = process
    self.insidePID = insidePID ?? process.pid
    self.sequence = sequence
  }
}

/// One process in a session of its own, read from and watched by an event loop until it and all
/// that it started are gone.
///
/// The end of a pipe is never waited for: whatever still holds it, the process has ended when the
/// kernel says so.
package final class SupervisedProcess {
  /// The variable that marks every process of a scope.
  package static let scopeVariable = "CARREL_SCOPE"
  /// Number of the channel's descriptor in the process.
  package static let channelDescriptor: Int32 = 3

  /// Seconds that processes which are about to end by themselves normally get before they count as
  /// leaked.
  package static let leakGrace = 0.1

  /// Its PID; 0 as long as it was not started in its sandbox.
  package private(set) var pid: Int32
  /// Its PID as it knows it itself.
  package private(set) var insidePID: Int32
  /// Why it could not be started in its sandbox.
  package private(set) var launchFailure: WorkersError?
  /// Where it was started; `nil` when it sees what Carrel sees.
  private let sandbox: Sandbox?
  /// Whether it is a child of this process, and not of the sandbox's first one.
  private let isChild: Bool
  /// Seconds of the monotonic clock.
  package let startTime: Double
  /// Seconds that the first process of a sandbox has to end a process before somebody looks after
  /// it, and between two looks.
  private static let sandboxPatience = 1.0
  /// Looks at the first process of a sandbox that does not tell the end of a process.
  private static let sandboxLooks = 10
  private var isEndAwaited = false
  private let loop: EventLoop
  private let scope: String
  private let registry: ProcessRegistry
  private let leakGrace: Double
  private var pidfd: Int32
  private var readers: [(stream: ProcessStream, descriptor: Int32)] = []
  private let onOutput: (ProcessStream, UnsafeRawBufferPointer) -> Void
  private let onEnd: (ProcessEnd, [Leak]) -> Void
  private var buffer: UnsafeMutableRawBufferPointer
  private var killTimer: EventLoop.Timer?
  private var end: ProcessEnd?
  /// Signals that the supervisor sent to the process.
  package private(set) var sentSignals: [Int32] = []

  /// Starts the process.
  ///
  /// - Parameters:
  ///   - leakGrace: Seconds; see ``leakGrace``.
  ///   - onOutput: Called with each piece of output as it comes.
  ///   - onEnd: Called once, when the process has ended, its output was read, and what it left
  ///     behind was ended too.
  /// - Throws: ``WorkersError`` with code `launch`.
  package convenience init(
    _ request: ProcessRequest, loop: EventLoop, registry: ProcessRegistry,
    leakGrace: Double = SupervisedProcess.leakGrace,
    onOutput: @escaping (ProcessStream, UnsafeRawBufferPointer) -> Void,
    onEnd: @escaping (ProcessEnd, [Leak]) -> Void
  ) throws(WorkersError) {
    self.init(
      try launch(request), scope: request.scope, loop: loop, registry: registry,
      leakGrace: leakGrace, onOutput: onOutput, onEnd: onEnd)
  }

  /// Supervises a child that has been started already; it must lead a session of its own, or be
  /// about to.
  ///
  /// - Parameter sandbox: Where it is; `nil` when it sees what Carrel sees.
  init(
    _ started: StartedProcess, scope: String, in sandbox: Sandbox? = nil, loop: EventLoop,
    registry: ProcessRegistry,
    leakGrace: Double = SupervisedProcess.leakGrace,
    onOutput: @escaping (ProcessStream, UnsafeRawBufferPointer) -> Void,
    onEnd: @escaping (ProcessEnd, [Leak]) -> Void
  ) {
    self.loop = loop
    self.scope = scope
    self.registry = registry
    self.leakGrace = leakGrace
    self.onOutput = onOutput
    self.onEnd = onEnd
    pid = started.pid
    insidePID = sandbox.flatMap { _ in ProcessTable.innermostPID(of: started.pid) } ?? started.pid
    self.sandbox = sandbox
    isChild = true
    pidfd = started.pidfd
    startTime = monotonicSeconds()
    buffer = .allocate(byteCount: 65536, alignment: 16)
    registry.add(pid)
    for (stream, descriptor) in started.readers {
      readers.append((stream, descriptor))
      loop.watch(descriptor) { [unowned self] in readSome(stream, descriptor) }
    }
    loop.watch(pidfd) { [self] in processEnded() }
  }

  /// Starts a process in a sandbox, which it does not outlive.
  ///
  /// A failure to do so is told by `onEnd`, with ``launchFailure``.
  ///
  /// - Throws: ``WorkersError`` with code `launch` when there are no pipes.
  package init(
    _ request: ProcessRequest, in sandbox: Sandbox, loop: EventLoop, registry: ProcessRegistry,
    leakGrace: Double = SupervisedProcess.leakGrace,
    onOutput: @escaping (ProcessStream, UnsafeRawBufferPointer) -> Void,
    onEnd: @escaping (ProcessEnd, [Leak]) -> Void
  ) throws(WorkersError) {
    let streams = try StandardStreams(of: request)
    defer { streams.closeOwnCopies() }
    self.loop = loop
    self.registry = registry
    self.leakGrace = leakGrace
    self.onOutput = onOutput
    self.onEnd = onEnd
    self.sandbox = sandbox
    isChild = false
    scope = request.scope
    (pid, insidePID, pidfd) = (0, 0, -1)
    startTime = monotonicSeconds()
    buffer = .allocate(byteCount: 65536, alignment: 16)
    for (stream, descriptor) in streams.pipes.readers {
      readers.append((stream, descriptor))
      loop.watch(descriptor) { [unowned self] in readSome(stream, descriptor) }
    }
    sandbox.start(
      request.encoded, descriptors: streams.descriptors,
      groups: request.limits?.groups ?? []
    ) { [self] in
      sandboxSays($0)
    }
  }

  private func sandboxSays(_ event: Sandbox.Event) {
    switch event {
    case .started(let inside, let outside, let descriptor):
      (insidePID, pid, pidfd) = (inside, outside, descriptor)
      for signal in sentSignals { sandbox?.signal(inside, signal) }
    case .ended(let end): hasEnded(end)
    case .failed(let error):
      launchFailure = error
      // Whoever started it gets to know the process first.
      loop.after(0) { [self] in hasEnded(.unknown) }
    }
  }

  deinit { buffer.deallocate() }

  /// Asks the process and its group to end, and ends them after the grace time.
  ///
  /// - Parameter grace: Seconds between SIGTERM and SIGKILL; 0 kills at once.
  package func terminate(grace: Double) {
    guard end == nil else { return }
    if grace > 0 && killTimer == nil {
      signalGroup(SIGTERM)
      killTimer = loop.after(grace) { [weak self] in self?.signalGroup(SIGKILL) }
    } else if grace <= 0 {
      loop.cancel(killTimer)
      signalGroup(SIGKILL)
    }
  }

  /// The group cannot belong to somebody else as long as its leader was not reaped.
  private func signalGroup(_ signal: Int32) {
    guard end == nil else { return }
    sentSignals.append(signal)
    if let sandbox, !isChild {
      sandbox.signal(insidePID, signal)
      if signal == SIGKILL && !isEndAwaited { awaitEnd(in: sandbox) }
      return
    }
    _ = killpg(pid, signal)
    _ = carrel_pidfd_signal(pidfd, signal)
  }

  /// Sees to it that a process which was killed ends, although the first process of its sandbox may
  /// be stopped, or busy with what nobody foresaw; the kernel is not.
  ///
  /// Others live in the sandbox. It is ended only when the kernel says that this process has ended,
  /// and the first process, which has to tell it, is stopped or silent for
  /// ``sandboxLooks`` looks.
  private func awaitEnd(in sandbox: Sandbox, looks: Int = 1) {
    isEndAwaited = true
    loop.after(Self.sandboxPatience) { [weak self] in
      // What is gone has ended: the sandbox keeps a process until it has told its end.
      guard let self, end == nil else { return }
      if !isDead {
        if pidfd >= 0 { _ = carrel_pidfd_signal(pidfd, SIGKILL) }
        return awaitEnd(in: sandbox)
      }
      if sandbox.isStopped || looks >= Self.sandboxLooks { return sandbox.end {} }
      awaitEnd(in: sandbox, looks: looks + 1)
    }
  }

  private func readSome(_ stream: ProcessStream, _ descriptor: Int32) {
    let count = read(descriptor, buffer.baseAddress, buffer.count)
    if count > 0 {
      onOutput(stream, UnsafeRawBufferPointer(rebasing: buffer[..<count]))
      if count < 4096 { loop.gotLittle() }
    } else if count == 0 || (errno != EAGAIN && errno != EINTR) {
      loop.unwatch(descriptor)
    }
  }

  /// Reads what is in the pipes now, however fast somebody else goes on writing.
  func drain() {
    for (stream, descriptor) in readers {
      var rest: Int32 = 0
      guard ioctl(descriptor, UInt(FIONREAD), &rest) == 0 else { continue }
      while rest > 0 {
        let count = read(descriptor, buffer.baseAddress, min(buffer.count, Int(rest)))
        if count < 0 && errno == EINTR { continue }
        guard count > 0 else { break }
        rest -= Int32(count)
        onOutput(stream, UnsafeRawBufferPointer(rebasing: buffer[..<count]))
      }
    }
  }

  private func processEnded() {
    guard end == nil else { return }
    var status: Int32 = -1
    var signal: Int32 = -1
    guard carrel_reap(pid, &status, &signal) != 0 else { return }
    registry.remove(pid)
    loop.unwatch(pidfd)
    hasEnded(signal > 0 ? .signaled(signal) : status >= 0 ? .exited(status) : .unknown)
  }

  private func hasEnded(_ end: ProcessEnd) {
    guard self.end == nil else { return }
    drain()
    self.end = end
    loop.cancel(killTimer)
    if pidfd >= 0 { close(pidfd) }
    pidfd = -1
    endLeakedProcesses()
  }

  /// Ends what the process has left behind.
  private func endLeakedProcesses() {
    let origin = LeakedProcesses.Origin(
      pid: pid, scope: scope, wasKilled: sentSignals.contains(SIGKILL), pipes: pipes)
    let leaked = LeakedProcesses(
      of: origin, in: sandbox, grace: leakGrace, loop: loop, registry: registry
    ) { [self] in finish($0) }
    leaked.begin()
  }

  /// The pipes by the numbers that both of their ends have in common.
  private var pipes: [UInt64: LeakedProcess.Pipe] {
    var result: [UInt64: LeakedProcess.Pipe] = [:]
    for (stream, descriptor) in readers {
      var status = stat()
      guard fstat(descriptor, &status) == 0 else { continue }
      result[UInt64(status.st_ino)] =
        switch stream {
        case .stdout: .stdout
        case .stderr: .stderr
        case .channel: .channel
        }
    }
    return result
  }

  /// Whether the process has ended, be it that the loop was not told yet.
  package var isDead: Bool {
    guard end == nil else { return true }
    guard pidfd >= 0 else { return false }
    // Readable once it has (pidfd_open(2)).
    var descriptor = pollfd(fd: pidfd, events: Int16(POLLIN), revents: 0)
    return poll(&descriptor, 1, 0) != 0
  }

  private func finish(_ leaks: [Leak]) {
    guard let end else { return }
    drain()
    for (_, descriptor) in readers {
      loop.unwatch(descriptor)
      close(descriptor)
    }
    readers = []
    onEnd(end, leaks)
  }
}
