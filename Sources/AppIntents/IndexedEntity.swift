public import CoreSpotlight
package import IntentWire

/// An entity that is in the index.
@_alwaysEmitConformanceMetadata
public protocol IndexedEntity: AppEntity {
  /// What the index knows of it.
  var attributeSet: CSSearchableItemAttributeSet { get }
  /// Whether it shall not be found by people.
  var hideInSpotlight: Bool { get }
}

extension IndexedEntity {
  /// Title and subtitle of the display representation.
  public var defaultAttributeSet: CSSearchableItemAttributeSet {
    let display = displayRepresentation
    let attributes = CSSearchableItemAttributeSet()
    attributes.title = display.title.defaultValue
    attributes.contentDescription = display.subtitle?.defaultValue
    if !display.synonyms.isEmpty {
      attributes.alternateNames = display.synonyms.map(\.defaultValue)
    }
    return attributes
  }

  public var attributeSet: CSSearchableItemAttributeSet { defaultAttributeSet }
  public var hideInSpotlight: Bool { false }
}

extension IndexedEntity {
  /// What the index gets of the entity as it is now.
  package var indexEntry: IndexUpdate.Entry {
    let attributes = attributeSet
    return IndexUpdate.Entry(
      type: Self.persistentIdentifier, identifier: id.entityIdentifierString,
      domain: attributes.domainIdentifier, fields: attributes.fields)
  }
}

extension CSSearchableIndex {
  /// Adds entities, in place of earlier ones with the same identifiers.
  public func indexAppEntities<Entity: IndexedEntity>(
    _ entities: [Entity], priority: Int = 0
  ) async throws {
    try await update(.upsert(entities.filter { !$0.hideInSpotlight }.map(\.indexEntry)))
  }

  public func deleteAppEntities<Entity: IndexedEntity>(
    identifiedBy identifiers: [Entity.ID], ofType type: Entity.Type
  ) async throws {
    try await update(
      .delete(
        type: Entity.persistentIdentifier, identifiers: identifiers.map(\.entityIdentifierString)))
  }

  public func deleteAppEntities<Entity: IndexedEntity>(ofType type: Entity.Type) async throws {
    try await update(.deleteType(Entity.persistentIdentifier))
  }
}
