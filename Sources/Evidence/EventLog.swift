import Glibc
package import RunModel
import Synchronization
import SystemFiles

/// Appends events to an event log, whole lines with each write(2). A line is with the system when
/// ``append(_:)`` or the next ``flush()`` returns, and survives the end of this process from then
/// on.
package final class EventLogWriter: Sendable {
  /// The file that is written.
  package let path: String
  private struct State {
    var descriptor: Int32
    /// The size that the file has when nobody else writes it.
    var size: off_t
    var wasChanged = false
    /// Lines that were not written yet.
    var pending: [UInt8] = []
  }

  /// Bytes of lines from which on they are written without being asked for.
  private static let mostPending = 1 << 16

  private let state: Mutex<State>

  /// - Throws: ``EvidenceError`` with the code `unwritable`.
  package convenience init(path: String) throws { try self.init(path: path, onOpening: {}) }

  /// - Parameter onOpening: Called whenever the file was opened and is not locked yet.
  init(path: String, onOpening: () -> Void) throws {
    self.path = path
    do {
      let file = try Self.openLocked(path, onOpening: onOpening)
      state = Mutex(State(descriptor: file.number, size: try file.status().st_size))
      _ = file.release()
    } catch {
      throw EvidenceError.system(.unwritable, "write", path: path, errno: error.number)
    }
  }

  /// The lock says that the record is being written, until this process ends; a file system without
  /// locks is no reason not to run.
  private static func openLocked(
    _ path: String, onOpening: () -> Void
  ) throws(SystemFailure) -> OwnedDescriptor {
    while true {
      let file = try OwnedDescriptor(opening: path, O_RDWR | O_CREAT | O_APPEND)
      onOpening()
      while flock(file.number, LOCK_EX) != 0, errno == EINTR {}
      // Without its lock it was the log of a killed run, which somebody may have removed.
      if try file.status().identity == FileIdentity(path: path) { return file }
    }
  }

  deinit {
    try? flush()
    state.withLock { _ = close($0.descriptor) }
  }

  /// Appends one event, which is written at once; may be called from any thread.
  ///
  /// - Throws: As ``flush()``.
  package func append(_ event: RunEvent) throws {
    try add(event)
    try flush()
  }

  /// Appends one event, which is written by the next ``flush()`` at the latest: a write costs more
  /// than the rest of an event, and takes the time from the tests.
  ///
  /// - Throws: As ``flush()``.
  package func add(_ event: RunEvent) throws {
    var line = try EventLine.plain(event) ?? encodedJSON(event)
    line.append(10)
    let isMuch = state.withLock { state in
      state.pending += line
      return state.pending.count > Self.mostPending
    }
    if isMuch { try flush() }
  }

  /// Writes what was added.
  ///
  /// - Throws: ``EvidenceError`` with the code `unwritable`, also, when the lines are written,
  ///   because somebody else has changed the file. Lines that were written in part are taken back,
  ///   so the log stays readable when the disk has room again.
  package func flush() throws {
    let (failure, wasChanged): (SystemFailure?, Bool) = state.withLock { state in
      if state.pending.isEmpty { return (nil, false) }
      let lines = state.pending
      state.pending.removeAll(keepingCapacity: true)
      let end = lseek(state.descriptor, 0, SEEK_END)
      if end != state.size { state.wasChanged = true }
      do throws(SystemFailure) {
        try appendWhole(lines, to: state.descriptor)
        state.size = end + off_t(lines.count)
        return (nil, state.wasChanged)
      } catch {
        state.size = end
        return (error, state.wasChanged)
      }
    }
    if wasChanged {
      throw EvidenceError(
        .unwritable,
        "'\(path)' was changed by somebody else while the run wrote it; it does not tell the "
          + "whole run",
        context: ["path": path])
    }
    if let failure {
      throw EvidenceError.system(.unwritable, "write", path: path, errno: failure.number)
    }
  }
}

/// Reads an event log from its start, also one that is still written or whose writer was killed.
package struct EventLogReader: ~Copyable {
  private var lines: LineReader
  private let path: String
  /// Numbers of lines, from 1, that could not be read as events; a last line without its newline
  /// is not counted.
  package private(set) var damagedLines: [Int] = []
  /// Whether the last line was cut off.
  package private(set) var isTorn = false
  private var number = 0

  /// - Throws: ``EvidenceError`` with the code `not-found` or `unreadable`.
  package init(path: String) throws {
    self.path = path
    lines = try LineReader(path: path)
  }

  /// The next event that can be read, `nil` at the end.
  ///
  /// - Throws: ``EvidenceError`` with the code `newer-format` when the log says that a newer major
  ///   version wrote it.
  package mutating func next() throws -> RunEvent? {
    while let line = try lines.next() {
      number += 1
      guard line.isWhole else {
        isTorn = true
        return nil
      }
      if number == 1 { try checkFirst(line.bytes) }
      guard let event = try? decodedJSON(RunEvent.self, from: line.bytes) else {
        damagedLines.append(number)
        continue
      }
      return event
    }
    return nil
  }

  /// All events from here on.
  package consuming func events() throws -> [RunEvent] {
    var events: [RunEvent] = []
    while let event = try next() { events.append(event) }
    return events
  }

  /// Looks at the version only, because a newer major one may have changed everything else.
  private func checkFirst(_ line: ArraySlice<UInt8>) throws {
    struct First: Decodable {
      struct Payload: Decodable { var format: FormatVersion }
      var payload: Payload
    }
    guard let first = try? decodedJSON(First.self, from: line) else { return }
    try checkFormat(
      first.payload.format, reading: eventLogFormat, name: "event log '\(path)'")
  }
}
