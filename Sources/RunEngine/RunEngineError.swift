/// What can go wrong between a package and its tests, apart from what the modules below say.
package struct RunEngineError: Error, Sendable, CustomStringConvertible {
  /// Stable codes.
  package enum Code: String, Sendable, CaseIterable {
    /// An executable is not the one that was listed.
    case executableChanged = "executable-changed"
    /// The level of isolation that was asked for cannot be had on this machine.
    case isolationUnavailable = "isolation-unavailable"
    /// A test is of a product that was not listed.
    case noProduct = "no-product"
    /// The package has no tests, or none was selected.
    case nothingSelected = "nothing-selected"
    /// The products are not the ones of the run that is to be resumed.
    case productsChanged = "products-changed"
  }

  package var code: Code
  /// What happened, without a full stop.
  package var message: String
  /// Details by name: `path`, `product`, `listed`.
  package var context: [String: String]
  /// The error below, if any.
  package var cause: (any Error)?

  package init(
    _ code: Code, _ message: String, context: [String: String] = [:], cause: (any Error)? = nil
  ) {
    self.code = code
    self.message = message
    self.context = context
    self.cause = cause
  }

  /// The message, followed by the cause when there is one.
  package var description: String { message + (cause.map { ": \($0)" } ?? "") }
}
