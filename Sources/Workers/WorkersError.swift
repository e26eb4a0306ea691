/// What can go wrong with processes, containers and the event loop.
package struct WorkersError: Error, Sendable, CustomStringConvertible {
  /// Stable codes.
  package enum Code: String, Sendable {
    /// A system call failed that only fails when the system is out of something.
    case system = "system-call-failed"
    /// A process could not be started.
    case launch = "launch-failed"
    /// A container could not be made.
    case container = "container-failed"
    /// An executable was not found.
    case notFound = "executable-not-found"
    /// An executable is not the one that was listed.
    case changed = "executable-changed"
  }

  package var code: Code
  /// One sentence for people.
  package var message: String
  /// The value of `errno`, 0 when there is none.
  package var errorNumber: Int32

  package init(_ code: Code, _ message: String, errorNumber: Int32 = 0) {
    self.code = code
    self.message = message
    self.errorNumber = errorNumber
  }

  package var description: String {
    errorNumber == 0 ? message : "\(message): \(errorText(errorNumber))"
  }
}
