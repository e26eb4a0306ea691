import Evidence
import IntentSystem
import IntentWire
import RunModel
import Workers

/// The intent system of one batch, with what becomes evidence: the journal of its calls and what
/// its apps wrote.
///
/// A batch that calls apps has one test, so everything belongs to one attempt.
final class BatchIntents {
  /// Bytes of the journal that are kept for a bundle.
  private static let journalBytes = 4 << 20

  private var system: IntentSystem?
  private let run: IntentRun
  private let record: RunRecord
  private let test: TestID
  private let attempt: Int
  private var logs: [String: CappedLog] = [:]
  /// Called when an app writes something, and when it has answered a call.
  var onOutput: (() -> Void)?
  private var finished: [AppLog]?
  /// The first lines of the journal, within the limit.
  private(set) var journal: [UInt8] = []
  /// Lines that did not fit.
  private(set) var journalRest = 0
  /// The last call of an intent, or the last call of all.
  private(set) var lastCall: JournalEntry?
  /// Bundle identifiers of the apps that were called.
  private(set) var calledApps: Set<String> = []
  /// Processes of apps that ended while they had nothing to answer.
  private var strayEnds: [WireError] = []
  /// Why a call could not be made, when neither the test nor the app is at fault.
  private(set) var fault: EnvironmentFault?
  /// What the test was told of an index that was not up to date, for people.
  private(set) var pendingNote: String?
  /// Called with why an app's process is about to be ended for its silence; see
  /// ``IntentSystem/Configuration/onHang``.
  var onHang: ((String, @escaping () -> Void) -> Void)?
  /// Processes that the apps' processes have left behind.
  private(set) var leaks: [LeakedProcess] = []
  /// The call that an app is answering now, for people: `CreateNote of com.example.Notes`.
  var openCall: String? { system?.openCall }

  /// The apps' processes that run now.
  var processes: [(bundle: String, pid: Int32)] { system?.hostProcesses ?? [] }

  /// What the test is charged with besides what its own calls told it, with the apps' words.
  var complaints: [String] {
    var complaints = strayEnds.map {
      $0.message + ($0.log.map { "\n" + condensingBacktraces(in: $0) } ?? "")
    }
    if let fault = system?.indexFault, !fault.isOfSurroundings {
      complaints.append(fault.error.message)
    }
    return complaints
  }

  /// What the surroundings did to the index: the disk is full.
  var faultOfSurroundings: String? {
    system?.indexFault.flatMap { $0.isOfSurroundings ? $0.error.message : nil }
  }
  let fixtureToken: String
  /// The variables that the test's process needs besides those of its container.
  let variables: [String: String]

  /// Begins to listen.
  ///
  /// - Parameters:
  ///   - environment: That of the apps' processes.
  ///   - scope: Marks the apps' processes.
  ///   - sandbox: Where they are started.
  ///   - limits: What the apps' processes may use.
  ///   - faults: Why apps cannot be called, by bundle identifier.
  /// - Throws: ``WireError`` when the socket or the index cannot be used.
  init(
    _ run: IntentRun, test: TestID, attempt: Int, container: Container,
    environment: [String: String], scope: String, sandbox: Sandbox?, supervisor: Supervisor,
    record: RunRecord, limits: ProcessLimits? = nil, faults: [String: WireError] = [:]
  ) throws(WireError) {
    self.run = run
    self.record = record
    self.test = test
    self.attempt = attempt
    let token = FixtureToken.make(seed: run.seed, test: test)
    fixtureToken = token
    var configuration = run.systemConfiguration(
      container: container, environment: environment, scope: scope, fixtureToken: token)
    configuration.sandbox = sandbox
    variables = [
      "CARREL_INTENT_SOCKET": configuration.seenSocketPath, "CARREL_FIXTURE_TOKEN": token,
    ]
    configuration.limits = limits
    let inbox = Inbox()
    configuration.onJournal = { inbox.owner?.take($0) }
    configuration.onHostOutput = { inbox.owner?.take($0, $1) }
    configuration.onLeaks = { inbox.owner?.leaks += $0 }
    configuration.onStrayEnd = { inbox.owner?.strayEnds.append($0) }
    configuration.faults = faults
    configuration.onFault = { error in
      guard let owner = inbox.owner else { return }
      owner.fault = owner.fault ?? EnvironmentFault(error)
    }
    configuration.onHang = { reason, goOn in
      if let onHang = inbox.owner?.onHang { onHang(reason, goOn) } else { goOn() }
    }
    configuration.onPendingUpdates = { inbox.owner?.note(pending: $0, $1) }
    system = try IntentSystem(
      configuration, loop: supervisor.loop, registry: supervisor.registry)
    inbox.owner = self
  }

  /// What the system's handlers hold instead of their owner.
  private final class Inbox {
    weak var owner: BatchIntents?
  }

  /// Calls the seed intent when it is to be called before each attempt.
  ///
  /// - Parameter handler: Is given why that failed.
  func seed(then handler: @escaping (EnvironmentFault?) -> Void) {
    guard let system, let call = run.options.seed, !call.isShared else { return handler(nil) }
    call.perform(in: system) { [self] fault in
      // Only what the test calls is told about it.
      lastCall = nil
      handler(fault)
    }
  }

  /// Ends the apps.
  ///
  /// - Parameter onStopped: Called once when no process is left.
  func stop(_ onStopped: @escaping () -> Void) {
    guard let system else { return onStopped() }
    system.stop(closesIndex: false, onStopped)
  }

  /// Closes the index when the apps have ended.
  ///
  /// - Parameter isEvidence: Whether somebody will look into it, so that everything which apps have
  ///   told has to be there.
  func closeIndex(isEvidence: Bool) {
    system?.closeIndex(settling: isEvidence)
    system = nil
  }

  /// Finishes the apps' logs.
  func finishLogs() -> [AppLog] {
    if let finished { return finished }
    let references = logs.sorted { $0.key < $1.key }.compactMap { bundle, log -> AppLog? in
      do {
        return try log.finish().map { AppLog(bundleIdentifier: bundle, log: $0) }
      } catch {
        run.onWriteFailure?("\(error)")
        return nil
      }
    }
    finished = references
    return references
  }

  private func note(pending: Int, _ question: String) {
    pendingNote =
      "\(pending) index \(pending == 1 ? "update was" : "updates were") pending when the index was "
      + "asked for \(question); waitUntilIndexed() waits for them"
  }

  private func take(_ entry: JournalEntry) {
    onOutput?()
    calledApps.insert(entry.bundleIdentifier)
    if entry.intent != nil || lastCall?.intent == nil { lastCall = entry }
    let own: [WireJSON.Member] = [
      .init("test", .string("\(test)")), .init("attempt", .int(Int64(attempt))),
    ]
    let line = WireJSON.object(own + (entry.json.members ?? [])).bytes + [10]
    run.write(line)
    if journalRest == 0, journal.count + line.count <= Self.journalBytes {
      journal += line
    } else {
      journalRest += 1
    }
  }

  private func take(_ bundle: String, _ bytes: UnsafeRawBufferPointer) {
    onOutput?()
    let log: CappedLog
    if let known = logs[bundle] {
      log = known
    } else {
      log = record.makeLog(test, attempt: attempt, stream: "app-\(logs.count + 1)")
      logs[bundle] = log
    }
    log.append(bytes)
  }
}
