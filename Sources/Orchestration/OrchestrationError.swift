package import RunModel

/// Why a set of tests could not be selected, or runs not be merged.
package struct OrchestrationError: Error, Sendable {
  /// Stable code of the error.
  package enum Code: String, Sendable, CaseIterable {
    /// A pattern of tests to select is not a regular expression.
    case invalidPattern = "invalid-pattern"
    /// A pattern of tests to leave out is not a regular expression.
    case invalidSkipPattern = "invalid-skip-pattern"
    /// An exact ID names no test of the listing.
    case unknownTest = "unknown-test"
    /// An exact name is the name of several tests.
    case ambiguousTest = "ambiguous-test"
    /// Events of a run are missing, or contradict those of another one.
    case notMergeable = "not-mergeable"
    /// A run cannot be resumed.
    case notResumable = "not-resumable"
  }

  package var code: Code
  /// One sentence for people.
  package var message: String
  /// Details by name: `text`, what the caller gave.
  package var context: [String: String]
  /// The tests that could be meant: every match of an ambiguous name, otherwise empty.
  package var candidates: [TestID]
  /// What the regular expression's parser said.
  package var cause: (any Error)?

  package init(
    _ code: Code, _ message: String, context: [String: String] = [:], candidates: [TestID] = [],
    cause: (any Error)? = nil
  ) {
    self.code = code
    self.message = message
    self.context = context
    self.candidates = candidates
    self.cause = cause
  }
}

extension OrchestrationError: CustomStringConvertible {
  /// The message, followed by the cause when there is one.
  package var description: String { message + (cause.map { ": \($0)" } ?? "") }
}
