/// A text that is looked up when somebody reads it: a key, and the text to show without a table.
///
/// Source-compatible with Foundation's type of the same name, which Linux does not have. Here the
/// text is always the default value: there are no string tables on Linux.
public struct LocalizedStringResource: Hashable, Sendable, CustomStringConvertible {
  /// The key in a string table; interpolations stand as `%@`.
  public var key: String
  /// The text with its interpolations filled in.
  public var defaultValue: String
  /// The name of the string table.
  public var table: String?

  public init(
    _ key: StaticString, defaultValue: String.LocalizationValue, table: String? = nil,
    comment: StaticString? = nil
  ) {
    self.key = "\(key)"
    self.defaultValue = defaultValue.text
    self.table = table
  }

  public init(
    _ keyAndValue: String.LocalizationValue, table: String? = nil, comment: StaticString? = nil
  ) {
    key = keyAndValue.key
    defaultValue = keyAndValue.text
    self.table = table
  }

  public var description: String { defaultValue }
}

extension LocalizedStringResource: ExpressibleByStringInterpolation {
  public init(stringLiteral value: String) { self.init(String.LocalizationValue(value)) }

  public init(stringInterpolation: String.LocalizationValue.StringInterpolation) {
    self.init(String.LocalizationValue(stringInterpolation: stringInterpolation))
  }
}

/// Something that has a text for people.
public protocol CustomLocalizedStringResourceConvertible {
  var localizedStringResource: LocalizedStringResource { get }
}

extension String {
  /// A text with interpolations, from which the key of a string table can be made.
  public struct LocalizationValue: Hashable, Sendable, ExpressibleByStringInterpolation {
    var key: String
    var text: String

    public init(_ value: String) {
      key = value
      text = value
    }

    public init(stringLiteral value: String) { self.init(value) }

    public init(stringInterpolation: StringInterpolation) {
      key = stringInterpolation.key
      text = stringInterpolation.text
    }

    /// Collects the key and the text side by side.
    public struct StringInterpolation: StringInterpolationProtocol, Hashable, Sendable {
      var key = ""
      var text = ""

      public init(literalCapacity: Int, interpolationCount: Int) {}

      public mutating func appendLiteral(_ literal: String) {
        key += literal.replacing("%", with: "%%")
        text += literal
      }

      public mutating func appendInterpolation(_ value: some CustomStringConvertible) {
        key += value is any BinaryInteger ? "%lld" : value is any BinaryFloatingPoint ? "%lf" : "%@"
        text += value.description
      }

      public mutating func appendInterpolation(_ value: some Any) {
        key += "%@"
        text += String(describing: value)
      }
    }
  }

  /// The text of a resource.
  public init(localized resource: LocalizedStringResource) { self = resource.defaultValue }

  /// The text of a value.
  public init(
    localized value: LocalizationValue, table: String? = nil, comment: StaticString? = nil
  ) {
    self = value.text
  }
}
