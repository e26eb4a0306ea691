public import IntentWire
import Synchronization

/// A parameter without regard to its type, for the library.
public protocol _AnyIntentParameter: AnyObject, Sendable {
  var _type: IntentValueType { get }
  var _title: String { get }
  /// The name of the property, once somebody has looked at the intent's members.
  var _name: String? { get set }
  var _hasDefault: Bool { get }
  /// Whether it has a value, be it the default.
  var _isSet: Bool { get }
  /// The text that asks for a value.
  var _requestValueDialog: String? { get }
  /// The numbers that it takes; `nil` for all.
  var _range: IntentValueRange? { get }
  func _set(_ value: IntentValue, _ resolver: any _EntityResolving) async throws
  var _current: IntentValue? { get }
}

/// A parameter of an intent.
///
/// Reading the value of a required parameter that nobody gave ends the process, as it does on
/// Apple's systems; an intent is not performed while such a parameter has no value, but asks for
/// it.
@propertyWrapper
public final class IntentParameter<Value: _IntentValue>: Sendable {
  /// Where a parameter's value is from.
  public enum ValueState: Sendable {
    /// Nobody gave one.
    case unset
    /// Somebody gave this one.
    case set(Value)
  }

  private struct State {
    var value: Value?
    var isGiven = false
    var name: String?
  }

  public let title: LocalizedStringResource?
  public let description: LocalizedStringResource?
  public let defaultValue: Value?
  public let requestValueDialog: IntentDialog?
  private let range: IntentValueRange?
  private let state: Mutex<State>

  init(
    title: LocalizedStringResource?, description: LocalizedStringResource?, defaultValue: Value?,
    requestValueDialog: IntentDialog?, range: IntentValueRange? = nil
  ) {
    self.range = range
    self.title = title
    self.description = description
    self.defaultValue = defaultValue
    self.requestValueDialog = requestValueDialog
    state = Mutex(State(value: defaultValue))
  }

  /// - Parameters:
  ///   - title: The name for people.
  ///   - description: What it is for.
  ///   - requestValueDialog: Asks for a value.
  public convenience init(
    title: LocalizedStringResource, description: LocalizedStringResource? = nil,
    requestValueDialog: IntentDialog? = nil
  ) {
    self.init(
      title: title, description: description, defaultValue: nil,
      requestValueDialog: requestValueDialog)
  }

  public convenience init(
    title: LocalizedStringResource, description: LocalizedStringResource? = nil,
    default defaultValue: Value, requestValueDialog: IntentDialog? = nil
  ) {
    self.init(
      title: title, description: description, defaultValue: defaultValue,
      requestValueDialog: requestValueDialog)
  }

  public convenience init(
    description: LocalizedStringResource? = nil, requestValueDialog: IntentDialog? = nil
  ) {
    self.init(
      title: nil, description: description, defaultValue: nil,
      requestValueDialog: requestValueDialog)
  }

  public convenience init(
    description: LocalizedStringResource? = nil, default defaultValue: Value,
    requestValueDialog: IntentDialog? = nil
  ) {
    self.init(
      title: nil, description: description, defaultValue: defaultValue,
      requestValueDialog: requestValueDialog)
  }

  public var wrappedValue: Value {
    get {
      if let value = state.withLock(\.value) { return value }
      // An optional parameter that nobody gave has the value nil.
      if let none = Self.none { return none }
      fatalError("the required parameter '\(_title)' has no value")
    }
    set {
      state.withLock {
        $0.value = newValue
        $0.isGiven = true
      }
    }
  }

  public var projectedValue: IntentParameter<Value> { self }

  /// Whether somebody gave a value; the default counts as none.
  public var valueState: ValueState {
    state.withLock { state in
      if state.isGiven, let value = state.value { return .set(value) }
      return .unset
    }
  }

  /// The error to throw when the intent cannot go on without a value.
  public func needsValueError(_ dialog: IntentDialog? = nil) -> any Error {
    let question = dialog?.text ?? _requestValueDialog ?? "\(_title)?"
    // Who performs the intent says which one it is.
    var error = WireError(.needsValue, question, parameter: _name ?? _title)
    error.prompt = question
    return error
  }

  private static var none: Value? {
    (Value.self as? any ExpressibleByNilLiteral.Type).flatMap { $0.init(nilLiteral: ()) as? Value }
  }
}

extension IntentParameter: _AnyIntentParameter {
  public var _type: IntentValueType { Value._valueType }
  public var _title: String { title?.defaultValue ?? "" }
  public var _name: String? {
    get { state.withLock(\.name) }
    set { state.withLock { $0.name = newValue } }
  }
  public var _hasDefault: Bool { defaultValue != nil }
  public var _isSet: Bool { state.withLock { $0.value != nil } }
  public var _requestValueDialog: String? { requestValueDialog?.text }
  public var _range: IntentValueRange? { range }
  public var _current: IntentValue? { state.withLock { $0.value?._value } }

  public func _set(_ value: IntentValue, _ resolver: any _EntityResolving) async throws {
    let made = try await Value._make(value, resolver)
    if let range {
      let number = made._value
      guard number == .null || range.contains(number) else {
        throw WireError(.outOfRange, "\(number) was given where \(range) is expected")
      }
    }
    wrappedValue = made
  }
}
