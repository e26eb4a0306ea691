import IntentWire

extension MetadataMaker {
  mutating func addIntent(_ type: ConstType) {
    let identifier = identifier(of: type)
    let item = MetadataItem.intent(identifier)
    result.declare(item, as: type.name, at: location(type))
    let isDiscoverable = flag("isDiscoverable", of: item, type, else: true)
    let isOpening = type.conforms(to: "OpenIntent")
    let opensApp = flag("openAppWhenRun", of: item, type, else: isOpening)
    let systemProtocols = Self.systemProtocols.filter { type.conforms(to: $0.conformance) }
      .map(\.name)
    var members = common(type, isDiscoverable: isDiscoverable)
    if let summary = summary(type, item) {
      members.append(WireJSON.Member("actionConfiguration", summary))
    }
    members += [
      WireJSON.Member("assistantDefinedSchemaTraits", []),
      WireJSON.Member("assistantDefinedSchemas", []),
      WireJSON.Member("authenticationPolicy", .int(authenticationPolicy(type))),
    ]
    if let description = descriptionMetadata(type, item) {
      members.append(WireJSON.Member("descriptionMetadata", description))
    }
    members += [
      WireJSON.Member("fullyQualifiedTypeName", .string(type.name)),
      WireJSON.Member("identifier", .string(identifier)),
      WireJSON.Member(
        "isAuthPolExplicit", .bool(type.staticProperty("authenticationPolicy") != nil)),
      WireJSON.Member("isDiscoverable", .bool(isDiscoverable)),
      WireJSON.Member("mangledTypeNameByBundleIdentifierV2", [:]),
      WireJSON.Member("mangledTypeNameV2", .string(type.mangledName)),
      WireJSON.Member("openAppWhenRun", .bool(opensApp)),
    ]
    members += outputMembers(type)
    members += [
      WireJSON.Member("parameters", .array(parameters(type, intent: identifier))),
      WireJSON.Member("presentationStyle", 0), WireJSON.Member("requiredCapabilities", []),
      WireJSON.Member("supportedModes", opensApp ? 2 : 1),
      WireJSON.Member("systemProtocolMetadata", pairs(systemProtocols)),
      WireJSON.Member("systemProtocolMetadataV2", pairs(systemProtocols)),
      WireJSON.Member("systemProtocols", .array(systemProtocols.map { .string($0) })),
    ]
    if let title = text("title", of: item, type) {
      members.append(WireJSON.Member("title", title.json))
    }
    members.append(WireJSON.Member("typeSpecificMetadata", []))
    result.intents[identifier] = .object(members.sorted { $0.key < $1.key })
  }

  /// The name that makes an intent known.
  func identifier(of type: ConstType) -> String {
    guard case .literal(let text)? = type.staticProperty("persistentIdentifier")?.value else {
      return type.shortName
    }
    return text
  }

  private static let systemProtocols: [(conformance: String, name: String)] = [
    ("OpenIntent", "com.apple.link.systemProtocol.OpenEntity"),
    ("DeleteIntent", "com.apple.link.systemProtocol.DeleteEntity"),
    ("ForegroundContinuableIntent", "com.apple.link.systemProtocol.ForegroundContinuable"),
  ]

  private func pairs(_ names: [String]) -> WireJSON {
    .array(names.flatMap { [.string($0), ["empty": [:]]] as [WireJSON] })
  }

  private func authenticationPolicy(_ type: ConstType) -> Int64 {
    guard case .enumeration(let name)? = type.staticProperty("authenticationPolicy")?.value else {
      return 0
    }
    return switch name {
    case "requiresAuthentication": 1
    case "requiresLocalDeviceAuthentication": 2
    default: 0
    }
  }

  private mutating func descriptionMetadata(
    _ type: ConstType, _ item: MetadataItem
  ) -> WireJSON? {
    guard let description = text("description", of: item, type) else { return nil }
    var members = [
      WireJSON.Member("descriptionText", description.json),
      WireJSON.Member("searchKeywords", []),
    ]
    let value = type.staticProperty("description")?.value
    if let category = ConstText(value?.argument("categoryName")).text {
      members.append(WireJSON.Member("categoryName", ["title": category.json]))
    }
    if case .array(let keywords)? = value?.argument("searchKeywords") {
      members[1].value = .array(keywords.compactMap { ConstText($0).text?.json })
    }
    if let name = ConstText(value?.argument("resultValueName")).text {
      members.append(WireJSON.Member("resultValueName", name.json))
    }
    return .object(members.sorted { $0.key < $1.key })
  }

  private func outputMembers(_ type: ConstType) -> [WireJSON.Member] {
    guard let output = type.aliases["PerformResult"] else {
      return [WireJSON.Member("outputFlags", 0)]
    }
    // Compositions that the compiler reduces name the protocol in the type only.
    let hasDialog = output.protocols.contains { $0.hasPrefix("AppIntents.ProvidesDialog") }
    var members = [WireJSON.Member("outputFlags", hasDialog ? 4 : 0)]
    if let name = output.sameTypes["AppIntents.IntentResult.Value"],
      let value = TypeName(name).flatMap({ types.value($0) })
    {
      members.append(WireJSON.Member("outputType", value.type.json))
    }
    return members
  }

  // MARK: Summaries

  private mutating func summary(_ type: ConstType, _ item: MetadataItem) -> WireJSON? {
    guard let property = type.staticProperty("parameterSummary"),
      case .builder(let elements) = property.value
    else { return nil }
    for element in elements {
      guard case .call(_, let arguments) = element else { continue }
      var format = ""
      var names: [String] = []
      var others: [String] = []
      for argument in arguments {
        switch argument.value {
        case .literal(let text): format = text
        case .interpolation(let parts): (format, names) = Self.template(parts)
        case .builder(let paths):
          others = paths.compactMap { path in
            guard case .keyPath(let path) = path else { return nil }
            return Self.name(path)
          }
        default: noteUnknown("parameterSummary", of: item, type, line: property.line)
        }
      }
      return [
        "actionSummary": [
          "wrapper": [
            "otherParameterIdentifiers": .array(others.map { .string($0) }),
            "summaryString": [
              "formatString": .string(format),
              "parameterIdentifiers": .array(names.map { .string($0) }),
            ],
          ]
        ]
      ]
    }
    noteUnknown("parameterSummary", of: item, type, line: property.line)
    return nil
  }

  /// The text of an interpolation with `${name}` for parameters, and their names in order.
  static func template(_ parts: [ConstValue]) -> (text: String, names: [String]) {
    var text = ""
    var names: [String] = []
    for part in parts {
      switch part {
      case .literal(let literal): text += literal
      case .keyPath(let path):
        text += "${\(name(path))}"
        names.append(name(path))
      case .enumeration(let name): text += "${\(name)}"
      default: text += "${?}"
      }
    }
    return (text, names)
  }

  /// The name of a parameter by the path of its projected value.
  static func name(_ path: String) -> String {
    path.hasPrefix("$") ? String(path.dropFirst()) : path
  }
}
