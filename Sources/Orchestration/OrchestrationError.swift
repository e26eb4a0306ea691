package import RunModel

/// Why a set of tests could not be selected.
package struct OrchestrationError: Error, Hashable, Sendable {
  /// Stable code of the error.
  package enum Code: String, Sendable {
    /// A pattern of tests to select is not a regular expression.
    case invalidPattern = "invalid-pattern"
    /// A pattern of tests to leave out is not a regular expression.
    case invalidSkipPattern = "invalid-skip-pattern"
    /// An exact ID names no test of the listing.
    case unknownTest = "unknown-test"
    /// An exact name is the name of several tests.
    case ambiguousTest = "ambiguous-test"
  }

  package var code: Code
  /// One sentence for people.
  package var message: String
  /// The text that the caller gave.
  package var text: String
  /// The tests that could be meant: every match of an ambiguous name, otherwise empty.
  package var candidates: [TestID]
  /// What the regular expression's parser said.
  package var cause: String?

  package init(
    code: Code, message: String, text: String, candidates: [TestID] = [], cause: String? = nil
  ) {
    self.code = code
    self.message = message
    self.text = text
    self.candidates = candidates
    self.cause = cause
  }
}

extension OrchestrationError: CustomStringConvertible {
  package var description: String { message }
}
