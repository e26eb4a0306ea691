import IntentWire

/// A type of the sources, with the values of its members that the compiler knows.
package struct ConstType: Hashable, Sendable {
  package struct Property: Hashable, Sendable {
    package var label: String
    /// With modules: `Swift.Optional<Swift.String>`
    package var type: String
    package var isStatic: Bool
    /// From 1; `nil` for what the compiler made.
    package var line: Int?
    package var value: ConstValue
  }

  package struct Alias: Hashable, Sendable {
    package var type: String
    /// The protocols of an opaque type.
    package var protocols: [String]
    /// What an opaque type says of associated types, by their names with the protocol.
    package var sameTypes: [String: String]
  }

  package struct Case: Hashable, Sendable {
    package var name: String
    package var rawValue: String?
  }

  package struct Availability: Hashable, Sendable {
    /// As `@available` has it: `iOS`, `macOS`.
    package var platform: String
    package var introduced: String?
    package var obsoleted: String?
    package var isDeprecated: Bool
  }

  /// `Module.Outer.Type`
  package var name: String
  package var mangledName: String
  /// An absolute path.
  package var file: String
  /// From 1.
  package var line: Int
  /// With modules: `AppIntents.AppIntent`
  package var conformances: Set<String>
  package var aliases: [String: Alias]
  package var properties: [Property]
  package var cases: [Case]
  package var availability: [Availability]

  package var module: String { String(name.prefix { $0 != "." }) }

  /// The name without module and outer types.
  package var shortName: String {
    name.lastIndex(of: ".").map { String(name[name.index(after: $0)...]) } ?? name
  }

  /// A property of the type itself.
  func staticProperty(_ label: String) -> Property? {
    properties.first { $0.isStatic && $0.label == label }
  }

  /// Whether it conforms to a protocol of App Intents.
  func conforms(to name: String) -> Bool { conformances.contains("AppIntents.\(name)") }
}

extension ConstType {
  /// Reads what the compiler wrote for one file or module.
  ///
  /// - Throws: ``MetadataError`` when that has another form.
  package static func list(reading bytes: [UInt8]) throws(MetadataError) -> [ConstType] {
    let json: WireJSON
    do throws(WireSyntaxError) {
      json = try WireJSON(reading: bytes)
    } catch {
      throw MetadataError(
        .invalidJSON, "the compiler's values are no JSON: \(error)",
        context: ["offset": "\(error.offset)"])
    }
    guard let values = json.array else {
      throw MetadataError(.invalidShape, "the compiler's values are no list of types")
    }
    var types: [ConstType] = []
    for value in values {
      guard let type = ConstType(value) else {
        throw MetadataError(.invalidShape, "the compiler's values have a type without a name")
      }
      types.append(type)
    }
    return types
  }

  private init?(_ json: WireJSON) {
    guard let name = json["typeName"]?.string else { return nil }
    self.init(
      name: name, mangledName: json["mangledTypeName"]?.string ?? "",
      file: json["file"]?.string ?? "", line: json["line"]?.int ?? 0,
      conformances: Set(Self.strings(json["conformances"])),
      aliases: Dictionary(
        (json["associatedTypeAliases"]?.array ?? []).compactMap { alias in
          alias["typeAliasName"]?.string.map { ($0, Alias(alias)) }
        }, uniquingKeysWith: { first, _ in first }),
      properties: (json["properties"]?.array ?? []).map { Property($0) },
      cases: (json["cases"]?.array ?? []).map {
        Case(name: $0["name"]?.string ?? "", rawValue: $0["rawValue"]?.string)
      },
      availability: (json["availabilityAttributes"]?.array ?? []).map { Availability($0) })
  }

  private static func strings(_ json: WireJSON?) -> [String] {
    (json?.array ?? []).compactMap(\.string)
  }
}

extension ConstType.Property {
  init(_ json: WireJSON) {
    self.init(
      label: json["label"]?.string ?? "", type: json["type"]?.string ?? "",
      isStatic: json["isStatic"]?.string == "true", line: json["line"]?.int,
      value: ConstValue(json))
  }
}

extension ConstType.Alias {
  init(_ json: WireJSON) {
    self.init(
      type: json["substitutedTypeName"]?.string ?? "",
      protocols: (json["opaqueTypeProtocolRequirements"]?.array ?? []).compactMap(\.string),
      sameTypes: Dictionary(
        (json["opaqueTypeSameTypeRequirements"]?.array ?? []).compactMap { requirement in
          guard let name = requirement["typeAliasName"]?.string,
            let type = requirement["substitutedTypeName"]?.string
          else { return nil }
          return (name, type)
        }, uniquingKeysWith: { first, _ in first }))
  }
}

extension ConstType.Availability {
  init(_ json: WireJSON) {
    self.init(
      platform: json["platform"]?.string ?? "",
      introduced: json["introducedVersion"]?.string,
      obsoleted: json["obsoletedVersion"]?.string,
      isDeprecated: json["isDeprecated"]?.bool ?? false)
  }
}
