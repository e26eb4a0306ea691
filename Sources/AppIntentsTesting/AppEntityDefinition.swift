public import Foundation
import IntentWire

/// An identifier of an entity, as a test writes it.
public protocol EntityIdentifierConvertible: Sendable {
  var entityIdentifierString: String { get }
}

extension String: EntityIdentifierConvertible {
  public var entityIdentifierString: String { self }
}

extension Int: EntityIdentifierConvertible {
  public var entityIdentifierString: String { "\(self)" }
}

extension UUID: EntityIdentifierConvertible {
  public var entityIdentifierString: String { uuidString }
}

/// A type of entities of an app, by name.
///
/// What an app does not find is an empty array, not an error.
public struct AppEntityDefinition: AppIntentTypeDefinition, Hashable {
  public let typeIdentifier: String
  public let bundleIdentifier: String

  /// An entity by its identifier; whether the app has it is found out when an intent needs it.
  public func makeReference(identifier: some EntityIdentifierConvertible) -> AnyAppEntity {
    AnyAppEntity(
      entity: IntentValue.Entity(
        type: typeIdentifier, identifier: identifier.entityIdentifierString))
  }

  /// All entities; the app's query must be an EnumerableEntityQuery.
  public func allEntities(
    fileID: String = #fileID, line: Int = #line
  ) async throws -> [AnyAppEntity] {
    try await run(allEntitiesQuery(), fileID, line)
  }

  public func allEntitiesQuery() -> AnyEntityQuery { query(.all) }

  /// Those with these identifiers, in their order; unknown ones are left out.
  public func entities<Identifier: EntityIdentifierConvertible>(
    identifiers: [Identifier], fileID: String = #fileID, line: Int = #line
  ) async throws -> [AnyAppEntity] {
    try await run(entityQuery(identifiers: identifiers), fileID, line)
  }

  public func entityQuery<Identifier: EntityIdentifierConvertible>(
    identifiers: [Identifier]
  ) -> AnyEntityQuery {
    query(.identifiers(identifiers.map(\.entityIdentifierString)))
  }

  /// Those that the app finds for a text; its query must be an EntityStringQuery.
  public func entities(
    matching text: String, fileID: String = #fileID, line: Int = #line
  ) async throws -> [AnyAppEntity] {
    try await run(entityQuery(matching: text), fileID, line)
  }

  public func entityQuery(matching text: String) -> AnyEntityQuery { query(.matching(text)) }

  /// Those that the app suggests.
  public func suggestedEntities(
    fileID: String = #fileID, line: Int = #line
  ) async throws -> [AnyAppEntity] {
    try await run(suggestedEntitiesQuery(), fileID, line)
  }

  public func suggestedEntitiesQuery() -> AnyEntityQuery { query(.suggested) }

  /// Those in the index that have all words of a text; all of the type without. What an app has
  /// just written can be found a moment later. The entity must be an IndexedEntity.
  public func spotlightQuery(
    _ userQuery: String? = nil, fileID: String = #fileID, line: Int = #line
  ) async throws -> [AnyAppEntity] {
    try await run(query(.spotlight(userQuery)), fileID, line)
  }

  /// Those in the index that have all words of a text in one field; not in Apple's API.
  ///
  /// - Parameter field: `title`, `contentDescription` or another that the index has; an error names
  ///   them.
  public func spotlightQuery(
    _ userQuery: String, in field: String, fileID: String = #fileID, line: Int = #line
  ) async throws -> [AnyAppEntity] {
    try await run(query(.spotlight(userQuery, field: field)), fileID, line)
  }

  /// The annotated views on the app's screen that show an entity of the type.
  public func viewAnnotations(
    fileID: String = #fileID, line: Int = #line
  ) async throws -> [ViewAnnotation] {
    let answer = try await IntentSystemClient.call(
      "screen.read", ["bundle": .string(bundleIdentifier), "entity": .string(typeIdentifier)],
      name: "the views of \(typeIdentifier) of \(bundleIdentifier)",
      site: CallSite(fileID: fileID, line: line))
    return try (answer["entities"]?.array ?? []).compactMap { shown in
      guard let value = shown["entity"], case .entity(let entity) = try IntentValue(json: value),
        entity.type == typeIdentifier
      else { return nil }
      return ViewAnnotation(
        entity: AnyAppEntity(entity: entity), isSelected: shown["selected"]?.bool ?? false)
    }
  }

  public func isInstance(_ instance: AnyAppEntity) throws {
    guard instance.identifier.entityType == typeIdentifier else {
      throw IntentValueError.castingFailed(
        elementType: instance.identifier.entityType, targetType: typeIdentifier)
    }
  }

  private func query(_ kind: IntentValue.Query.Kind) -> AnyEntityQuery {
    AnyEntityQuery(query: IntentValue.Query(type: typeIdentifier, kind: kind))
  }

  private func run(
    _ query: AnyEntityQuery, _ fileID: String, _ line: Int
  ) async throws -> [AnyAppEntity] {
    let answer = try await IntentSystemClient.call(
      "entity.query", ["bundle": .string(bundleIdentifier), "query": query.query.json],
      name: "the query of \(typeIdentifier) of \(bundleIdentifier)",
      site: CallSite(fileID: fileID, line: line))
    return try (answer["entities"]?.array ?? []).map {
      try AnyAppEntity._convert(IntentValue(json: $0))
    }
  }
}
