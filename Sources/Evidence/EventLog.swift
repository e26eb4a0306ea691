import Glibc
package import RunModel
import Synchronization
import SystemFiles

/// Appends events to an event log, one write(2) a line and without a buffer of its own: a line is
/// with the system when ``append(_:)`` returns, so it survives the end of this process.
package final class EventLogWriter: Sendable {
  /// The file that is written.
  package let path: String
  private struct State {
    var descriptor: Int32
    /// The size that the file has when nobody else writes it.
    var size: off_t
    var wasChanged = false
  }

  private let state: Mutex<State>

  /// - Throws: ``EvidenceError`` with the code `unwritable`.
  package init(path: String) throws {
    self.path = path
    do {
      let file = try OwnedDescriptor(opening: path, O_RDWR | O_CREAT | O_APPEND)
      state = Mutex(State(descriptor: file.number, size: try file.status().st_size))
      _ = file.release()
    } catch {
      throw EvidenceError.system(.unwritable, "write", path: path, errno: error.number)
    }
  }

  deinit {
    state.withLock { _ = close($0.descriptor) }
  }

  /// Appends one event; may be called from any thread.
  ///
  /// - Throws: ``EvidenceError`` with the code `unwritable`, also, when the event is written,
  ///   because somebody else has changed the file. A line that was written in part is taken back,
  ///   so the log stays readable when the disk has room again.
  package func append(_ event: RunEvent) throws {
    var line = try EventLine.plain(event) ?? encodedJSON(event)
    line.append(10)
    let (failure, wasChanged): (SystemFailure?, Bool) = state.withLock { state in
      let end = lseek(state.descriptor, 0, SEEK_END)
      if end != state.size { state.wasChanged = true }
      do throws(SystemFailure) {
        try writeAll(line, to: state.descriptor)
        state.size = end + off_t(line.count)
        return (nil, state.wasChanged)
      } catch {
        if end >= 0 { ftruncate(state.descriptor, end) }
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
