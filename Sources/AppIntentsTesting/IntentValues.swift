@_exported public import AppIntentsTypeSupport
public import Foundation
public import IntentWire

/// Something that can be given as a parameter.
public protocol IntentValueExpressing: Sendable {
  var _intentValue: IntentValue { get }
}

/// Something that a result or a property can be read as.
public protocol IntentValueConvertible: IntentValueExpressing {
  /// - Throws: ``IntentValueError``.
  static func _convert(_ value: IntentValue) throws -> Self
}

/// A type of the test's own that stands for a value.
public protocol IntentValueConvertibleWrapper: IntentValueConvertible {
  associatedtype WrappedValue: IntentValueConvertible
  var wrappedValue: WrappedValue { get }
  init(wrappedValue: WrappedValue) throws
}

extension IntentValueConvertibleWrapper {
  public var _intentValue: IntentValue { wrappedValue._intentValue }

  public static func _convert(_ value: IntentValue) throws -> Self {
    try Self(wrappedValue: try WrappedValue._convert(value))
  }
}

/// A value is not what the test reads it as.
public enum IntentValueError: Error, Hashable, Sendable {
  /// The value has another type; `NSNull` stands for no value.
  case castingFailed(elementType: String, targetType: String)
  /// The entity exposes no property of the name: it has no `@Property`, or is a mere reference.
  case notExposed(name: String, type: String, exposed: [String] = [])
  /// An array has fewer elements.
  case outOfRange(index: Int, count: Int)
}

extension IntentValueError: CustomStringConvertible {
  public var description: String {
    switch self {
    case .castingFailed(let element, let target):
      "castingFailed(elementType: \"\(element)\", targetType: \"\(target)\"): "
        + (errorDescription ?? "")
    default: errorDescription ?? ""
    }
  }
}

extension IntentValueError: LocalizedError {
  public var errorDescription: String? {
    switch self {
    case .castingFailed("NSNull", let target):
      "there is no value to read as \(target): the intent returned none, or the property is nil; "
        + "\(target)? can be nil"
    case .castingFailed(let element, let target):
      "the value is of the type \(element), and cannot be read as \(target)"
    case .notExposed(let name, let type, let exposed):
      "\(type) exposes no property '\(name)'"
        + (exposed.isEmpty ? "" : "; it exposes \(exposed.joined(separator: ", "))")
        + ": only members with @Property can be seen outside of the app, and the identifier as "
        + ".identifier.instanceIdentifier"
    case .outOfRange(let index, let count):
      "there is no element \(index); there are \(count)"
    }
  }
}

/// The error for a value that is not of the wanted type.
func castingFailed(_ value: IntentValue, _ target: Any.Type) -> IntentValueError {
  let element =
    switch value {
    case .null: "NSNull"
    case .bool: "Bool"
    case .int: "Int"
    case .double: "Double"
    case .string: "String"
    case .date: "Date"
    case .url: "URL"
    case .data: "Data"
    case .file: "IntentFile"
    case .enumeration(let type, _): type
    case .entity(let entity): entity.type
    case .query(let query): query.type
    case .array: "Array"
    }
  return .castingFailed(elementType: element, targetType: "\(target)")
}

extension String: IntentValueConvertible {
  public var _intentValue: IntentValue { .string(self) }

  public static func _convert(_ value: IntentValue) throws -> String {
    guard case .string(let text) = value else { throw castingFailed(value, Self.self) }
    return text
  }
}

extension Int: IntentValueConvertible {
  public var _intentValue: IntentValue { .int(self) }

  public static func _convert(_ value: IntentValue) throws -> Int {
    guard case .int(let number) = value else { throw castingFailed(value, Self.self) }
    return number
  }
}

extension Double: IntentValueConvertible {
  public var _intentValue: IntentValue { .double(self) }

  public static func _convert(_ value: IntentValue) throws -> Double {
    switch value {
    case .double(let number): return number
    case .int(let number): return Double(number)
    default: throw castingFailed(value, Self.self)
    }
  }
}

extension Bool: IntentValueConvertible {
  public var _intentValue: IntentValue { .bool(self) }

  public static func _convert(_ value: IntentValue) throws -> Bool {
    guard case .bool(let flag) = value else { throw castingFailed(value, Self.self) }
    return flag
  }
}

extension Date: IntentValueConvertible {
  public var _intentValue: IntentValue { .date(timeIntervalSince1970) }

  public static func _convert(_ value: IntentValue) throws -> Date {
    guard case .date(let seconds) = value else { throw castingFailed(value, Self.self) }
    return Date(timeIntervalSince1970: seconds)
  }
}

extension URL: IntentValueConvertible {
  public var _intentValue: IntentValue { .url(absoluteString) }

  public static func _convert(_ value: IntentValue) throws -> URL {
    guard case .url(let text) = value, let url = URL(string: text) else {
      throw castingFailed(value, Self.self)
    }
    return url
  }
}

extension Data: IntentValueConvertible {
  public var _intentValue: IntentValue { .data(Array(self)) }

  public static func _convert(_ value: IntentValue) throws -> Data {
    guard case .data(let bytes) = value else { throw castingFailed(value, Self.self) }
    return Data(bytes)
  }
}

extension IntentFile: IntentValueConvertible {
  public var _intentValue: IntentValue { .file(name: filename, bytes: Array(data)) }

  public static func _convert(_ value: IntentValue) throws -> IntentFile {
    guard case .file(let name, let bytes) = value else { throw castingFailed(value, Self.self) }
    return IntentFile(data: Data(bytes), filename: name)
  }
}

extension Optional: IntentValueExpressing where Wrapped: IntentValueExpressing {
  /// `nil` says that the parameter is cleared; a parameter that is not given is left alone.
  public var _intentValue: IntentValue { self?._intentValue ?? .null }
}

extension Optional: IntentValueConvertible where Wrapped: IntentValueConvertible {
  public static func _convert(_ value: IntentValue) throws -> Wrapped? {
    if case .null = value { return nil }
    return try Wrapped._convert(value)
  }
}

extension Array: IntentValueExpressing where Element: IntentValueExpressing {
  public var _intentValue: IntentValue { .array(map(\._intentValue)) }
}

extension Array: IntentValueConvertible where Element: IntentValueConvertible {
  public static func _convert(_ value: IntentValue) throws -> [Element] {
    guard case .array(let values) = value else { throw castingFailed(value, Self.self) }
    return try values.map { try Element._convert($0) }
  }
}
