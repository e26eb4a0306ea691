import Evidence
import RunModel

/// Writes the events of a run down, and takes them together.
final class EventRecorder {
  private let events: EventLogWriter
  /// The events so far, taken together.
  private(set) var state = RunState()
  /// What could not be written, once each.
  private(set) var failures: [String] = []
  /// The one of them that says that the record was removed meanwhile.
  private(set) var removal: String?
  /// Whether each event is written when it is added, because nobody calls ``flush()`` soon.
  var writesAtOnce = false {
    didSet { if writesAtOnce { flush() } }
  }

  init(_ events: EventLogWriter) { self.events = events }

  func add(_ event: RunEvent) {
    noteFailure { try events.add(event) }
    if writesAtOnce { flush() }
    state.apply(event)
  }

  /// Writes down the events so far: before the loop waits, and before a process starts.
  func flush() { noteFailure { try events.flush() } }

  /// Notes something that could not be written.
  func note(_ message: String) {
    if !failures.contains(message) { failures.append(message) }
  }

  /// Notes that the record was removed.
  func noteRemoval(_ message: String) {
    removal = message
    note(message)
  }

  private func noteFailure(_ body: () throws -> Void) {
    do {
      try body()
    } catch {
      note("\(error)")
    }
  }
}
