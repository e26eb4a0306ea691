import Evidence
import Glibc
import Orchestration
import RunModel
import SwiftTests
import SystemFiles
import Workers

/// One batch while it runs: its container, its process, its logs.
final class BatchRun {
  /// What is left when the process and all it started are gone.
  struct Ended {
    var results: [AttemptResult]
    /// Seconds before the first test started and after the last one ended.
    var startCost: Double?
    /// Seconds from the start of the process to its end.
    var duration: Double
    var end: ProcessEnd?
    /// Tests in the order they were seen to start, also those whose attempts are not recorded.
    var startOrder: [TestID]
    var request: ProcessRequest?
    /// The selection of tests that the process was given in a file.
    var selection: [UInt8]?
    /// What the processes did when a test or a call that hung was ended.
    var hang: [UInt8]?
  }

  let spec: BatchSpec
  let container: Container
  let session: RunSession
  let descriptors: [TestDescriptor]
  var transcript: BatchTranscript
  var process: SupervisedProcess?
  var request: ProcessRequest?
  var logs: [TestID: [ProcessStream: CappedLog]] = [:]
  var startTimes: [TestID: Double] = [:]
  /// The tests that were seen to start, or to be prepared, with the times in seconds since 1970.
  var begun: [(test: TestID, time: Double)] = []
  var outcomes: [TestID: TestOutcome] = [:]
  var intervention: BatchTranscript.Intervention?
  /// Whether the process was started warm.
  var isCopy = false
  var interruptionGrace = 0.0
  var limitTimer: EventLoop.Timer?
  var slowTimer: EventLoop.Timer?
  var silenceTimer: EventLoop.Timer?
  var diskTimer: EventLoop.Timer?
  var threadTimer: EventLoop.Timer?
  /// When something was heard of the test last.
  var lastSign = 0.0
  /// What the batch's processes may use.
  var limits: BatchLimits?
  /// What the kernel had counted against the limits when each test started.
  var limitCounts: [TestID: (memoryKills: Int, refusals: Int)] = [:]
  /// What of it is said of a test already.
  var chargedLimits = (memoryKills: 0, refusals: 0)
  /// What the sandbox's own folders held when the process had ended.
  var privateFolders: [Sandbox.PrivateFolderUse] = []
  var snapshot: HangSnapshot?
  /// The first one of a call that an app did not answer.
  var callSnapshot: HangSnapshot?
  private var watched: (current: TestID?, last: TestID?, started: Int) = (nil, nil, -1)
  var crashReports: [(writtenAt: Double, summary: CrashSummary)] = []
  /// Time of the last change of the evidence folder that was looked at.
  var evidenceChange: [Int] = []
  var firstStart: Double?
  var lastActivity: Double?
  var startedAt = 0.0
  let onEnd: (BatchRun, Ended) -> Void

  init(
    _ spec: BatchSpec, descriptors: [TestDescriptor], session: RunSession, nonce: String,
    onEnd: @escaping (BatchRun, Ended) -> Void
  ) {
    self.spec = spec
    self.descriptors = descriptors
    self.session = session
    self.onEnd = onEnd
    container = session.root.container(worker: spec.worker)
    transcript = BatchTranscript(tests: descriptors, nonce: nonce)
    transcript.surroundings = session.surroundings(of: container)
    self.nonce = nonce
  }

  let nonce: String
  /// Whether the process is asked where Foundation's folders are.
  var checksHomes = false

  /// The test that runs now, with the monotonic time of its start.
  var running: (test: TestID, since: Double)? {
    guard let test = transcript.current, let since = startTimes[test] else { return nil }
    return (test, since)
  }

  /// Whether the test calls apps; it is alone in the batch then.
  var usesIntents: Bool { descriptors.contains(where: \.usesIntents) }
  /// Where the batch's processes are; `nil` when they see what Carrel sees.
  var sandbox: Sandbox?
  /// The intent system of a batch that calls apps.
  var intents: BatchIntents?
  /// What the test's record said; it is written down when the apps have ended.
  var heldOutcome: TestOutcome?
  /// The call that an app was answering when the process ended.
  var openCall: String?
  /// Whether a person uses something in the place of the batch's process.
  var isReplaced = false
  /// The terminal of that.
  var terminal: PseudoTerminal?
  /// When the process ended.
  var endedAt: Double?

  /// Ends the process because the run ends.
  ///
  /// - Parameter reason: Why, as a sentence: `the run was interrupted by SIGINT`.
  func interrupt(because reason: String, grace: Double) {
    if intervention == nil { intervention = .interruption(reason) }
    interruptionGrace = grace
    if process == nil, usesIntents {
      session.intents.cancel(worker: spec.worker)
      intents?.stop {}
    }
    process?.terminate(grace: grace)
  }

  func take(_ stream: ProcessStream, _ bytes: UnsafeRawBufferPointer) {
    noteSign()
    for event in transcript.feed(stream, bytes) { handle(event) }
    watch()
  }

  func handle(_ event: BatchTranscript.Event) {
    switch event {
    case .preparing(let test):
      begun.append((test, transcript.suiteClock[test] ?? wallClockSeconds()))
    case .started(let test):
      let now = monotonicSeconds()
      begun.append((test, transcript.startClock[test] ?? session.wallClock(at: now)))
      if firstStart == nil { firstStart = now }
      startTimes[test] = now
      markLimitCounts(at: test)
      if let attempt = spec.attempts[test] {
        session.log(
          .attemptStarted(
            AttemptStart(test: test, attempt: attempt, batch: spec.batch, worker: spec.worker)))
      }
    case .output(let test, let stream, let bytes):
      log(test, stream)?.append(bytes)
    case .finished(let test, let outcome):
      collectCrashReports()
      lastActivity = monotonicSeconds()
      if intents == nil {
        finish(test, outcome, end: nil)
      } else {
        heldOutcome = outcome
      }
      if spec.purpose == .planned, spec.attempts[test] != nil {
        session.noteResult(test, intents?.fault == nil ? outcome.verdict : .environment)
      }
    case .homes(let homes):
      session.checkHomes(homes, of: spec, container: container)
    case .missing:
      break
    }
  }

  /// Sets the limits anew whenever a test starts or ends.
  func watch() {
    let now = (transcript.current, transcript.lastFinished, transcript.startOrder.count)
    guard now.0 != watched.current || now.1 != watched.last || now.2 != watched.started else {
      return
    }
    watched = now
    let loop = session.supervisor.loop
    loop.cancel(limitTimer)
    loop.cancel(slowTimer)
    if let limit = session.configuration.timeLimit {
      limitTimer = loop.after(limit) { [unowned self] in intervene(.timeLimit(limit)) }
    }
    armSilenceTimer()
    if let test = transcript.current { armSlowTimer(test, after: session.configuration.slowAfter) }
  }

  /// - Parameter times: How often the time has passed already.
  func armSlowTimer(_ test: TestID, after seconds: Double, times: Int = 0) {
    slowTimer = session.supervisor.loop.after(seconds) { [unowned self] in
      guard transcript.current == test else { return }
      session.listener?.testIsSlow(test, seconds: seconds * Double(times + 1))
      armSlowTimer(test, after: seconds, times: times + 1)
    }
  }
}
