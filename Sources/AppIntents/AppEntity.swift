public import Foundation
public import IntentWire
import Synchronization

/// An identifier of an entity, as text and back.
public protocol EntityIdentifierConvertible {
  var entityIdentifierString: String { get }
  static func entityIdentifier(for entityIdentifierString: String) -> Self?
}

extension String: EntityIdentifierConvertible {
  public var entityIdentifierString: String { self }
  public static func entityIdentifier(for text: String) -> String? { text }
}

extension Int: EntityIdentifierConvertible {
  public var entityIdentifierString: String { "\(self)" }
  public static func entityIdentifier(for text: String) -> Int? { Int(text) }
}

extension UUID: EntityIdentifierConvertible {
  public var entityIdentifierString: String { uuidString }
  public static func entityIdentifier(for text: String) -> UUID? { UUID(uuidString: text) }
}

/// A thing of the app that others can name: a note, an album.
///
/// What is outside of the app sees its identifier, its display representation, and those properties
/// that have the wrapper `@Property`.
@_alwaysEmitConformanceMetadata
public protocol AppEntity: PersistentlyIdentifiable, InstanceDisplayRepresentable,
  TypeDisplayRepresentable, Identifiable, _IntentValue
where ID: EntityIdentifierConvertible & Hashable & Sendable {
  associatedtype DefaultQuery: EntityQuery where DefaultQuery.Entity == Self

  /// Finds entities of the type.
  static var defaultQuery: DefaultQuery { get }
}

extension AppEntity {
  public typealias Property = EntityProperty

  public static var _valueType: IntentValueType { .entity(persistentIdentifier) }

  public var _value: IntentValue {
    let display = displayRepresentation
    return .entity(
      IntentValue.Entity(
        type: Self.persistentIdentifier, identifier: id.entityIdentifierString,
        properties: properties(of: self).map { .init($0.name, $0.property._current) },
        display: .init(
          title: display.title.defaultValue, subtitle: display.subtitle?.defaultValue)))
  }

  public static func _make(
    _ value: IntentValue, _ resolver: any _EntityResolving
  ) async throws -> Self {
    try await resolver.resolve(value, as: Self.self)
  }
}

/// A property without regard to its type, for the library.
public protocol _AnyEntityProperty: AnyObject, Sendable {
  static var _type: IntentValueType { get }
  var _title: String { get }
  var _current: IntentValue { get }
}

/// A property of an entity that can be seen outside of the app.
@propertyWrapper
public final class EntityProperty<Value: _IntentValue>: Sendable {
  public let title: LocalizedStringResource?
  private let value: Mutex<Value?>

  public init() {
    title = nil
    value = Mutex(Self.none)
  }

  public init(title: LocalizedStringResource) {
    self.title = title
    value = Mutex(Self.none)
  }

  public init(wrappedValue: Value) {
    title = nil
    value = Mutex(wrappedValue)
  }

  public init(wrappedValue: Value, title: LocalizedStringResource) {
    self.title = title
    value = Mutex(wrappedValue)
  }

  public var wrappedValue: Value {
    get {
      guard let value = value.withLock({ $0 }) else {
        fatalError("the property '\(_title)' was read before it had a value")
      }
      return value
    }
    set { value.withLock { $0 = newValue } }
  }

  public var projectedValue: EntityProperty<Value> { self }

  private static var none: Value? {
    (Value.self as? any ExpressibleByNilLiteral.Type).flatMap { $0.init(nilLiteral: ()) as? Value }
  }
}

extension EntityProperty: _AnyEntityProperty {
  public static var _type: IntentValueType { Value._valueType }
  public var _title: String { title?.defaultValue ?? "" }
  public var _current: IntentValue { value.withLock { $0?._value } ?? .null }
}

/// An enumeration whose cases others can name, by their raw values.
@_alwaysEmitConformanceMetadata
public protocol AppEnum: PersistentlyIdentifiable, TypeDisplayRepresentable, RawRepresentable,
  CaseIterable, Hashable, _IntentValue, CustomLocalizedStringResourceConvertible
where RawValue: LosslessStringConvertible & Sendable {
  /// How each case is called.
  static var caseDisplayRepresentations: [Self: DisplayRepresentation] { get }
}

extension AppEnum {
  public static var _valueType: IntentValueType { .enumeration(persistentIdentifier) }

  public var _value: IntentValue {
    .enumeration(type: Self.persistentIdentifier, raw: rawValue.description)
  }

  public var localizedStringResource: LocalizedStringResource {
    Self.caseDisplayRepresentations[self]?.title
      ?? LocalizedStringResource(stringLiteral: rawValue.description)
  }

  /// Takes the raw value alone or with the type's name; the name for people is no value.
  public static func _make(_ value: IntentValue, _ resolver: any _EntityResolving) throws -> Self {
    let raw: String
    switch value {
    case .enumeration(let type, let text):
      guard type == persistentIdentifier else { throw wrongType(value, _valueType) }
      raw = text
    case .string(let text): raw = text
    case .int(let number): raw = "\(number)"
    default: throw wrongType(value, _valueType)
    }
    guard let rawValue = RawValue(raw), let found = Self(rawValue: rawValue) else {
      let known = allCases.map(\.rawValue.description).joined(separator: ", ")
      throw WireError(
        .wrongType,
        "\(persistentIdentifier) has no case with the raw value '\(raw)'; it has \(known)")
    }
    return found
  }
}
