package import IntentWire

/// An intent as a build declares it: an `action` of the metadata.
package struct MetadataIntent: Hashable, Sendable {
  /// Its name in the list of all.
  package let key: String
  package let json: WireJSON

  /// The name that makes it known: its persistent identifier, by default the type's name.
  package var identifier: String { json["identifier"]?.string ?? key }
  /// `Module.Type`; files of Xcode 15 do not have it.
  package var typeName: String? { json["fullyQualifiedTypeName"]?.string }
  package var mangledTypeName: String? {
    [json["mangledTypeNameV2"], json["mangledTypeName"]].lazy.compactMap { $0?.string }
      .first { !$0.isEmpty }
  }
  package var title: MetadataText? { MetadataText(json["title"]) }
  package var descriptionText: MetadataText? {
    MetadataText(json["descriptionMetadata"]?["descriptionText"])
  }
  package var category: MetadataText? {
    MetadataText(json["descriptionMetadata"]?["categoryName"]?["title"])
  }
  package var isDiscoverable: Bool {
    json["visibilityMetadata"]?["isDiscoverable"]?.bool ?? json["isDiscoverable"]?.bool ?? true
  }
  package var opensApp: Bool { json["openAppWhenRun"]?.bool ?? false }
  /// Bits: 1 in the background, 2 opens the app, 4 and 8 may go on in the foreground (as seen in
  /// files; Apple documents none).
  package var supportedModes: Int? { json["supportedModes"]?.int }
  /// The type of its result's value; `nil` when it returns none.
  package var outputType: MetadataValueType? { json["outputType"].map { MetadataValueType($0) } }
  /// Whether its result has a dialog.
  package var providesDialog: Bool { (json["outputFlags"]?.int ?? 0) & 4 != 0 }
  /// Parameters in the order of their declaration.
  package var parameters: [MetadataParameter] {
    (json["parameters"]?.array ?? []).map { MetadataParameter(json: $0) }
  }
  /// What `parameterSummary` says; `nil` when there is none.
  package var summary: MetadataSummary? { MetadataSummary(json["actionConfiguration"]) }
  package var systemProtocols: [String] {
    (json["systemProtocols"]?.array ?? []).compactMap(\.string)
  }
  package var availability: [MetadataAvailability] {
    MetadataAvailability.list(json["availabilityAnnotations"])
  }
  /// The intent that takes its place, when it is deprecated.
  package var replacement: String? {
    json["deprecationMetadata"]?["replacedByIntentIdentifier"]?.string
  }
  package var isDeprecated: Bool { json["deprecationMetadata"].map { $0 != .null } ?? false }
}

/// A parameter of an intent.
package struct MetadataParameter: Hashable, Sendable {
  package let json: WireJSON

  package var name: String { json["name"]?.string ?? "" }
  package var title: MetadataText? { MetadataText(json["title"]) }
  package var descriptionText: MetadataText? { MetadataText(json["parameterDescription"]) }
  package var isOptional: Bool { json["isOptional"]?.bool ?? false }
  package var type: MetadataValueType { MetadataValueType(json["valueType"] ?? .null) }
  /// The value when nobody gives one, as it is in the file: `{"int": {"wrapper": 1}}`.
  package var defaultValue: WireJSON? { specific("LNValueTypeSpecificMetadataKeyDefaultValue") }
  package var lowerBound: Double? { bound("LNValueTypeMetadataKeyNumberLowerBound") }
  package var upperBound: Double? { bound("LNValueTypeMetadataKeyNumberUpperBound") }
  /// Whether values are suggested (1) or can be searched for by text (2).
  package var dynamicOptions: Int { json["dynamicOptionsSupport"]?.int ?? 0 }

  private func specific(_ key: String) -> WireJSON? {
    json["typeSpecificMetadata"]?.pairs().first { $0.key == key }?.value
  }

  private func bound(_ key: String) -> Double? {
    specific(key)?.members?.first?.value["wrapper"]?.double
  }
}
