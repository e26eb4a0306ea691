public import IntentWire

/// Which entity: the type's name, and the identifier in it.
public struct AttributedEntityIdentifier: Hashable, Sendable, CustomStringConvertible {
  public let entityType: String
  public let instanceIdentifier: String

  public var description: String { "\(entityType)/\(instanceIdentifier)" }
}

/// An entity of an app, seen from outside.
///
/// Members are the app's properties with `@Property`; the identifier is in ``identifier``.
@dynamicMemberLookup
public struct AnyAppEntity: Sendable, IntentValueConvertible {
  let entity: IntentValue.Entity

  public var identifier: AttributedEntityIdentifier {
    AttributedEntityIdentifier(
      entityType: entity.type, instanceIdentifier: entity.identifier)
  }

  /// How it is called on the screen; `nil` for a mere reference.
  public var displayTitle: String? { entity.display?.title }

  public subscript<T: IntentValueConvertible>(dynamicMember name: String) -> T {
    get throws { try T._convert(IntentValue.entity(entity).member(name).get()) }
  }

  public subscript(dynamicMember name: String) -> DynamicPropertyPath {
    DynamicPropertyPath(IntentValue.entity(entity).member(name))
  }

  public var _intentValue: IntentValue {
    // A reference is enough: the app finds the entity by its identifier.
    .entity(IntentValue.Entity(type: entity.type, identifier: entity.identifier))
  }

  public static func _convert(_ value: IntentValue) throws -> AnyAppEntity {
    guard case .entity(let entity) = value else { throw castingFailed(value, Self.self) }
    return AnyAppEntity(entity: entity)
  }
}

extension AnyAppEntity: Hashable, CustomStringConvertible {
  /// Two are equal when they name the same entity, whatever is known of it.
  public static func == (first: AnyAppEntity, second: AnyAppEntity) -> Bool {
    first.identifier == second.identifier
  }

  public func hash(into hasher: inout Hasher) { hasher.combine(identifier) }

  public var description: String {
    displayTitle.map { "\(identifier) (\($0))" } ?? "\(identifier)"
  }
}

/// A case of an enumeration of an app, seen from outside.
public struct AnyAppEnum: Hashable, Sendable, CustomStringConvertible, IntentValueConvertible {
  public let typeIdentifier: String
  public let rawValue: String

  public init(typeIdentifier: String, value: String) {
    self.typeIdentifier = typeIdentifier
    rawValue = value
  }

  /// The case as an enumeration of the test's own.
  public func `as`<T: RawRepresentable<String>>(_ type: T.Type) throws -> T {
    guard let value = T(rawValue: rawValue) else {
      throw IntentValueError.castingFailed(elementType: typeIdentifier, targetType: "\(type)")
    }
    return value
  }

  public var description: String { "\(typeIdentifier).\(rawValue)" }
  public var _intentValue: IntentValue { .enumeration(type: typeIdentifier, raw: rawValue) }

  public static func _convert(_ value: IntentValue) throws -> AnyAppEnum {
    guard case .enumeration(let type, let raw) = value else {
      throw castingFailed(value, Self.self)
    }
    return AnyAppEnum(typeIdentifier: type, value: raw)
  }
}

/// A query that can be given where an entity is expected: the app runs it.
public struct AnyEntityQuery: Hashable, Sendable, IntentValueExpressing {
  let query: IntentValue.Query

  public var _intentValue: IntentValue { .query(query) }
}

/// An annotated view of the app.
public struct ViewAnnotation: Hashable, Sendable {
  public let entity: AnyAppEntity
  public let isSelected: Bool
}
