import CSystem
import Glibc
package import IntentWire
package import RunModel
import SearchIndex
package import Workers

/// The broker of one batch between tests, apps and the index: it starts apps on first use, passes
/// calls on, limits them, and writes the journal.
///
/// It lives on one event loop: the orchestrator's, or that of a thread of a test process when there
/// is no orchestrator. The protocol is in docs/protocol.md.
package final class IntentSystem {
  package struct Configuration {
    /// Where tests and apps connect to.
    package var socketPath: String
    /// The same as apps see it.
    package var seenSocketPath: String
    /// The file of the index.
    package var indexPath: String
    package var apps: [InstalledApp]
    /// What is wrong with other executables; told when an app is not found.
    package var problems: [AppProblem] = []
    /// Why apps must not be called, by their bundle identifiers: every call of one fails with it.
    package var faults: [String: WireError] = [:]
    /// Whether the apps were built for release; `nil` when that is not known.
    package var isReleaseBuild: Bool?
    /// Variables of the apps' processes.
    package var environment: [String: String]
    /// Working directory of the apps' processes.
    package var directory: String?
    /// Where the apps' processes are started; `nil` when they see what Carrel sees.
    package var sandbox: Sandbox?
    /// Marks the apps' processes, each with a number of its own; see ``ProcessRequest/scope``.
    package var scope: String
    /// What runs the apps, for the journal.
    package var runtime: String
    package var fixtureToken: String?
    /// Seconds that an app has for one call.
    package var callLimit = 30.0
    /// How that limit can be changed, for people.
    package var callLimitAdvice: String?
    /// Seconds from the start of an app's process to its hello.
    package var startLimit = 20.0
    /// Seconds from an app's update of the index to the time it can be found.
    package var indexDelay = 0.0
    /// What apps shall have been compiled with; `nil` when that does not matter.
    package var expectedCompiler: ExpectedCompiler?
    /// What the apps' processes may use; `nil` for what the caller may.
    package var limits: ProcessLimits?
    /// Called for each call that was answered.
    package var onJournal: ((JournalEntry) -> Void)?
    /// Called with the bundle identifier of an app and what its process writes.
    package var onHostOutput: ((String, UnsafeRawBufferPointer) -> Void)?
    /// Called with processes that an app's process has left behind.
    package var onLeaks: (([LeakedProcess]) -> Void)?
    /// Called when an app's process has ended while it had nothing to answer.
    package var onStrayEnd: ((WireError) -> Void)?
    /// Called with why an app's process is about to be ended: it does not answer. The process lives
    /// until the handler calls what it is given.
    package var onHang: ((String, @escaping () -> Void) -> Void)?
    /// Called when a call could not be made because of the app's surroundings: it is one of
    /// ``faults``, or ``problems`` keep it from being called.
    package var onFault: ((WireError) -> Void)?
    /// Called when the index is asked while updates cannot be found yet, with their number and what
    /// was asked for.
    package var onPendingUpdates: ((Int, String) -> Void)?

    package init(
      socketPath: String, indexPath: String, apps: [InstalledApp],
      environment: [String: String], directory: String? = nil, scope: String, runtime: String,
      fixtureToken: String? = nil
    ) {
      self.socketPath = socketPath
      seenSocketPath = socketPath
      self.indexPath = indexPath
      self.apps = apps
      self.environment = environment
      self.directory = directory
      self.scope = scope
      self.runtime = runtime
      self.fixtureToken = fixtureToken
    }
  }

  /// Seconds that a process which has closed its connection gets to end by itself.
  static let endGrace = 0.5
  /// Connections at once; more are refused.
  static let maximumConnections = 128
  /// Bytes that all connections together may keep; whoever goes beyond is cut off.
  static let maximumBuffered = 256 << 20

  let configuration: Configuration
  let loop: EventLoop
  private let registry: ProcessRegistry
  private let listener: Int32
  private(set) var slots: [String: AppSlot] = [:]
  let index: IndexService
  private var peers: [ObjectIdentifier: Peer] = [:]
  private var state = State.running
  private var onStopped: [() -> Void] = []
  private var hostsStarted = 0

  private enum State {
    case running
    /// Apps are being ended.
    case stopping
    /// Nothing is left but this object.
    case stopped
  }

  /// Makes the socket and begins to listen.
  ///
  /// - Throws: ``WireError`` with the code `systemUnreachable` or `internalError`.
  package init(
    _ configuration: Configuration, loop: EventLoop, registry: ProcessRegistry
  ) throws(WireError) {
    self.configuration = configuration
    self.loop = loop
    self.registry = registry
    do throws(SearchIndexError) {
      index = IndexService(
        try SearchIndex(path: configuration.indexPath), loop: loop, delay: configuration.indexDelay)
    } catch {
      throw WireError(.internalError, "\(error)")
    }
    listener = try UnixSocket.listen(at: configuration.socketPath)
    for app in configuration.apps {
      slots[app.bundleIdentifier] = AppSlot(app, system: self)
    }
    loop.watch(listener) { [unowned self] in accept() }
  }

  deinit { if state == .running { closeListener() } }

  /// Ends all apps and connections, and closes the index; later calls wait for the same end.
  ///
  /// - Parameters:
  ///   - closesIndex: Whether the index is closed with everything in it that apps have told;
  ///     otherwise ``closeIndex(settling:)`` has to be called.
  ///   - onStopped: Called once when no process is left, at once when that is so already. Socket
  ///     and index are closed then, and another system can be made in their place.
  package func stop(closesIndex: Bool = true, _ onStopped: @escaping () -> Void) {
    let onStopped = { [index] in
      if closesIndex { index.close(settling: true) }
      onStopped()
    }
    guard state != .stopped else { return onStopped() }
    self.onStopped.append(onStopped)
    guard state == .running else { return }
    state = .stopping
    closeListener()
    for slot in slots.values { slot.stop() }
    for peer in Array(peers.values) { peer.close() }
    noteEnd()
  }

  /// Closes the index of a system that has stopped.
  ///
  /// - Parameter settling: Whether updates that cannot be found yet are to be in the file.
  package func closeIndex(settling: Bool) { index.close(settling: settling) }

  private func closeListener() {
    loop.unwatch(listener)
    close(listener)
    unlink(configuration.socketPath)
  }

  /// Asks an app for the simplest of all answers.
  ///
  /// - Parameter handler: Is given why there is none; `nil` when it came.
  package func probe(_ bundleIdentifier: String, then handler: @escaping (WireError?) -> Void) {
    guard let slot = slots[bundleIdentifier] else {
      return handler(WireError(.unknownApp, "\(bundleIdentifier) is not present"))
    }
    slot.enqueue(
      .init(method: "host.probe", parameters: ["bundle": .string(bundleIdentifier)]) { result in
        if case .failure(let error) = result { handler(error) } else { handler(nil) }
      })
  }

  /// What went wrong when apps told the index something, and whether the surroundings are at fault;
  /// `nil` when nobody needs to be told.
  package var indexFault: (error: WireError, isOfSurroundings: Bool)? { index.fault }

  /// A call that an app is answering now, for people: `CreateNote of com.example.Notes`.
  package var openCall: String? {
    slots.sorted { $0.key < $1.key }.lazy.compactMap { bundle, slot in
      slot.openCall.map { "\($0) of \(bundle)" }
    }.first
  }

  /// The apps' processes that run now, in the order of the bundle identifiers.
  package var hostProcesses: [(bundle: String, pid: Int32)] {
    slots.sorted { $0.key < $1.key }.compactMap { bundle, slot in
      slot.process.map { (bundle, $0.pid) }
    }
  }

  /// The end of what an app's process wrote.
  package func log(of bundleIdentifier: String) -> String? { slots[bundleIdentifier]?.logText }

  func noteEnd() {
    guard state == .stopping, slots.values.allSatisfy(\.isIdle) else { return }
    state = .stopped
    index.stop()
    // Each of them has this object's lifetime.
    slots = [:]
    let handlers = onStopped
    onStopped = []
    for handler in handlers { handler() }
  }

  /// Number of open connections.
  var connections: Int { peers.count }

  func startHost(
    _ app: InstalledApp, token: String,
    onOutput: @escaping (ProcessStream, UnsafeRawBufferPointer) -> Void,
    onEnd: @escaping (ProcessEnd) -> Void
  ) throws(WorkersError) -> SupervisedProcess {
    var environment = configuration.environment
    environment["CARREL_INTENT_SOCKET"] = configuration.seenSocketPath
    environment["CARREL_INTENT_TOKEN"] = token
    environment["CARREL_FIXTURE_TOKEN"] = configuration.fixtureToken
    let request = ProcessRequest(
      executable: app.executable, arguments: [], environment: environment,
      directory: configuration.directory, scope: "\(configuration.scope)-\(hostsStarted)",
      limits: configuration.limits)
    hostsStarted += 1
    let noteEnd = { [weak self] (end: ProcessEnd, leaks: [Leak]) in
      if !leaks.isEmpty { self?.configuration.onLeaks?(leaks.map(\.process)) }
      onEnd(end)
      self?.noteEnd()
    }
    if let sandbox = configuration.sandbox {
      return try SupervisedProcess(
        request, in: sandbox, loop: loop, registry: registry, onOutput: onOutput, onEnd: noteEnd)
    }
    return try SupervisedProcess(
      request, loop: loop, registry: registry, onOutput: onOutput, onEnd: noteEnd)
  }

  private func accept() {
    while true {
      let descriptor = carrel_accept(listener)
      guard descriptor >= 0 else {
        // Without a descriptor left the connection stays where it is, and would be told for ever.
        if errno == EMFILE || errno == ENFILE { pauseListening() }
        return
      }
      let peer = Peer(
        descriptor: descriptor, loop: loop,
        isTooMuch: { [unowned self] in
          peers.values.reduce(0) { $0 + $1.buffered } > Self.maximumBuffered
        },
        onMessage: { [unowned self] in take($1, from: $0) },
        onClose: { [unowned self] peer in
          peers[ObjectIdentifier(peer)] = nil
          if case .host(let slot) = peer.role { slot.disconnected(peer) }
        })
      guard peers.count < Self.maximumConnections else {
        let refusal = WireError(
          .invalidRequest, "there are \(Self.maximumConnections) connections already")
        peer.send(.failure(id: nil, refusal))
        peer.close()
        continue
      }
      peers[ObjectIdentifier(peer)] = peer
    }
  }

  private func pauseListening() {
    loop.unwatch(listener)
    loop.after(0.1) { [weak self] in
      guard let self, state == .running else { return }
      loop.watch(listener) { [unowned self] in accept() }
    }
  }
}
