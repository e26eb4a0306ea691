import IntentWire
import RunModel
import SystemFiles
import Workers

/// An app of a batch: its process, when there is one, and the calls that wait for it.
///
/// Calls are passed on one at a time, so that a process that dies or hangs is charged to the call
/// that it was answering.
final class AppSlot {
  /// A call on its way to the app.
  struct Call {
    var method: String
    var parameters: WireJSON
    /// Bytes of the message that it came in.
    var size = 0
    /// Told the app's answer, or why there is none.
    var onAnswer: (Result<WireJSON, WireError>) -> Void
  }

  private enum State {
    case idle
    /// The process was started and has not said hello.
    case starting(SupervisedProcess)
    case ready(SupervisedProcess, Peer)
    /// It is being ended; the next one is started when it is gone.
    case ending(SupervisedProcess)
  }

  /// Calls that may wait for an app.
  static let maximumQueue = 4096
  /// Bytes of the calls that may wait for an app.
  static let maximumQueuedBytes = 64 << 20

  let app: InstalledApp
  /// Proves that a connection is from the process that was started.
  private(set) var token = ""
  private unowned let system: IntentSystem
  private var state = State.idle
  private var queue: [Call] = []
  /// Bytes of the calls in it.
  private var queuedBytes = 0
  private var current: Call?
  private var nextID = 1
  /// When the current call was passed on.
  private var answeringSince = 0.0
  private var timer: EventLoop.Timer?
  /// Why the process is being ended.
  private var blame: WireError?
  private var log = HostLog()
  private var isStopping = false
  private var endedByItself = false
  /// Whether the process has ended and is asked nothing more.
  private var isOver = false
  /// Whether the process has said hello.
  private var hasConnected = false

  init(_ app: InstalledApp, system: IntentSystem) {
    self.app = app
    self.system = system
  }

  /// The app's process, if there is one.
  var process: SupervisedProcess? {
    switch state {
    case .idle: nil
    case .starting(let process), .ready(let process, _), .ending(let process): process
    }
  }

  /// The end of what the app's process wrote.
  var logText: String { log.text }

  func enqueue(_ call: Call) {
    guard !isStopping else { return call.onAnswer(.failure(Self.stopped)) }
    guard queue.count < Self.maximumQueue, queuedBytes + call.size <= Self.maximumQueuedBytes else {
      return call.onAnswer(
        .failure(
          WireError(
            .invalidRequest,
            "\(queue.count) calls of \(queuedBytes) bytes wait for \(app.bundleIdentifier); "
              + "\(Self.maximumQueue) of \(Self.maximumQueuedBytes) bytes can")))
    }
    queue.append(call)
    queuedBytes += call.size
    goOn()
  }

  /// Whether a connection is that of the process that runs now.
  func isCurrent(_ peer: Peer) -> Bool {
    guard case .ready(_, let own) = state else { return false }
    return own === peer
  }

  private func takeNext() -> Call {
    let next = queue.removeFirst()
    queuedBytes -= next.size
    return next
  }

  /// The process has connected and says which app it is.
  ///
  /// - Returns: Why it cannot be used.
  func connected(_ peer: Peer, _ bundleIdentifier: String?) -> WireError? {
    guard case .starting(let process) = state else {
      return WireError(.invalidRequest, "no process of \(app.bundleIdentifier) is expected")
    }
    guard bundleIdentifier == app.bundleIdentifier else {
      let name = bundleIdentifier.map { "it is \($0)" } ?? "it has no bundle identifier"
      return WireError(
        .appNotStarted, "the process of \(app.bundleIdentifier) says of itself that \(name)")
    }
    system.loop.cancel(timer)
    hasConnected = true
    state = .ready(process, peer)
    // After the answer to its hello, which is sent by the caller.
    system.loop.after(0) { [weak self] in self?.goOn() }
    return nil
  }

  /// The process that is being started cannot be used.
  func refuse(_ reason: WireError) {
    if case .starting = state { end(reason) }
  }

  /// The process has answered, or said something that nobody understands.
  ///
  /// - Parameter peer: The connection; one of an earlier process counts for nothing.
  func take(_ message: Result<WireMessage, WireError>, from peer: Peer) {
    // What comes after the limit has passed counts for nothing.
    guard case .ready(_, let own) = state, own === peer, blame == nil else { return }
    switch message {
    case .success(.result(let id, let value)) where current != nil && id == nextID - 1:
      if let method = current?.method, let problem = problem(with: value, to: method) {
        end(
          .init(
            .appSpeaksOtherwise,
            "\(app.bundleIdentifier) answered '\(method)' with what nobody understands: \(problem)"
          ))
      } else {
        finish(.success(value))
      }
    case .success(.failure(let id?, let error)) where current != nil && id == nextID - 1:
      finish(.failure(error))
    case .success(let message):
      end(
        .init(
          .appSpeaksOtherwise,
          "\(app.bundleIdentifier) sent a message that answers no call: \(Self.kind(message))"))
    case .failure(let error):
      end(
        .init(
          .appSpeaksOtherwise,
          "\(app.bundleIdentifier) sent what nobody understands: \(error.message)"
        ))
    }
  }

  /// The process has closed its connection; it gets a moment to end by itself, for its own status.
  func disconnected(_ peer: Peer) {
    guard case .ready(let process, let own) = state, own === peer else { return }
    state = .ending(process)
    system.loop.cancel(timer)
    timer = system.loop.after(IntentSystem.endGrace) { [weak self] in
      guard let self else { return }
      self.blame =
        self.blame
        ?? WireError(
          .appEnded, "\(self.app.bundleIdentifier) closed its connection; its process was ended")
      process.terminate(grace: 0)
    }
  }

  /// Ends the process, if there is one. One that has nothing to answer gets a moment to end by
  /// itself and to save what it has to.
  func stop() {
    // One that is dead already has ended by itself, although nobody has seen it yet.
    if case .ready(let process, let peer) = state, process.isDead {
      peer.drain()
      endedByItself = true
    }
    isStopping = true
    let waiting = queue
    queue = []
    queuedBytes = 0
    for call in waiting { call.onAnswer(.failure(Self.stopped)) }
    if case .ready(_, let peer) = state, current == nil {
      peer.close()
    } else {
      end(
        current.map { call in
          let time = ((monotonicSeconds() - answeringSince) * 10).rounded() / 10
          return WireError(
            .callerEnded,
            "\(name(of: call)) had not answered after \(time.formattedSeconds), when whoever "
              + "called ended")
        } ?? Self.stopped)
    }
  }

  private static let stopped = WireError(.callerEnded, "the intent system was stopped")

  /// The intent or the kind of call that the app is answering, or is started for.
  var openCall: String? {
    (current ?? queue.first).map { Self.shortName(of: $0) }
  }

  private static func shortName(of call: Call) -> String {
    if let intent = call.parameters["intent"]?.string { return intent }
    if let type = call.parameters["query"]?["type"]?.string { return "the query of \(type)" }
    return "'\(call.method)'"
  }

  /// For people: `CreateNote of com.example.Notes`.
  private func name(of call: Call) -> String {
    "\(Self.shortName(of: call)) of \(app.bundleIdentifier)"
  }

  var isIdle: Bool {
    if case .idle = state { return true }
    return false
  }

  private func goOn() {
    guard current == nil, !isOver, !queue.isEmpty else { return }
    switch state {
    case .idle: start()
    case .starting, .ending: break
    case .ready(_, let peer):
      let next = takeNext()
      current = next
      answeringSince = monotonicSeconds()
      let id = nextID
      nextID += 1
      timer = system.loop.after(system.configuration.callLimit) { [weak self] in self?.hangs() }
      let refusal = peer.send(
        .request(id: id, method: next.method, parameters: next.parameters),
        "call of '\(next.method)'")
      if let refusal { finish(.failure(refusal)) }
    }
  }

  private func start() {
    token = randomText(32)
    log = HostLog()
    blame = nil
    hasConnected = false
    do throws(WorkersError) {
      let process = try system.startHost(
        app, token: token,
        onOutput: { [weak self] stream, bytes in
          guard let self else { return }
          self.log.append(bytes)
          self.system.configuration.onHostOutput?(self.app.bundleIdentifier, bytes)
        }, onEnd: { [weak self] end in self?.processEnded(end) })
      state = .starting(process)
      timer = system.loop.after(system.configuration.startLimit) { [weak self] in
        guard let self else { return }
        self.end(
          WireError(
            .appNotStarted,
            "\(app.bundleIdentifier) did not connect within "
              + "\(system.configuration.startLimit.formattedSeconds) of its start"))
      }
    } catch {
      let failure = WireError(
        .appNotStarted, "\(app.bundleIdentifier) cannot be started: \(error)")
      while !queue.isEmpty { failNext(failure) }
    }
  }

  /// The limit of the current call has passed: the process is ended when somebody has looked at it.
  private func hangs() {
    guard case .ready(let process, _) = state, let current else { return }
    let limit = system.configuration.callLimit.formattedSeconds
    let advice = system.configuration.callLimitAdvice.map { "; \($0)" } ?? ""
    let reason = WireError(
      .appHangs,
      "\(name(of: current)) did not answer within \(limit); its process was ended\(advice)")
    blame = reason
    let goOn = { [weak self] in
      guard let self, case .ready(let now, _) = state, now === process else { return }
      end(reason)
    }
    system.configuration.onHang.map { $0(reason.message, goOn) } ?? goOn()
  }

  /// Ends the process and charges the reason to the current call.
  private func end(_ reason: WireError) {
    blame = blame ?? reason
    switch state {
    case .idle: break
    case .starting(let process), .ending(let process):
      system.loop.cancel(timer)
      state = .ending(process)
      process.terminate(grace: 0)
    case .ready(let process, let peer):
      system.loop.cancel(timer)
      state = .ending(process)
      // Whoever else has the connection: nothing it says counts any more.
      peer.close()
      process.terminate(grace: 0)
    }
  }

  private func processEnded(_ end: ProcessEnd) {
    isOver = true
    var connection: Peer?
    if case .ready(_, let peer) = state { connection = peer }
    // An answer that it gave before its end counts.
    connection?.drain()
    system.loop.cancel(timer)
    var error =
      blame
      ?? WireError(
        hasConnected ? .appEnded : .appNotStarted,
        "the process of \(app.bundleIdentifier) ended with \(end)"
          + (!hasConnected
            ? " before it connected"
            : current.map { " before it answered \(Self.shortName(of: $0))" }
              ?? " while it had nothing to answer"))
    error.log = log.text.isEmpty ? nil : log.text
    state = .idle
    // Whoever else has the connection: nothing it says counts any more.
    connection?.close()
    isOver = false
    if current != nil {
      finish(.failure(error))
    } else if !hasConnected {
      failNext(error)
    } else if !isStopping || endedByItself {
      system.configuration.onStrayEnd?(error)
    }
    goOn()
  }

  private func failNext(_ error: WireError) {
    guard !queue.isEmpty else { return }
    takeNext().onAnswer(.failure(error))
  }

  private func finish(_ result: Result<WireJSON, WireError>) {
    guard let call = current else { return }
    system.loop.cancel(timer)
    current = nil
    call.onAnswer(result)
    goOn()
  }

  private static func kind(_ message: WireMessage) -> String {
    switch message {
    case .request(_, let method, _), .notification(let method, _): "a call of '\(method)'"
    case .result(let id, _): "a result with the id \(id)"
    case .failure(let id, _): "an error with the id \(id.map { "\($0)" } ?? "null")"
    }
  }
}

/// The end of what a process wrote.
struct HostLog {
  /// In bytes; an error has no more of an app's words.
  static let limit = 64 << 10
  private var bytes: [UInt8] = []

  var text: String { String(decoding: bytes.suffix(Self.limit), as: UTF8.self) }

  mutating func append(_ more: UnsafeRawBufferPointer) {
    bytes += more.suffix(Self.limit)
    if bytes.count > 4 * Self.limit { bytes.removeFirst(bytes.count - Self.limit) }
  }
}
