package import RunModel
import Workers

/// What is told of a run, and to whom.
extension RunSession {
  /// Writes an event down and takes it into account.
  package func log(_ kind: RunEvent.Kind) {
    let event = RunEvent(time: wallClockSeconds(), kind)
    recorder.add(event)
    listener?.runDid(event, state: state)
  }

  func noteWriteFailure(_ message: String) { recorder.note(message) }
}
