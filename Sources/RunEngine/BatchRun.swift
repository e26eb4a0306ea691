import Evidence
import Glibc
import Orchestration
import RunModel
import SwiftTests
import Workers

/// One batch while it runs: its container, its process, its logs.
final class BatchRun {
  /// What is left when the process and all it started are gone.
  struct Ended {
    var results: [AttemptResult]
    var unstarted: [TestID]
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
  }

  let spec: BatchSpec
  let container: Container
  private let session: RunSession
  private let descriptors: [TestDescriptor]
  private var transcript: BatchTranscript
  private var process: SupervisedProcess?
  private var request: ProcessRequest?
  private var logs: [TestID: [ProcessStream: CappedLog]] = [:]
  private var startTimes: [TestID: Double] = [:]
  /// The tests that were seen to start, or to be prepared, with the monotonic times.
  private var begun: [(test: TestID, time: Double)] = []
  private var outcomes: [TestID: TestOutcome] = [:]
  private var intervention: BatchTranscript.Intervention?
  /// Whether the process was started warm.
  private var isCopy = false
  private var interruptionGrace = 0.0
  private var limitTimer: EventLoop.Timer?
  private var slowTimer: EventLoop.Timer?
  private var watched: (current: TestID?, last: TestID?, started: Int) = (nil, nil, -1)
  private var crashReports: [BatchTranscript.CrashReport] = []
  /// Time of the last change of the evidence folder that was looked at.
  private var evidenceChange: [Int] = []
  private var firstStart: Double?
  private var lastActivity: Double?
  private var startedAt = 0.0
  private let onEnd: (BatchRun, Ended) -> Void

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
    self.nonce = nonce
  }

  private let nonce: String
  /// Whether the process is asked where Foundation's folders are.
  var checksHomes = false

  /// The test that runs now, with the monotonic time of its start.
  var running: (test: TestID, since: Double)? {
    guard let test = transcript.current, let since = startTimes[test] else { return nil }
    return (test, since)
  }

  /// Starts the process. A failure to do so ends the batch at once.
  func start() {
    startedAt = monotonicSeconds()
    do throws(WorkersError) {
      _ = try session.root.prepare(worker: spec.worker, indexTemplate: session.indexTemplate)
      do {
        try session.configuration.prepareContainer?(container)
      } catch {
        throw WorkersError(.container, "the container cannot be filled: \(error)")
      }
      guard let product = session.catalog.product(spec.product) else {
        throw WorkersError(.notFound, "there is no product \(spec.product)")
      }
      try session.checkExecutable(of: product)
      let command = BatchCommand(
        product: product, library: spec.library, tests: descriptors,
        isWholeProduct: session.isWholeProduct(spec), nonce: nonce, checksHomes: checksHomes,
        patterns: session.patterns(of: spec.product))
      let request = try command.request(
        environment: session.environment.variables(
          container: container, run: session.record.runID, worker: spec.worker,
          workers: session.configuration.scheduling.workers, batch: spec.batch),
        container: container, observer: session.catalog.observer.path,
        directory: session.package.location.package,
        scope: "\(session.record.runID)-\(spec.batch)")
      self.request = request
      session.starter.choose(spec, request) { [unowned self] in
        session.root.isUntouched(worker: spec.worker)
      } then: { [unowned self] warm in
        launch(request, from: warm)
      }
    } catch {
      session.logStart(of: spec, .cold)
      failToStart(error)
    }
  }

  /// Starts the process as a copy of a warm one or, without one, anew.
  private func launch(_ request: ProcessRequest, from warm: WarmProcess?) {
    session.logStart(of: spec, warm == nil ? .cold : .warm)
    guard let warm else { return launchCold(request) }
    warm.start(
      request, onOutput: { [unowned self] in take($0, $1) },
      onEnd: { [unowned self] in processEnded($0, $1) }
    ) { [unowned self] process in
      if let process {
        isCopy = true
        begin(process)
      } else {
        session.starter.decline(spec, "its warm process is gone")
        launchCold(request)
      }
    }
  }

  private func launchCold(_ request: ProcessRequest) {
    do throws(WorkersError) {
      begin(
        try SupervisedProcess(
          request, loop: session.supervisor.loop, registry: session.supervisor.registry,
          onOutput: { [unowned self] in take($0, $1) },
          onEnd: { [unowned self] in processEnded($0, $1) }))
    } catch {
      failToStart(error)
    }
  }

  private func begin(_ process: SupervisedProcess) {
    self.process = process
    watch()
    // The run may have been interrupted while a warm process was waited for.
    if intervention != nil { process.terminate(grace: interruptionGrace) }
  }

  /// Ends the process because the run is interrupted.
  func interrupt(by signal: String, grace: Double) {
    if intervention == nil { intervention = .interruption(signal) }
    interruptionGrace = grace
    process?.terminate(grace: grace)
  }

  // MARK: While it runs

  private func take(_ stream: ProcessStream, _ bytes: UnsafeRawBufferPointer) {
    for event in transcript.feed(stream, bytes) { handle(event) }
    watch()
  }

  private func handle(_ event: BatchTranscript.Event) {
    switch event {
    case .preparing(let test):
      begun.append((test, monotonicSeconds()))
    case .started(let test):
      let now = monotonicSeconds()
      begun.append((test, now))
      if firstStart == nil { firstStart = now }
      startTimes[test] = now
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
      finish(test, outcome, end: nil)
    case .homes(let homes):
      session.checkHomes(homes, of: spec, container: container)
    case .missing:
      break
    }
  }

  private func log(_ test: TestID, _ stream: ProcessStream) -> CappedLog? {
    if let log = logs[test]?[stream] { return log }
    guard let attempt = spec.attempts[test] else { return nil }
    let log = session.record.makeLog(
      test, attempt: attempt, stream: stream == .stdout ? "stdout" : "stderr")
    logs[test, default: [:]][stream] = log
    return log
  }

  /// Writes down a result; a later one of the same test replaces it.
  private func finish(_ test: TestID, _ outcome: TestOutcome, end: ProcessEnd?) {
    outcomes[test] = outcome
    guard let result = result(test, outcome, end: end) else { return }
    session.log(.attemptFinished(result))
  }

  private func result(_ test: TestID, _ outcome: TestOutcome, end: ProcessEnd?) -> AttemptResult? {
    guard let attempt = spec.attempts[test] else { return nil }
    var duration = outcome.duration
    let started = startTimes[test]
    if duration == 0, outcome.verdict != .skipped, let started {
      duration = monotonicSeconds() - started
    }
    return AttemptResult(
      test: test, attempt: attempt, purpose: spec.purpose, batch: spec.batch, worker: spec.worker,
      verdict: outcome.verdict, reason: outcome.reason, skip: outcome.skip,
      issues: outcome.issues, cases: outcome.cases, end: end,
      startedAt: session.wallClock(at: started ?? startedAt), duration: duration,
      stdout: reference(test, .stdout), stderr: reference(test, .stderr), leaks: outcome.leaks,
      hadCompany: transcript.startOrder.first.map { $0 != test } ?? false)
  }

  private func reference(_ test: TestID, _ stream: ProcessStream) -> LogReference? {
    guard let log = logs[test]?[stream] else { return nil }
    do {
      return try log.finish()
    } catch {
      session.noteWriteFailure("\(error)")
      return nil
    }
  }

  /// Sets the limits anew whenever a test starts or ends.
  private func watch() {
    let now = (transcript.current, transcript.lastFinished, transcript.startOrder.count)
    guard now.0 != watched.current || now.1 != watched.last || now.2 != watched.started else {
      return
    }
    watched = now
    let loop = session.supervisor.loop
    loop.cancel(limitTimer)
    loop.cancel(slowTimer)
    if let limit = session.configuration.timeLimit {
      limitTimer = loop.after(limit) { [unowned self] in
        guard intervention == nil else { return }
        intervention = .timeLimit(limit)
        process?.terminate(grace: session.configuration.grace)
      }
    }
    if let test = transcript.current { armSlowTimer(test, after: session.configuration.slowAfter) }
  }

  private func armSlowTimer(_ test: TestID, after seconds: Double) {
    slowTimer = session.supervisor.loop.after(seconds) { [unowned self] in
      guard transcript.current == test, let since = startTimes[test] else { return }
      session.listener?.testIsSlow(test, seconds: (monotonicSeconds() - since).rounded())
      armSlowTimer(test, after: seconds)
    }
  }

  // MARK: Its end

  private func processEnded(_ end: ProcessEnd, _ leftovers: [Leftover]) {
    session.supervisor.loop.cancel(limitTimer)
    session.supervisor.loop.cancel(slowTimer)
    let now = monotonicSeconds()
    let launched = process?.startTime ?? startedAt
    collectCrashReports()
    // Before the conclusion, which may blame a test that was not seen to finish.
    let tail = lastActivity.map { now - $0 }
    let conclusion = transcript.conclude(
      end: end, intervention: intervention, leftovers: leftovers, crashReports: crashReports)
    var final: [TestID: TestOutcome] = [:]
    for event in conclusion.events {
      if case .finished(let test, let outcome) = event {
        final[test] = outcome
      } else {
        handle(event)
      }
    }
    for test in transcript.startOrder where final[test] != nil {
      if let outcome = final.removeValue(forKey: test) { finish(test, outcome, end: end) }
    }
    for (test, outcome) in final.sorted(by: { $0.key < $1.key }) {
      finish(test, outcome, end: end)
    }
    let order = transcript.startOrder + spec.tests.filter { startTimes[$0] == nil }
    let results = order.compactMap { test in
      outcomes[test].flatMap { result(test, $0, end: end) }
    }
    onEnd(
      self,
      Ended(
        results: results,
        unstarted: conclusion.unstarted.filter { spec.attempts[$0] != nil },
        // That of a copy says nothing about the processes of other runs.
        startCost: isCopy ? nil : firstStart.map { $0 - launched + (tail ?? 0) },
        duration: now - startedAt, end: end, startOrder: transcript.startOrder,
        request: request,
        selection: results.contains { $0.verdict.needsBundle } ? selection : nil))
  }

  /// The selection, if this batch's process was given one in a file.
  private var selection: [UInt8]? {
    guard let request,
      request.arguments.contains(container.selection)
        || request.environment.values.contains(container.selection)
    else { return nil }
    return readSmallFile(container.selection)
  }

  /// The crash reports of the batch's own process, with the tests that ran when they were written.
  private func collectCrashReports() {
    guard let process else { return }
    var info = stat()
    guard stat(container.evidence, &info) == 0 else { return }
    let change = [info.st_mtim.tv_sec, info.st_mtim.tv_nsec]
    guard change != evidenceChange else { return }
    for report in CrashReportFile.all(in: container.evidence)
    where report.pid == process.pid && !report.isCollected {
      // A report can be written sooner than the start of the first test is read here.
      let started =
        (begun.last { session.wallClock(at: $0.time) <= report.writtenAt } ?? begun.first)?.test
      let summary = report.summary(package: session.package.location.package)
      crashReports.append(
        BatchTranscript.CrashReport(
          test: started, description: summary.description ?? "no description",
          message: started.flatMap { lastWords(of: $0) }, function: summary.function,
          location: summary.location))
      // The next report of the process would have the same name.
      report.collect(as: crashReports.count)
    }
    if stat(container.evidence, &info) == 0 {
      evidenceChange = [info.st_mtim.tv_sec, info.st_mtim.tv_nsec]
    }
  }

  /// What the Swift runtime wrote before it ended the process: `Fatal error: Index out of range`.
  private func lastWords(of test: TestID) -> String? {
    let text = logs[test]?[.stderr]?.lastText(lines: 20) ?? ""
    let line = text.split(separator: "\n").last { $0.contains("Fatal error: ") }
    return line.flatMap { line in
      line.firstRange(of: "Fatal error: ").map { String(line[$0.lowerBound...]) }
    }
  }

  /// The container or the process could not be made: the surroundings are at fault.
  private func failToStart(_ error: WorkersError) {
    var results: [AttemptResult] = []
    for test in spec.tests where spec.attempts[test] != nil {
      let outcome = TestOutcome(
        verdict: .environment,
        reason: error.code == .changed
          ? error.message : "the batch could not be started: \(error)")
      finish(test, outcome, end: nil)
      if let result = result(test, outcome, end: nil) { results.append(result) }
    }
    let ended = Ended(
      results: results, unstarted: [], startCost: nil, duration: monotonicSeconds() - startedAt,
      end: nil, startOrder: [], request: request)
    session.supervisor.loop.after(0) { [self] in onEnd(self, ended) }
  }
}
