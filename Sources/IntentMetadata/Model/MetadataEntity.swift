package import IntentWire

/// An entity as a build declares it.
package struct MetadataEntity: Hashable, Sendable {
  /// Its name in the list of all.
  package let key: String
  package let json: WireJSON

  package struct Property: Hashable, Sendable {
    package let json: WireJSON

    package var identifier: String { json["identifier"]?.string ?? "" }
    package var title: MetadataText? { MetadataText(json["title"]) }
    package var isOptional: Bool { json["isOptional"]?.bool ?? false }
    package var type: MetadataValueType { MetadataValueType(json["valueType"] ?? .null) }
  }

  package var typeName: String { json["typeName"]?.string ?? key }
  /// `Module.Type`
  package var qualifiedTypeName: String? { json["fullyQualifiedTypeName"]?.string }
  package var title: MetadataText? { MetadataText(json["displayTypeName"]) }
  /// `Module.Query`, or the query's name alone.
  package var defaultQuery: String? { json["defaultQueryIdentifier"]?.string }
  package var isTransient: Bool { json["transient"]?.bool ?? false }
  /// Properties in the order of their declaration.
  package var properties: [Property] {
    (json["properties"]?.array ?? []).map { Property(json: $0) }
  }
  /// Whether entities go into the search index.
  package var isIndexed: Bool {
    ["systemProtocolMetadata", "systemProtocolMetadataV2"].contains { key in
      json[key]?.pairs().contains { $0.key == "com.apple.appintents.entity.Indexed" } ?? false
    }
  }
  package var availability: [MetadataAvailability] {
    MetadataAvailability.list(json["availabilityAnnotations"])
  }
}

/// A query for entities.
package struct MetadataQuery: Hashable, Sendable {
  /// Its name in the list of all.
  package let key: String
  package let json: WireJSON

  package var identifier: String { json["identifier"]?.string ?? key }
  /// `Module.Query`
  package var qualifiedIdentifier: String? { json["fullyQualifiedIdentifier"]?.string }
  /// The type name of the entities that it finds.
  package var entityType: String? { json["entityType"]?.string }
  package var isDefault: Bool { json["defaultQueryForEntity"]?.bool ?? false }
  /// Bits: 2 by identifiers, 4 by a text, 8 by properties; others are not known.
  package var capabilities: Int { json["capabilities"]?.int ?? 0 }
  package var matchesText: Bool { capabilities & 4 != 0 }
}

/// An enumeration whose cases are values of parameters.
package struct MetadataEnumeration: Hashable, Sendable {
  package let json: WireJSON

  package struct Case: Hashable, Sendable {
    package let json: WireJSON

    /// The raw value.
    package var identifier: String { json["identifier"]?.string ?? "" }
    package var title: MetadataText? { MetadataText(json["displayRepresentation"]?["title"]) }
    package var synonyms: [MetadataText] {
      (json["displayRepresentation"]?["synonyms"]?.array ?? []).compactMap { MetadataText($0) }
    }
  }

  package var identifier: String { json["identifier"]?.string ?? "" }
  /// `Module.Type`
  package var typeName: String? { json["fullyQualifiedTypeName"]?.string }
  package var title: MetadataText? { MetadataText(json["displayTypeName"]) }
  /// Cases in the order of their declaration.
  package var cases: [Case] { (json["cases"]?.array ?? []).map { Case(json: $0) } }
  /// Whether it is one of the system's own.
  package var isSystem: Bool { json["isSystem"]?.bool ?? false }
}

/// An App Shortcut: an intent that people can call by its phrases without setting it up.
package struct MetadataShortcut: Hashable, Sendable {
  package let json: WireJSON

  /// The identifier of its intent.
  package var intent: String { json["actionIdentifier"]?.string ?? "" }
  package var title: MetadataText? { MetadataText(json["shortTitle"]) }
  package var image: String? { json["systemImageName"]?.string }
  /// With `${applicationName}` and `${parameter}` for what is filled in; the first is the main one.
  package var phrases: [MetadataText] {
    (json["phraseTemplates"]?.array ?? []).compactMap { MetadataText($0) }
  }
}
