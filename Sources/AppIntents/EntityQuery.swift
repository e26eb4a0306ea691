/// Finds entities of one type.
public protocol EntityQuery: PersistentlyIdentifiable, Sendable {
  associatedtype Entity: AppEntity where Entity.DefaultQuery: EntityQuery

  init()

  /// The entities with these identifiers, in any order; unknown ones are left out.
  func entities(for identifiers: [Entity.ID]) async throws -> [Entity]

  /// What people are offered to choose from.
  func suggestedEntities() async throws -> [Entity]

  /// What is taken when nobody chooses.
  func defaultResult() async -> Entity?
}

extension EntityQuery {
  public typealias Dependency = AppDependency

  public func suggestedEntities() async throws -> [Entity] { [] }
  public func defaultResult() async -> Entity? { nil }
}

/// A query that searches for a text.
public protocol EntityStringQuery: EntityQuery {
  /// The entities that match, the best first.
  func entities(matching string: String) async throws -> [Entity]
}

/// A query that can list all entities.
public protocol EnumerableEntityQuery: EntityQuery {
  func allEntities() async throws -> [Entity]
}

extension EnumerableEntityQuery {
  public func entities(for identifiers: [Entity.ID]) async throws -> [Entity] {
    let wanted = Set(identifiers)
    return try await allEntities().filter { wanted.contains($0.id) }
  }

  public func suggestedEntities() async throws -> [Entity] { try await allEntities() }
}
