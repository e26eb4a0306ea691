import Glibc
package import RunModel
package import SystemFiles

/// What a record is like, without reading more of it than needed.
package struct RunOverview: Sendable {
  /// Whether the run of a record is over.
  package enum State: Hashable, Sendable {
    /// A process writes the record.
    case running
    case finished(RunFinish)
    /// Its process was killed.
    case cutOff
    /// A newer major version wrote it.
    case newerFormat(String)
    /// It is no record of a run, or cannot be read; why, as a clause.
    case unreadable(String)
  }

  package var record: RunRecord
  package var state: State
  package var header: RunHeader?
  /// Seconds since 1970; of the first event, else what the ID tells.
  package var startedAt: Double?
  /// Number of planned tests by the word of their verdict; of a run that goes on, those without a
  /// result by that of their progress.
  package var verdicts: [String: Int] = [:]
  package var usage: DiskUsage
  /// Why the record is not to be removed; `nil` when it can be.
  package var obstacle: RunRecord.RemovalObstacle?

  /// Number of planned tests.
  package var planned: Int { verdicts.values.reduce(0, +) }

  /// Says that the record cannot be read, with the code `newer-format` or `unreadable`; `nil` when
  /// it can be.
  package var error: EvidenceError? {
    let (code, reason): (EvidenceError.Code, String)
    switch state {
    case .running, .finished, .cutOff: return nil
    case .newerFormat(let text): (code, reason) = (.newerFormat, text)
    case .unreadable(let text): (code, reason) = (.unreadable, text)
    }
    return EvidenceError(
      code, "run \(record.runID) cannot be read: \(reason)", context: ["path": record.path])
  }
}

extension RunRecord {
  /// Says what the record is like; never fails.
  ///
  /// Of a run that came to its end only the first and the last line of the event log are read, of
  /// others all.
  package func overview() -> RunOverview {
    var overview = RunOverview(
      record: self, state: .cutOff, startedAt: time, usage: DiskUsage(of: path))
    // A writer has ended before the log is read, or it is known as one.
    let lock = logLock
    do throws(ReadFailure) {
      try read(into: &overview, isRunning: lock == .held)
    } catch {
      overview.state = error.isNewer ? .newerFormat(error.reason) : .unreadable(error.reason)
    }
    overview.obstacle = obstacle(overview.state, lock: lock)
    return overview
  }

  private func read(into overview: inout RunOverview, isRunning: Bool) throws(ReadFailure) {
    overview.state = isRunning ? .running : .cutOff
    guard let first = try firstEvent() else { return }
    if case .runStarted(let header) = first.kind {
      overview.header = header
      overview.startedAt = first.time
    }
    if let finish = finishInLastLine(), let verdicts = finish.verdicts {
      overview.state = .finished(finish)
      overview.verdicts = verdicts
      return
    }
    var state = RunState(try allEvents())
    state.goesOn = isRunning
    overview.verdicts = state.verdicts
    if let finish = state.finish { overview.state = .finished(finish) }
  }

  private struct ReadFailure: Error {
    var reason: String
    var isNewer = false

    init(_ reason: String) { self.reason = reason }

    init(_ error: any Error) {
      guard let error = error as? EvidenceError else {
        reason = "\(error)"
        return
      }
      isNewer = error.code == .newerFormat
      reason =
        error.code == .notFound
        ? "it has no events.jsonl" : error.cause.map { "\($0)" } ?? "\(error)"
    }
  }

  /// - Returns: `nil` when nothing was written yet.
  private func firstEvent() throws(ReadFailure) -> RunEvent? {
    var status = stat()
    guard lstat(eventsPath, &status) == 0 else { throw ReadFailure("it has no events.jsonl") }
    guard status.isRegular else { throw ReadFailure("its events.jsonl is no regular file") }
    do {
      var reader = try EventLogReader(path: eventsPath)
      guard let event = try reader.next() else {
        if reader.damagedLines.isEmpty { return nil }
        throw ReadFailure("its events.jsonl holds no events")
      }
      guard case .runStarted = event.kind, reader.damagedLines.isEmpty else {
        throw ReadFailure("its events.jsonl does not begin with the start of a run")
      }
      return event
    } catch {
      throw error as? ReadFailure ?? ReadFailure(error)
    }
  }

  private func allEvents() throws(ReadFailure) -> [RunEvent] {
    do { return try checkedEvents().events } catch { throw ReadFailure(error) }
  }

  /// The end of the run, when it is the last line.
  private func finishInLastLine() -> RunFinish? {
    guard let (bytes, _) = readEnd(of: eventsPath, bytes: 1 << 14), bytes.last == 10,
      let line = bytes.dropLast().split(separator: 10).last,
      let event = try? decodedJSON(RunEvent.self, from: line),
      case .runFinished(let finish) = event.kind
    else { return nil }
    return finish
  }
}
