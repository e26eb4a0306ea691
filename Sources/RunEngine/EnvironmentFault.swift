import IntentWire
import RunModel

/// Why no test can be blamed for what a worker's apps do.
struct EnvironmentFault: Error, CustomStringConvertible {
  var message: String
  /// The end of what the app's process wrote.
  var log: String?

  init(_ message: String, log: String? = nil) {
    self.message = message
    self.log = log
  }

  init(_ error: WireError) { self.init(error.message, log: error.log) }

  var description: String {
    message + (log.map { "\nthe app wrote:\n\(condensingBacktraces(in: $0))" } ?? "")
  }
}
