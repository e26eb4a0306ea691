public import AppIntentsTypeSupport
public import Foundation
public import IntentWire

/// Finds the entities that values on the wire stand for.
///
/// Only the library conforms.
public protocol _EntityResolving: Sendable {
  func resolve<Entity: AppEntity>(_ value: IntentValue, as type: Entity.Type) async throws -> Entity
  func resolveAll<Entity: AppEntity>(
    _ query: IntentValue.Query, as type: Entity.Type
  ) async throws -> [Entity]
}

/// A type that parameters, results and properties can have.
///
/// The library's types conform, and every ``AppEntity`` and ``AppEnum`` does; apps do not conform
/// types of their own. A conversion from a value that does not fit throws a ``WireError`` with the
/// code `wrongType`.
public protocol _IntentValue: Sendable {
  static var _valueType: IntentValueType { get }
  var _value: IntentValue { get }
  static func _make(_ value: IntentValue, _ resolver: any _EntityResolving) async throws -> Self
}

/// A value cannot be made into a type.
package func wrongType(_ value: IntentValue, _ type: IntentValueType) -> WireError {
  WireError(.wrongType, "\(value.kindName) was given where \(type) is expected")
}

extension String: _IntentValue {
  public static var _valueType: IntentValueType { .string }
  public var _value: IntentValue { .string(self) }

  public static func _make(_ value: IntentValue, _ resolver: any _EntityResolving) throws -> String
  {
    switch value {
    case .string(let text): text
    case .int(let number): "\(number)"
    case .url(let text): text
    default: throw wrongType(value, _valueType)
    }
  }
}

extension Int: _IntentValue {
  public static var _valueType: IntentValueType { .int }
  public var _value: IntentValue { .int(self) }

  public static func _make(_ value: IntentValue, _ resolver: any _EntityResolving) throws -> Int {
    switch value {
    case .int(let number): return number
    case .double(let number):
      if let whole = Int(exactly: number) { return whole }
      throw WireError(.wrongType, "\(number) was given where a whole number is expected")
    case .string(let text):
      if let number = Int(text) { return number }
    default: break
    }
    throw wrongType(value, _valueType)
  }
}

extension Double: _IntentValue {
  public static var _valueType: IntentValueType { .double }
  public var _value: IntentValue { .double(self) }

  public static func _make(_ value: IntentValue, _ resolver: any _EntityResolving) throws -> Double
  {
    switch value {
    case .double(let number): return number
    case .int(let number): return Double(number)
    case .string(let text):
      if let number = Double(text) { return number }
    default: break
    }
    throw wrongType(value, _valueType)
  }
}

extension Bool: _IntentValue {
  public static var _valueType: IntentValueType { .bool }
  public var _value: IntentValue { .bool(self) }

  public static func _make(_ value: IntentValue, _ resolver: any _EntityResolving) throws -> Bool {
    guard case .bool(let flag) = value else { throw wrongType(value, _valueType) }
    return flag
  }
}

extension Date: _IntentValue {
  public static var _valueType: IntentValueType { .date }
  public var _value: IntentValue { .date(timeIntervalSince1970) }

  public static func _make(_ value: IntentValue, _ resolver: any _EntityResolving) throws -> Date {
    guard case .date(let seconds) = value else { throw wrongType(value, _valueType) }
    return Date(timeIntervalSince1970: seconds)
  }
}

extension URL: _IntentValue {
  public static var _valueType: IntentValueType { .url }
  public var _value: IntentValue { .url(absoluteString) }

  public static func _make(_ value: IntentValue, _ resolver: any _EntityResolving) throws -> URL {
    switch value {
    case .url(let text), .string(let text):
      if let url = URL(string: text) { return url }
    default: break
    }
    throw wrongType(value, _valueType)
  }
}

extension Data: _IntentValue {
  public static var _valueType: IntentValueType { .data }
  public var _value: IntentValue { .data(Array(self)) }

  public static func _make(_ value: IntentValue, _ resolver: any _EntityResolving) throws -> Data {
    guard case .data(let bytes) = value else { throw wrongType(value, _valueType) }
    return Data(bytes)
  }
}

extension IntentFile: _IntentValue {
  public static var _valueType: IntentValueType { .file }
  public var _value: IntentValue { .file(name: filename, bytes: Array(data)) }

  public static func _make(
    _ value: IntentValue, _ resolver: any _EntityResolving
  ) throws -> IntentFile {
    guard case .file(let name, let bytes) = value else { throw wrongType(value, _valueType) }
    return IntentFile(data: Data(bytes), filename: name)
  }
}

extension Optional: _IntentValue where Wrapped: _IntentValue {
  public static var _valueType: IntentValueType { .optional(Wrapped._valueType) }
  public var _value: IntentValue { self?._value ?? .null }

  public static func _make(
    _ value: IntentValue, _ resolver: any _EntityResolving
  ) async throws -> Wrapped? {
    if case .null = value { return nil }
    return try await Wrapped._make(value, resolver)
  }
}

extension Array: _IntentValue where Element: _IntentValue {
  public static var _valueType: IntentValueType { .array(Element._valueType) }
  public var _value: IntentValue { .array(map(\._value)) }

  public static func _make(
    _ value: IntentValue, _ resolver: any _EntityResolving
  ) async throws -> [Element] {
    if case .query(let query) = value, let type = Element.self as? any AppEntity.Type {
      return try await resolver.resolveAll(query, as: type).compactMap { $0 as? Element }
    }
    // One value is an array of one, as the system passes it.
    guard case .array(let values) = value else { return [try await Element._make(value, resolver)] }
    var elements: [Element] = []
    for value in values { elements.append(try await Element._make(value, resolver)) }
    return elements
  }
}
