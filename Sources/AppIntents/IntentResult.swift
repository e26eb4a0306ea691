package import IntentWire

/// What an intent leaves behind.
public protocol IntentResult: Sendable {
  associatedtype Value: Sendable
  /// The value, when there is one.
  var value: Value? { get }
}

/// A result with a value that the next step can use.
public protocol ReturnsValue<Value>: IntentResult where Value: _IntentValue {}

/// A result that is told to people.
public protocol ProvidesDialog: IntentResult {}

/// A result after which another intent is performed.
public protocol OpensIntent: IntentResult {}

/// A text that is told or asked.
public struct IntentDialog: Hashable, Sendable {
  /// The whole text.
  public var full: LocalizedStringResource
  /// What is left of it where the screen shows the rest.
  public var supporting: LocalizedStringResource?

  public init(_ full: LocalizedStringResource) { self.full = full }

  public init(full: LocalizedStringResource, supporting: LocalizedStringResource) {
    self.full = full
    self.supporting = supporting
  }

  public init(
    full: LocalizedStringResource, supporting: LocalizedStringResource, systemImageName: String?
  ) {
    self.init(full: full, supporting: supporting)
  }

  var text: String { full.defaultValue }
}

extension IntentDialog: ExpressibleByStringInterpolation {
  public init(stringLiteral value: String) {
    self.init(LocalizedStringResource(stringLiteral: value))
  }

  public init(stringInterpolation: String.LocalizationValue.StringInterpolation) {
    self.init(LocalizedStringResource(stringInterpolation: stringInterpolation))
  }
}

/// The result that `.result(…)` makes; its type says what is in it.
public struct IntentResultContainer<Value: Sendable, Opened, Snippet, Dialog>: IntentResult {
  public let value: Value?
  let dialog: IntentDialog?
  let opened: (any AppIntent)?
}

extension IntentResultContainer: ReturnsValue where Value: _IntentValue {}
extension IntentResultContainer: ProvidesDialog where Dialog == IntentDialog {}
extension IntentResultContainer: OpensIntent where Opened: AppIntent {}

extension IntentResult {
  public static func result() -> Self
  where Self == IntentResultContainer<Never, Never, Never, Never> {
    Self(value: nil, dialog: nil, opened: nil)
  }

  public static func result(dialog: IntentDialog) -> Self
  where Self == IntentResultContainer<Never, Never, Never, IntentDialog> {
    Self(value: nil, dialog: dialog, opened: nil)
  }

  public static func result<Result: _IntentValue>(value: Result) -> Self
  where Self == IntentResultContainer<Result, Never, Never, Never> {
    Self(value: value, dialog: nil, opened: nil)
  }

  public static func result<Result: _IntentValue>(value: Result, dialog: IntentDialog) -> Self
  where Self == IntentResultContainer<Result, Never, Never, IntentDialog> {
    Self(value: value, dialog: dialog, opened: nil)
  }

  public static func result<Intent: AppIntent>(opensIntent: Intent) -> Self
  where Self == IntentResultContainer<Never, Intent, Never, Never> {
    Self(value: nil, dialog: nil, opened: opensIntent)
  }

  public static func result<Intent: AppIntent>(
    opensIntent: Intent, dialog: IntentDialog
  ) -> Self where Self == IntentResultContainer<Never, Intent, Never, IntentDialog> {
    Self(value: nil, dialog: dialog, opened: opensIntent)
  }

  public static func result<Result: _IntentValue, Intent: AppIntent>(
    value: Result, opensIntent: Intent
  ) -> Self where Self == IntentResultContainer<Result, Intent, Never, Never> {
    Self(value: value, dialog: nil, opened: opensIntent)
  }

  public static func result<Result: _IntentValue, Intent: AppIntent>(
    value: Result, opensIntent: Intent, dialog: IntentDialog
  ) -> Self where Self == IntentResultContainer<Result, Intent, Never, IntentDialog> {
    Self(value: value, dialog: dialog, opened: opensIntent)
  }
}

/// A result without regard to its type, for the library.
package protocol AnyIntentResult {
  var wireValue: IntentValue? { get }
  var dialogText: String? { get }
  var openedIntent: (any AppIntent)? { get }
}

extension IntentResultContainer: AnyIntentResult {
  package var wireValue: IntentValue? { (value as? any _IntentValue)?._value }
  package var dialogText: String? { dialog?.text }
  package var openedIntent: (any AppIntent)? { opened }
}
