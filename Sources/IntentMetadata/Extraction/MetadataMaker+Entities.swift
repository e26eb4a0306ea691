import IntentWire

extension MetadataMaker {
  mutating func addEntity(_ type: ConstType) {
    let name = type.shortName
    let item = MetadataItem.entity(name)
    result.declare(item, as: type.name, at: location(type))
    var members = common(type, isDiscoverable: true)
    if let query = types.defaultQuery(of: type) {
      members.append(WireJSON.Member("defaultQueryIdentifier", .string(query.name)))
    }
    if let title = text("typeDisplayRepresentation", of: item, type) {
      members.append(WireJSON.Member("displayTypeName", title.json))
    }
    if let format = numericFormat(type) {
      members.append(WireJSON.Member("numericFormatTypeName", format.json))
    }
    let isIndexed = type.conforms(to: "IndexedEntity")
    let protocols: WireJSON =
      isIndexed ? ["com.apple.appintents.entity.Indexed", ["empty": [:]]] : []
    members += [
      WireJSON.Member("assistantDefinedSchemas", []),
      WireJSON.Member("fullyQualifiedTypeName", .string(type.name)),
      WireJSON.Member("properties", .array(properties(type, entity: name))),
      WireJSON.Member("requiredCapabilities", []),
      WireJSON.Member("systemProtocolMetadata", protocols),
      WireJSON.Member("systemProtocolMetadataV2", protocols),
      WireJSON.Member("transient", .bool(type.conforms(to: "TransientAppEntity"))),
      WireJSON.Member("typeName", .string(name)),
    ]
    result.entities[name] = .object(members.sorted { $0.key < $1.key })
  }

  /// The text for a number of them; the name when the representation is made of a name alone, and
  /// none when it is a literal.
  private func numericFormat(_ type: ConstType) -> MetadataText? {
    guard let value = type.staticProperty("typeDisplayRepresentation")?.value,
      case .call = value
    else { return nil }
    return ConstText(value.argument("numericFormat")).text ?? ConstText(value).text
  }

  mutating func addQuery(_ type: ConstType) {
    let name = type.shortName
    result.declare(.query(name), as: type.name, at: location(type))
    let entity = type.aliases["Entity"].flatMap { types[$0.type] }
    var capabilities: Int64 = 2
    if type.conforms(to: "EntityStringQuery") { capabilities |= 4 }
    if type.conforms(to: "EntityPropertyQuery") { capabilities |= 8 }
    var members = common(type, isDiscoverable: true)
    members += [
      WireJSON.Member("capabilities", .int(capabilities)),
      WireJSON.Member(
        "defaultQueryForEntity",
        .bool(entity.flatMap { types.defaultQuery(of: $0) }?.name == type.name)),
      WireJSON.Member("fullyQualifiedIdentifier", .string(type.name)),
      WireJSON.Member("identifier", .string(name)), WireJSON.Member("parameters", []),
      WireJSON.Member("queryType", .string(name)), WireJSON.Member("sortingOptions", []),
    ]
    if let entity {
      members += [
        WireJSON.Member("entityType", .string(entity.shortName)),
        WireJSON.Member("resultValueType", MetadataValueType(.entity(entity.shortName)).json),
      ]
    }
    result.queries[name] = .object(members.sorted { $0.key < $1.key })
  }

  mutating func addEnumeration(_ type: ConstType) {
    let name = type.shortName
    let item = MetadataItem.enumeration(name)
    result.declare(item, as: type.name, at: location(type))
    var members = common(type, isDiscoverable: true)
    if let title = text("typeDisplayRepresentation", of: item, type) {
      members.append(WireJSON.Member("displayTypeName", title.json))
    }
    members += [
      WireJSON.Member("assistantDefinedSchemas", []),
      WireJSON.Member("cases", .array(cases(type, item))),
      WireJSON.Member("fullyQualifiedTypeName", .string(type.name)),
      WireJSON.Member("identifier", .string(name)), WireJSON.Member("isSystem", false),
    ]
    result.enumerations[name] = .object(members.sorted { $0.key < $1.key })
  }

  private mutating func cases(_ type: ConstType, _ item: MetadataItem) -> [WireJSON] {
    let property = type.staticProperty("caseDisplayRepresentations")
    var texts: [String: ConstValue] = [:]
    if case .dictionary(let pairs)? = property?.value {
      for pair in pairs {
        if case .enumeration(let name) = pair.key { texts[name] = pair.value }
      }
    } else {
      noteUnknown("caseDisplayRepresentations", of: item, type, line: property?.line)
    }
    return type.cases.map { value in
      let identifier = value.rawValue ?? value.name
      let caseItem = MetadataItem.enumerationCase(enumeration: type.shortName, identifier)
      result.locations[caseItem] = location(type, line: property?.line)
      var representation: [WireJSON.Member] = []
      if let text = texts[value.name] {
        representation = self.representation(text)
        if representation.isEmpty {
          noteUnknown("title", of: caseItem, type, line: property?.line)
        }
      }
      return [
        "displayRepresentation": .object(representation), "identifier": .string(identifier),
      ]
    }
  }

  private func representation(_ value: ConstValue) -> [WireJSON.Member] {
    guard let title = ConstText(value).text else { return [] }
    var members = [WireJSON.Member("title", title.json)]
    if let subtitle = ConstText(value.argument("subtitle")).text {
      members.append(WireJSON.Member("subtitle", subtitle.json))
    }
    if case .array(let synonyms)? = value.argument("synonyms") {
      members.append(
        WireJSON.Member("synonyms", .array(synonyms.compactMap { ConstText($0).text?.json })))
    }
    return members.sorted { $0.key < $1.key }
  }
}
