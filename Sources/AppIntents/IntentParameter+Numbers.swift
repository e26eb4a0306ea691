import IntentWire

/// How people set a number on a screen; kept for sources that say it, as there is none here.
public enum _NumberControlStyle: Hashable, Sendable {
  case field, stepper, slider
}

extension IntentParameter {
  public typealias IntControlStyle = _NumberControlStyle
  public typealias DoubleControlStyle = _NumberControlStyle
}

extension IntentParameter where Value == Int {
  /// A whole number within a range; a call with another one fails.
  ///
  /// - Parameter inclusiveRange: The least and the greatest number.
  public convenience init(
    title: LocalizedStringResource, description: LocalizedStringResource? = nil,
    default defaultValue: Int? = nil, controlStyle: IntControlStyle = .field,
    inclusiveRange: (Int, Int), requestValueDialog: IntentDialog? = nil
  ) {
    self.init(
      title: title, description: description, defaultValue: defaultValue,
      requestValueDialog: requestValueDialog, range: .int(inclusiveRange.0, inclusiveRange.1))
  }

  public convenience init(
    title: LocalizedStringResource, description: LocalizedStringResource? = nil,
    default defaultValue: Int? = nil, controlStyle: IntControlStyle,
    requestValueDialog: IntentDialog? = nil
  ) {
    self.init(
      title: title, description: description, defaultValue: defaultValue,
      requestValueDialog: requestValueDialog)
  }
}

extension IntentParameter where Value == Int? {
  /// A whole number within a range, or none; a call with another one fails.
  ///
  /// - Parameter inclusiveRange: The least and the greatest number.
  public convenience init(
    title: LocalizedStringResource, description: LocalizedStringResource? = nil,
    default defaultValue: Int? = nil, controlStyle: IntControlStyle = .field,
    inclusiveRange: (Int, Int), requestValueDialog: IntentDialog? = nil
  ) {
    self.init(
      title: title, description: description, defaultValue: defaultValue.map { $0 },
      requestValueDialog: requestValueDialog, range: .int(inclusiveRange.0, inclusiveRange.1))
  }

  public convenience init(
    title: LocalizedStringResource, description: LocalizedStringResource? = nil,
    default defaultValue: Int? = nil, controlStyle: IntControlStyle,
    requestValueDialog: IntentDialog? = nil
  ) {
    self.init(
      title: title, description: description, defaultValue: defaultValue.map { $0 },
      requestValueDialog: requestValueDialog)
  }
}

extension IntentParameter where Value == Double {
  /// A number within a range; a call with another one fails.
  ///
  /// - Parameter inclusiveRange: The least and the greatest number.
  public convenience init(
    title: LocalizedStringResource, description: LocalizedStringResource? = nil,
    default defaultValue: Double? = nil, controlStyle: DoubleControlStyle = .field,
    inclusiveRange: (Double, Double), requestValueDialog: IntentDialog? = nil
  ) {
    self.init(
      title: title, description: description, defaultValue: defaultValue,
      requestValueDialog: requestValueDialog, range: .double(inclusiveRange.0, inclusiveRange.1))
  }

  public convenience init(
    title: LocalizedStringResource, description: LocalizedStringResource? = nil,
    default defaultValue: Double? = nil, controlStyle: DoubleControlStyle,
    requestValueDialog: IntentDialog? = nil
  ) {
    self.init(
      title: title, description: description, defaultValue: defaultValue,
      requestValueDialog: requestValueDialog)
  }
}

extension IntentParameter where Value == Double? {
  /// A number within a range, or none; a call with another one fails.
  ///
  /// - Parameter inclusiveRange: The least and the greatest number.
  public convenience init(
    title: LocalizedStringResource, description: LocalizedStringResource? = nil,
    default defaultValue: Double? = nil, controlStyle: DoubleControlStyle = .field,
    inclusiveRange: (Double, Double), requestValueDialog: IntentDialog? = nil
  ) {
    self.init(
      title: title, description: description, defaultValue: defaultValue.map { $0 },
      requestValueDialog: requestValueDialog, range: .double(inclusiveRange.0, inclusiveRange.1))
  }

  public convenience init(
    title: LocalizedStringResource, description: LocalizedStringResource? = nil,
    default defaultValue: Double? = nil, controlStyle: DoubleControlStyle,
    requestValueDialog: IntentDialog? = nil
  ) {
    self.init(
      title: title, description: description, defaultValue: defaultValue.map { $0 },
      requestValueDialog: requestValueDialog)
  }
}
