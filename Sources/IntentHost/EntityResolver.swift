import AppIntents
package import IntentWire
import Synchronization

/// A query of the app that ran during a call.
package struct QueryRecord: Hashable, Sendable {
  package var type: String
  /// `identifiers`, `matching`, `suggested` or `all`.
  package var kind: String
  /// What was asked for: the text, or the identifiers.
  package var asked: [String]
  /// How many entities came back.
  package var returned: Int
  /// Seconds.
  package var duration: Double

  package var json: WireJSON {
    [
      "type": .string(type), "kind": .string(kind), "asked": .array(asked.map { .string($0) }),
      "returned": .int(Int64(returned)), "duration": .double(duration),
    ]
  }
}

/// Runs the app's queries for one call, and remembers them.
final class EntityResolver: _EntityResolving {
  private let log = Mutex<[QueryRecord]>([])

  /// The queries so far.
  var queries: [QueryRecord] { log.withLock { $0 } }

  func resolve<Entity: AppEntity>(
    _ value: IntentValue, as type: Entity.Type
  ) async throws -> Entity {
    let name = type.persistentIdentifier
    switch value {
    case .entity(let entity):
      guard entity.type == name else { throw wrongType(value, type._valueType) }
      return try await resolve(identifier: entity.identifier, as: type)
    case .string(let text):
      guard type.defaultQuery is any EntityStringQuery else {
        throw WireError(
          .unsupported,
          "a text was given for \(name), whose query cannot search for texts; give an entity, or "
            + "make the query an EntityStringQuery")
      }
      guard let first = try await entities(.init(type: name, kind: .matching(text)), as: type).first
      else { throw WireError(.entityNotFound, "no \(name) matches '\(text)'") }
      return first
    case .query(let query):
      guard query.type == name else { throw wrongType(value, type._valueType) }
      guard let first = try await entities(query, as: type).first else {
        throw WireError(.entityNotFound, "a query for \(name) has found nothing")
      }
      return first
    default: throw wrongType(value, type._valueType)
    }
  }

  func resolveAll<Entity: AppEntity>(
    _ query: IntentValue.Query, as type: Entity.Type
  ) async throws -> [Entity] {
    guard query.type == type.persistentIdentifier else {
      throw wrongType(.query(query), .array(type._valueType))
    }
    return try await entities(query, as: type)
  }

  private func resolve<Entity: AppEntity>(
    identifier: String, as type: Entity.Type
  ) async throws -> Entity {
    let found = try await entities(
      .init(type: type.persistentIdentifier, kind: .identifiers([identifier])), as: type)
    guard let first = found.first else {
      let isPossible = Entity.ID.entityIdentifier(for: identifier) != nil
      throw WireError(
        .entityNotFound,
        "there is no \(type.persistentIdentifier) with the identifier '\(identifier)'"
          + (isPossible ? "" : ", which is no \(Entity.ID.self)"))
    }
    return first
  }

  /// Runs a query of the app, and notes it; one that fails returned nothing.
  func entities<Entity: AppEntity>(
    _ query: IntentValue.Query, as type: Entity.Type
  ) async throws -> [Entity] {
    let start = ContinuousClock.now
    var returned = 0
    defer {
      let duration = (ContinuousClock.now - start).components
      log.withLock {
        $0.append(
          QueryRecord(
            type: type.persistentIdentifier, kind: query.kind.name, asked: query.kind.asked,
            returned: returned,
            duration: Double(duration.seconds) + Double(duration.attoseconds) * 1e-18))
      }
    }
    let found = try await run(query, as: type)
    returned = found.count
    return found
  }

  private func run<Entity: AppEntity>(
    _ query: IntentValue.Query, as type: Entity.Type
  ) async throws -> [Entity] {
    let source = type.defaultQuery
    try checkDependencies(of: source)
    switch query.kind {
    case .identifiers(let texts):
      // A text that cannot be an identifier is one that does not exist.
      let identifiers = texts.compactMap { Entity.ID.entityIdentifier(for: $0) }
      let found = identifiers.isEmpty ? [] : try await source.entities(for: identifiers)
      let byIdentifier = Dictionary(
        found.map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first })
      return identifiers.compactMap { byIdentifier[$0] }
    case .matching(let text):
      guard let source = source as? any EntityStringQuery else {
        throw WireError(
          .unsupported,
          "the query of \(type.persistentIdentifier) cannot search for texts; it is no "
            + "EntityStringQuery")
      }
      return try await matching(text, source, as: type)
    case .suggested:
      return try await source.suggestedEntities()
    case .all:
      guard let source = source as? any EnumerableEntityQuery else {
        throw WireError(
          .unsupported,
          "the query of \(type.persistentIdentifier) cannot list all; it is no "
            + "EnumerableEntityQuery"
        )
      }
      return try await all(source, as: type)
    case .spotlight:
      throw WireError(.invalidParameters, "the index is asked by the intent system, not by the app")
    }
  }

  private func matching<Query: EntityStringQuery, Entity>(
    _ text: String, _ query: Query, as type: Entity.Type
  ) async throws -> [Entity] {
    try await query.entities(matching: text).compactMap { $0 as? Entity }
  }

  private func all<Query: EnumerableEntityQuery, Entity>(
    _ query: Query, as type: Entity.Type
  ) async throws -> [Entity] {
    try await query.allEntities().compactMap { $0 as? Entity }
  }
}

extension IntentValue.Query.Kind {
  /// As it is written in messages and in the journal.
  fileprivate var name: String {
    switch self {
    case .identifiers: "identifiers"
    case .matching: "matching"
    case .suggested: "suggested"
    case .all: "all"
    case .spotlight: "spotlight"
    }
  }

  /// The texts that are looked for.
  fileprivate var asked: [String] {
    switch self {
    case .identifiers(let texts): texts
    case .matching(let text): [text]
    case .spotlight(let text, _): text.map { [$0] } ?? []
    case .suggested, .all: []
    }
  }
}

/// Throws before something reads a dependency that nobody has added, which would end the process.
func checkDependencies(of value: Any) throws {
  if let missing = missingDependency(of: value) {
    throw WireError(
      .missingDependency,
      "AppDependency \(missing) was not initialized prior to access by \(type(of: value)); add it "
        + "with AppDependencyManager.shared.add in the app's init()")
  }
}
