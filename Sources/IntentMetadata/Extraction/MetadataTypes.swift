import IntentWire

/// The types of an app by name, and what values of them are in metadata.
struct MetadataTypes {
  private var types: [String: ConstType] = [:]

  init(_ types: [ConstType]) {
    for type in types { self.types[type.name] = type }
  }

  subscript(_ name: String) -> ConstType? { types[name] }

  /// A type, and whether it may be missing.
  struct Value {
    var type: MetadataValueType
    var isOptional: Bool
    /// The type without what holds it.
    var element: ConstType?
  }

  /// What a value of a type of the sources is; `nil` when the metadata has nothing for it.
  func value(_ name: TypeName) -> Value? {
    if name.name == "Swift.Optional", let wrapped = name.arguments.first {
      guard var value = value(wrapped) else { return nil }
      value.isOptional = true
      return value
    }
    guard let kind = kind(name) else { return nil }
    return Value(type: MetadataValueType(kind), isOptional: false, element: element(name))
  }

  private func kind(_ name: TypeName) -> MetadataValueType.Kind? {
    switch name.name {
    case "Swift.Array":
      return name.arguments.first.flatMap { kind($0) }.map { .array($0) }
    case "Swift.String": return .primitive(.string)
    case "Swift.Bool": return .primitive(.bool)
    case "Swift.Int": return .primitive(.int)
    case "Swift.Double": return .primitive(.double)
    default: break
    }
    switch Self.withoutModule(name.name, of: ["Foundation", "FoundationEssentials"]) {
    case "Date": return .primitive(.date)
    case "URL": return .primitive(.url)
    case "AttributedString": return .primitive(.attributedString)
    case "Measurement":
      // A duration; the numbers of other units are not known.
      return name.arguments.first?.name.hasSuffix(".UnitDuration") == true ? .measurement(7) : nil
    default: break
    }
    if Self.withoutModule(name.name, of: ["AppIntents", "AppIntentsTypeSupport"]) == "IntentFile" {
      return .framework(12)
    }
    guard let type = types[name.name] else { return nil }
    if type.conforms(to: "AppEntity") { return .entity(type.shortName) }
    if type.conforms(to: "AppEnum") { return .enumeration(type.shortName) }
    return nil
  }

  private func element(_ name: TypeName) -> ConstType? {
    name.name == "Swift.Array" ? name.arguments.first.flatMap { element($0) } : types[name.name]
  }

  private static func withoutModule(_ name: String, of modules: [String]) -> String? {
    for module in modules where name.hasPrefix(module + ".") {
      return String(name.dropFirst(module.count + 1))
    }
    return nil
  }

  /// The query that an entity says is its own.
  func defaultQuery(of entity: ConstType) -> ConstType? {
    entity.aliases["DefaultQuery"].flatMap { types[$0.type] }
      ?? entity.staticProperty("defaultQuery").flatMap { types[$0.type] }
  }
}

extension MetadataValueType {
  /// The types whose values the system takes for one of this type, as files have them.
  var resolvableInputs: [MetadataValueType.Kind] {
    switch kind {
    case .primitive(.string):
      [.primitive(.int), .primitive(.string), .array(.primitive(.int))]
    case .primitive(.int): [.primitive(.int), .primitive(.double), .primitive(.string)]
    case .primitive, .framework, .measurement: [kind]
    default: []
    }
  }
}
