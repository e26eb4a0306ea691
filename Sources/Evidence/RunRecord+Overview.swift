import Glibc
package import RunModel
import SystemFiles

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
  /// Number of planned tests by the word of their verdict.
  package var verdicts: [String: Int] = [:]
  package var usage: DiskUsage

  /// Number of planned tests.
  package var planned: Int { verdicts.values.reduce(0, +) }
}

/// What a folder takes on the disk.
package struct DiskUsage: Hashable, Sendable {
  /// Bytes of all that is in it.
  package var bytes = 0
  /// Bytes that are freed when it is removed: of what has no other name.
  package var freed = 0

  /// Measures a folder; links are not followed.
  package init(of path: String) {
    guard let folder = try? OwnedDescriptor(opening: path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW)
    else { return }
    if let status = try? folder.status() { add(status) }
    measure(folder.number, depth: 0)
  }

  /// Deepest folder that is looked into; a record has less.
  private static let maxDepth = 32

  private mutating func measure(_ folder: Int32, depth: Int) {
    for name in (try? listFolder(folder)) ?? [] {
      guard let status = try? SystemFiles.status(of: name, in: folder) else { continue }
      add(status)
      guard status.isFolder, depth < Self.maxDepth,
        let below = try? OwnedDescriptor(
          at: folder, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW)
      else { continue }
      measure(below.number, depth: depth + 1)
    }
  }

  private mutating func add(_ status: stat) {
    // POSIX counts blocks of 512 bytes, whatever the file system's are.
    let size = Int(status.st_blocks) * 512
    bytes += size
    if status.isFolder || status.st_nlink == 1 { freed += size }
  }
}

extension RunRecord {
  /// Says what the record is like; never fails.
  ///
  /// Of a run that came to its end only the first and the last line of the event log are read, of
  /// others all.
  package func overview() -> RunOverview {
    let usage = DiskUsage(of: path)
    var overview = RunOverview(record: self, state: .cutOff, startedAt: time, usage: usage)
    do throws(ReadFailure) {
      let isRunning = isBeingWritten
      let first = try firstEvent()
      guard let first else {
        overview.state = isRunning ? .running : .cutOff
        return overview
      }
      if case .runStarted(let header) = first.kind {
        overview.header = header
        overview.startedAt = first.time
      }
      if let finish = lastEvent(), let verdicts = finish.verdicts {
        overview.state = .finished(finish)
        overview.verdicts = verdicts
        return overview
      }
      let state = RunState(try allEvents())
      overview.verdicts = state.verdicts
      overview.state = state.finish.map { .finished($0) } ?? (isRunning ? .running : .cutOff)
    } catch {
      overview.state = error.isNewer ? .newerFormat(error.reason) : .unreadable(error.reason)
    }
    return overview
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
  private func lastEvent() -> RunFinish? {
    guard let (bytes, _) = readEnd(of: eventsPath, bytes: 1 << 14), bytes.last == 10,
      let line = bytes.dropLast().split(separator: 10).last,
      let event = try? decodedJSON(RunEvent.self, from: line),
      case .runFinished(let finish) = event.kind
    else { return nil }
    return finish
  }
}
