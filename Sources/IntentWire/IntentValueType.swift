/// The type of a parameter, a property or a result.
///
/// Its text is what a Swift author would write, with the kind before a type of the app's own:
/// `String`, `[Int]`, `Date?`, `entity NoteEntity`, `enum Color`.
public indirect enum IntentValueType: Hashable, Sendable {
  case bool, int, double, string, date, url, data, file
  case enumeration(String)
  case entity(String)
  case array(IntentValueType)
  case optional(IntentValueType)

  /// The type without the optional around it.
  public var wrapped: IntentValueType {
    if case .optional(let type) = self { return type.wrapped }
    return self
  }

  public var isOptional: Bool {
    if case .optional = self { return true }
    return false
  }
}

extension IntentValueType: CustomStringConvertible {
  public var description: String {
    switch self {
    case .bool: "Bool"
    case .int: "Int"
    case .double: "Double"
    case .string: "String"
    case .date: "Date"
    case .url: "URL"
    case .data: "Data"
    case .file: "IntentFile"
    case .enumeration(let name): "enum \(name)"
    case .entity(let name): "entity \(name)"
    case .array(let element): "[\(element)]"
    case .optional(let type): "\(type)?"
    }
  }

  /// Reads a type's text; `nil` when it names no type of this version.
  public init?(_ text: some StringProtocol) {
    if text.hasSuffix("?"), let type = IntentValueType(text.dropLast()) {
      self = .optional(type)
      return
    }
    if text.hasPrefix("["), text.hasSuffix("]"),
      let element = IntentValueType(text.dropFirst().dropLast())
    {
      self = .array(element)
      return
    }
    switch text {
    case "Bool": self = .bool
    case "Int": self = .int
    case "Double": self = .double
    case "String": self = .string
    case "Date": self = .date
    case "URL": self = .url
    case "Data": self = .data
    case "IntentFile": self = .file
    default:
      guard let space = text.firstIndex(of: " ") else { return nil }
      let name = String(text[text.index(after: space)...])
      guard !name.isEmpty else { return nil }
      switch text[..<space] {
      case "enum": self = .enumeration(name)
      case "entity": self = .entity(name)
      default: return nil
      }
    }
  }
}
