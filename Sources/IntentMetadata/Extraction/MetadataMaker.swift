import IntentWire

/// Makes the metadata of an app from the values that the compiler knows.
///
/// What Apple's tool makes of the same sources is known from files of public apps; keys whose
/// meaning nobody knows get the values that all of them have.
package struct MetadataMaker {
  /// A module of the app.
  package struct Module: Sendable {
    package var name: String
    /// Whether it is the app itself, not a library that it is linked with.
    package var isApp: Bool
    package var types: [ConstType]

    package init(name: String, isApp: Bool, types: [ConstType]) {
      self.name = name
      self.isApp = isApp
      self.types = types
    }
  }

  /// What is in the metadata's `generator`.
  static let generatorName = "carrel"

  let version: String
  /// Files below it are named relative to it.
  let folder: String
  var types: MetadataTypes
  var result = MetadataDraft()

  /// The metadata of an app.
  ///
  /// - Parameters:
  ///   - modules: The app's and those of the libraries that it is linked with. Intents, entities,
  ///     queries and enumerations of all are taken, of two with one name the later one; shortcuts
  ///     of the app alone, as Apple's tool does.
  ///   - version: Of this program.
  ///   - folder: The package's, without a slash at its end.
  package static func declared(
    by modules: [Module], version: String, folder: String
  ) -> DeclaredMetadata {
    var maker = MetadataMaker(
      version: version, folder: folder, types: MetadataTypes(modules.flatMap(\.types)))
    for module in modules {
      for type in module.types.sorted(by: { ($0.file, $0.line) < ($1.file, $1.line) }) {
        maker.add(type, of: module)
      }
    }
    return maker.result.declared(version: version)
  }

  private mutating func add(_ type: ConstType, of module: Module) {
    if type.conforms(to: "AppIntent") { addIntent(type) }
    if type.conforms(to: "AppEntity") { addEntity(type) }
    if type.conforms(to: "AppEnum") { addEnumeration(type) }
    if type.conforms(to: "EntityQuery") { addQuery(type) }
    if type.conforms(to: "AppShortcutsProvider") {
      result.providers.append(
        DeclaredMetadata.Provider(name: type.name, isOfApp: module.isApp))
      result.locations[.provider(type.name)] = location(type)
      if module.isApp { addShortcuts(type) }
    }
  }
}

extension MetadataMaker {
  func location(_ type: ConstType, line: Int? = nil) -> SourceLocation {
    let prefix = folder + "/"
    let file = type.file.hasPrefix(prefix) ? String(type.file.dropFirst(prefix.count)) : type.file
    return SourceLocation(file: file, line: line ?? type.line)
  }

  /// Notes that a value is only known when the app runs.
  mutating func noteUnknown(
    _ member: String, of item: MetadataItem?, _ type: ConstType, line: Int?
  ) {
    result.unknowns.append(
      DeclaredMetadata.UnknownValue(
        item: item, member: member, location: location(type, line: line)))
  }

  /// The text of a static property; `nil` when there is none, and noted when it is not known.
  mutating func text(
    _ member: String, of item: MetadataItem, _ type: ConstType
  ) -> MetadataText? {
    guard let property = type.staticProperty(member) else { return nil }
    switch ConstText(property.value) {
    case .known(let text): return text
    case .absent: return nil
    case .unknown:
      noteUnknown(member, of: item, type, line: property.line)
      return nil
    }
  }

  mutating func flag(
    _ member: String, of item: MetadataItem, _ type: ConstType, else standard: Bool
  ) -> Bool {
    guard let property = type.staticProperty(member) else { return standard }
    guard case .literal(let text) = property.value else {
      noteUnknown(member, of: item, type, line: property.line)
      return standard
    }
    return text == "true"
  }

  /// Since which versions of systems a type is there.
  func availability(_ type: ConstType) -> WireJSON {
    var platforms = type.availability.compactMap { availability -> WireJSON.Member? in
      guard let introduced = availability.introduced else { return nil }
      var versions = [WireJSON.Member("introducedVersion", .string(introduced))]
      if let obsoleted = availability.obsoleted {
        versions.append(WireJSON.Member("obsoletedVersion", .string(obsoleted)))
      }
      return WireJSON.Member(
        "LNPlatformName\(availability.platform.uppercased())", .object(versions))
    }
    platforms.append(WireJSON.Member("LNPlatformNameWildcard", ["introducedVersion": "*"]))
    return .object(platforms)
  }

  /// Keys that every declaration has.
  func common(_ type: ConstType, isDiscoverable: Bool) -> [WireJSON.Member] {
    [
      WireJSON.Member("availabilityAnnotations", availability(type)),
      WireJSON.Member("effectiveBundleIdentifiers", []),
      WireJSON.Member("mangledTypeName", .string(type.mangledName)),
      WireJSON.Member("mangledTypeNameByBundleIdentifier", [:]),
      WireJSON.Member(
        "visibilityMetadata",
        ["assistantOnly": false, "isDiscoverable": .bool(isDiscoverable)]),
    ]
  }
}

/// A text in the sources.
enum ConstText {
  case known(MetadataText)
  /// `nil`, or left out.
  case absent
  /// Only known when the code runs.
  case unknown

  init(_ value: ConstValue?) {
    switch value {
    case nil, .null: self = .absent
    case .literal(let text): self = .known(MetadataText(text))
    case .call(_, let arguments):
      // A resource is its key; a representation or description its first text.
      let labels = ["", "stringLiteral", "name", "title"]
      guard let argument = arguments.first(where: { labels.contains($0.label) }) else {
        self = .unknown
        return
      }
      self = ConstText(argument.value)
    default: self = .unknown
    }
  }

  var text: MetadataText? {
    guard case .known(let text) = self else { return nil }
    return text
  }
}
