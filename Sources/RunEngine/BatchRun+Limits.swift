import Evidence
import Glibc
import Orchestration
import RunModel
import SwiftTests
import SystemFiles
import Workers

/// The limits of a batch: time, silence and disk are watched here, the kernel watches the rest.
extension BatchRun {
  /// Makes the limits that the batch's processes get.
  func beginLimits() throws {
    limits = try session.limiter.begin(batch: spec.batch, worker: spec.worker)
    if let disk = session.configuration.limits.disk { watchContainer(limit: disk, after: 0.5) }
    if let count = session.configuration.limits.processes {
      let cores = sysconf(Int32(_SC_NPROCESSORS_ONLN))
      if let shortage = ThreadShortage(limit: count, cores: cores) {
        watchThreads(limit: count, shortage)
      }
    }
  }

  /// Ends the process for a reason of its own, after a snapshot when it hangs.
  func intervene(_ cause: BatchTranscript.Intervention) {
    guard intervention == nil, let process, !process.isDead else { return }
    intervention = cause
    let grace = session.configuration.grace
    guard cause.isHang else { return process.terminate(grace: grace) }
    snapshot = HangSnapshot(
      of: subject(process, reason: cause.description), debugger: session.debugger,
      supervisor: session.supervisor
    ) { [weak self] in
      self?.process?.terminate(grace: grace)
    }
  }

  /// Takes a snapshot of the processes before the app that has not answered a call is ended.
  ///
  /// - Parameter goOn: Ends the app.
  func lookAtHangingCall(_ reason: String, then goOn: @escaping () -> Void) {
    guard callSnapshot == nil, intervention == nil, endedAt == nil, let process, !process.isDead
    else { return goOn() }
    callSnapshot = HangSnapshot(
      of: subject(process, reason: reason), debugger: session.debugger,
      supervisor: session.supervisor, onDone: goOn)
  }

  /// What was seen of the processes that hung.
  var hangText: [UInt8]? {
    let texts = [callSnapshot, snapshot].compactMap { $0?.text }
    return texts.isEmpty ? nil : Array(texts.joined(separator: Array("\n".utf8)))
  }

  private func subject(_ process: SupervisedProcess, reason: String) -> HangSnapshot.Subject {
    let test = transcript.current ?? transcript.lastFinished
    let streams: [(String, ProcessStream)] = [
      ("standard output", .stdout), ("standard error", .stderr),
    ]
    let output = streams.map { name, stream in
      let log = test.flatMap { logs[$0]?[stream] }
      return (name, log?.lastText(lines: 100, bytes: HangSnapshot.mostOutputBytes) ?? "")
    }
    return HangSnapshot.Subject(
      reason: reason, test: transcript.current, pid: process.pid, apps: intents?.processes ?? [],
      others: (limits?.processes ?? []) + (sandbox?.orphans() ?? []),
      scope: session.scope(of: spec), output: output)
  }

  /// Something was heard of the test: output, an event, or output of its apps.
  func noteSign() {
    if session.configuration.limits.silence != nil { lastSign = monotonicSeconds() }
  }

  /// Watches for silence while a test runs.
  func armSilenceTimer() {
    let loop = session.supervisor.loop
    loop.cancel(silenceTimer)
    silenceTimer = nil
    guard let limit = session.configuration.limits.silence, transcript.current != nil else {
      return
    }
    let rest = lastSign + limit - monotonicSeconds()
    silenceTimer = loop.after(max(rest, 0)) { [unowned self] in
      if monotonicSeconds() - lastSign >= limit {
        intervene(.silence(limit))
      } else {
        armSilenceTimer()
      }
    }
  }

  /// Looks now and then how much the files in the container take.
  ///
  /// - Parameter seconds: Until the next look; at least fifty times what the last one took, so that
  ///   looking costs at most 2 % of a core.
  private func watchContainer(limit: Int, after seconds: Double) {
    let loop = session.supervisor.loop
    diskTimer = loop.after(seconds) { [weak self] in
      guard let self else { return }
      let (container, layers) = (container, session.root.layers(of: container))
      loop.inBackground {
        let began = monotonicSeconds()
        var size = folderSize(container.root, limit: limit)
        if let layers, size <= limit { size += layers.size(of: container, limit: limit - size) }
        return (size, monotonicSeconds() - began)
      } then: { [weak self] size, cost in
        guard let self, endedAt == nil else { return }
        // Before there is a process, what others have written is too much only when it stays.
        if size > limit, process != nil {
          intervene(
            .limit(
              "the disk limit of \(ByteSize.text(limit)) was exceeded: the files in the container "
                + "take \(ByteSize.text(size / 1024 * 1024))"))
        } else {
          watchContainer(limit: limit, after: max(0.5, cost * 50))
        }
      }
    }
  }

  /// Looks now and then, until a test has finished, whether the process cannot have its threads.
  private func watchThreads(limit: Int, _ shortage: ThreadShortage) {
    threadTimer = session.supervisor.loop.after(0.2) { [weak self] in
      guard let self, endedAt == nil, let limits,
        transcript.startOrder.count < 2, transcript.lastFinished == nil
      else { return }
      var shortage = shortage
      let own = (process.map { [$0.pid] } ?? []) + (intents?.processes.map(\.pid) ?? [])
      let isProven = shortage.isProven(
        refusals: limits.refusals, isAlone: Set(limits.processes).isSubset(of: own),
        at: monotonicSeconds())
      guard isProven else { return watchThreads(limit: limit, shortage) }
      intervene(
        .limit(
          "the process limit of \(limit) is less than the threads that the test's process needs by "
            + "itself (cgroup)"))
    }
  }

  /// Ends the timers; the process has ended.
  func stopWatching() {
    for timer in [limitTimer, slowTimer, silenceTimer, diskTimer, threadTimer] {
      session.supervisor.loop.cancel(timer)
    }
  }

  /// Goes on when nothing looks at the processes any more.
  func stopLooking(_ handler: @escaping () -> Void) {
    let stopCall = { [self] in
      guard let callSnapshot else { return handler() }
      callSnapshot.stop(handler)
    }
    guard let snapshot else { return stopCall() }
    snapshot.stop(stopCall)
  }

  /// The limit that ended the process, when that is proven.
  func provenCause(of end: ProcessEnd) -> String? {
    let configured = session.configuration.limits
    let sent = process?.sentSignals ?? []
    if end == .signaled(SIGKILL), !sent.contains(SIGKILL), let memory = configured.memory,
      let limits, limits.memoryKills > 0
    {
      return "killed: the memory limit of \(ByteSize.text(memory)) was exceeded (cgroup)"
    }
    if end == .signaled(SIGXFSZ), let disk = configured.disk {
      return "killed: the disk limit of \(ByteSize.text(disk)) for a file was exceeded (SIGXFSZ)"
    }
    return nil
  }

  /// Notes what the kernel has counted so far: what it counts later belongs to a later test.
  func markLimitCounts(at test: TestID) {
    guard let limits else { return }
    limitCounts[test] = (limits.memoryKills, limits.refusals)
  }

  /// What the kernel has counted while a test ran.
  ///
  /// - Parameter isBlamed: Whether the test ended its process.
  private func limitCounts(
    of test: TestID, isBlamed: Bool
  ) -> (memoryKills: Int, refusals: Int) {
    guard let limits else { return (0, 0) }
    let start = limitCounts[test] ?? (0, 0)
    let order = transcript.startOrder
    let next = order.firstIndex(of: test).flatMap { position in
      order.dropFirst(position + 1).first.flatMap { limitCounts[$0] }
    }
    let end = next ?? (limits.memoryKills, limits.refusals)
    let own = (
      memoryKills: max(end.memoryKills - start.memoryKills, 0),
      refusals: max(end.refusals - start.refusals, 0)
    )
    defer { chargedLimits = (start.memoryKills + own.memoryKills, start.refusals + own.refusals) }
    // Its start is known only when its record has been read, and by then the last test, which ended
    // the process, may have met the limit already.
    guard isBlamed, order.last == test, own == (0, 0) else { return own }
    return (
      max(end.memoryKills - chargedLimits.memoryKills, 0),
      max(end.refusals - chargedLimits.refusals, 0)
    )
  }

  /// The outcome with what may explain it, when it is a failure: limits that the test has met, and
  /// what its surroundings have kept from its processes.
  func explained(_ outcome: TestOutcome, of test: TestID) -> TestOutcome {
    guard !outcome.verdict.isSuccess(leaksFail: true),
      ![.environment, .interrupted, .notRun].contains(outcome.verdict)
    else { return outcome }
    var outcome = outcome
    let spoken = SpokenErrors(in: outcome.issues.prefix(20).map(\.message) + lastOutput(of: test))
    let isBlamed = outcome.verdict == .timedOut || outcome.verdict == .crashed
    let counts = limitCounts(of: test, isBlamed: isBlamed)
    addLimitNotes(counts, to: &outcome)
    if let surroundings = transcript.surroundings {
      for hint in surroundings.hints(for: spoken) where !isTold(hint, in: outcome) {
        outcome.add(hint: hint)
      }
    }
    var hints = LimitHints(limits: session.configuration.limits)
    hints.memoryKills = counts.memoryKills
    hints.refusals = counts.refusals
    hints.signs = outcome.limitSigns.union(spoken.limitSigns)
    hints.isSandboxed = sandbox != nil
    if isBlamed { hints.folders = privateFolders }
    if isBlamed || transcript.startOrder.last == test {
      hints.signs.formUnion(privateFolders.filter(\.isFull).map { .full(folder: $0.path) })
    }
    if outcome.verdict == .timedOut {
      // Sources of the package as they are named everywhere else.
      let package = " at \(session.package.location.package)/"
      for hint in snapshot?.hints ?? [] {
        outcome.add(hint: hint.replacing(package, with: " at "))
      }
      if case .timeLimit(let seconds) = intervention { hints.time = seconds }
      if case .silence(let seconds) = intervention { hints.silence = seconds }
    }
    hints.isDiskLimitMet = outcome.reason?.contains("the disk limit of ") == true
    if outcome.reason?.contains("the process limit of ") == true { hints.refusals += 1 }
    if outcome.reason?.contains("the memory limit of ") == true { hints.memoryKills += 1 }
    for sentence in hints.sentences { outcome.add(hint: sentence) }
    return outcome
  }

  /// Whether the path that a hint names is the beginning, up to a space, of one that is told
  /// already: in what is printed a path may end anywhere.
  private func isTold(_ hint: String, in outcome: TestOutcome) -> Bool {
    let parts = hint.split(separator: "'", maxSplits: 2)
    guard parts.count == 3 else { return false }
    return outcome.issues.contains { $0.message.contains("'\(parts[1]) ") }
  }

  /// The ends of what a test and its children have printed.
  private func lastOutput(of test: TestID) -> [String] {
    [ProcessStream.stderr, .stdout].compactMap {
      logs[test]?[$0]?.lastText(lines: 100, bytes: 16 << 10)
    }
  }

  /// Says in the reason what the kernel counted against the batch's limits.
  private func addLimitNotes(
    _ counts: (memoryKills: Int, refusals: Int), to outcome: inout TestOutcome
  ) {
    let configured = session.configuration.limits
    var notes: [String] = []
    let isNamed = outcome.reason?.contains("the memory limit of ") == true
    if counts.memoryKills > 0, let memory = configured.memory, !isNamed {
      notes.append(
        "the kernel killed a process of the batch for the memory limit of "
          + "\(ByteSize.text(memory)) (cgroup)")
    }
    let isTooLow = outcome.reason?.contains("the process limit of ") == true
    if counts.refusals > 0, let processes = configured.processes, !isTooLow {
      notes.append(
        "the kernel refused a process or thread of the batch for the limit of \(processes) (cgroup)"
      )
    }
    if !notes.isEmpty {
      outcome.reason = ((outcome.reason.map { [$0] } ?? []) + notes).joined(separator: "; ")
    }
  }
}

extension BatchTranscript.Intervention: CustomStringConvertible {
  /// Whether the process was ended because nothing came of it.
  var isHang: Bool {
    switch self {
    case .timeLimit, .silence: true
    case .interruption, .limit: false
    }
  }

  package var description: String {
    switch self {
    case .timeLimit(let seconds): "the limit of \(seconds.formattedSeconds) was exceeded"
    case .silence(let seconds): "no output for \(seconds.formattedSeconds)"
    case .interruption(let reason), .limit(let reason): reason
    }
  }
}
