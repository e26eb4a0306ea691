import IntentWire

extension MetadataMaker {
  /// Parameters of an intent in the order of their declaration.
  mutating func parameters(_ type: ConstType, intent: String) -> [WireJSON] {
    var nodes: [WireJSON] = []
    for (name, property, valueType) in wrapped("AppIntents.IntentParameter", of: type) {
      let item = MetadataItem.parameter(intent: intent, name)
      result.locations[item] = location(type, line: property.line)
      guard let value = types.value(valueType) else {
        noteUnknown("type", of: item, type, line: property.line)
        continue
      }
      nodes.append(parameter(name, property, value, item, type))
    }
    return nodes
  }

  /// Properties of an entity in the order of their declaration.
  mutating func properties(_ type: ConstType, entity: String) -> [WireJSON] {
    var nodes: [WireJSON] = []
    for (name, property, valueType) in wrapped("AppIntents.EntityProperty", of: type) {
      let item = MetadataItem.property(entity: entity, name)
      result.locations[item] = location(type, line: property.line)
      guard let value = types.value(valueType) else {
        noteUnknown("type", of: item, type, line: property.line)
        continue
      }
      var members = [
        WireJSON.Member("capabilities", 0), WireJSON.Member("identifier", .string(name)),
        WireJSON.Member("isOptional", .bool(value.isOptional)),
        WireJSON.Member("valueType", value.type.json),
      ]
      if let title = title(property, item, type) {
        members.append(WireJSON.Member("title", title.json))
      }
      nodes.append(.object(members.sorted { $0.key < $1.key }))
    }
    return nodes
  }

  /// The members with a property wrapper: their names, what the wrapper is made with, their types.
  private func wrapped(
    _ wrapper: String, of type: ConstType
  ) -> [(name: String, property: ConstType.Property, type: TypeName)] {
    type.properties.compactMap { property in
      guard !property.isStatic, property.label.hasPrefix("_"),
        let name = TypeName(property.type), name.name == wrapper,
        let value = name.arguments.first
      else { return nil }
      return (String(property.label.dropFirst()), property, value)
    }
  }

  private mutating func title(
    _ property: ConstType.Property, _ item: MetadataItem, _ type: ConstType
  ) -> MetadataText? {
    switch ConstText(property.value.argument("title")) {
    case .known(let text): return text
    case .absent: return nil
    case .unknown:
      noteUnknown("title", of: item, type, line: property.line)
      return nil
    }
  }

  private mutating func parameter(
    _ name: String, _ property: ConstType.Property, _ value: MetadataTypes.Value,
    _ item: MetadataItem, _ type: ConstType
  ) -> WireJSON {
    let call = property.value
    let standard = call.argument("default")
    let hasDefault = standard.map { $0 != .null } ?? false
    var specific: [WireJSON] = []
    if let standard, hasDefault {
      if let json = defaultValue(standard, value) {
        specific += ["LNValueTypeSpecificMetadataKeyDefaultValue", json]
      } else {
        noteUnknown("default", of: item, type, line: property.line)
      }
    }
    if case .tuple(let bounds)? = call.argument("inclusiveRange") {
      specific += Self.range(bounds)
    }
    var members = [
      WireJSON.Member("capabilities", hasDefault ? 1 : 0),
      WireJSON.Member("dynamicOptionsSupport", .int(dynamicOptions(value))),
      WireJSON.Member("inputConnectionBehavior", 0), WireJSON.Member("isInput", false),
      WireJSON.Member("isOptional", .bool(value.isOptional)),
      WireJSON.Member("name", .string(name)),
      WireJSON.Member(
        "resolvableInputTypes",
        .array(
          value.type.resolvableInputs.map {
            ["kindValue": 0, "valueType": MetadataValueType($0).json]
          })),
      WireJSON.Member("typeSpecificMetadata", .array(specific)),
      WireJSON.Member("valueType", value.type.json),
    ]
    if let title = title(property, item, type) {
      members.append(WireJSON.Member("title", title.json))
    }
    if let text = ConstText(call.argument("description")).text {
      members.append(WireJSON.Member("parameterDescription", text.json))
    }
    return .object(members.sorted { $0.key < $1.key })
  }

  /// 2 when values can be searched for by a text, 1 when some are suggested.
  private func dynamicOptions(_ value: MetadataTypes.Value) -> Int64 {
    guard let entity = value.element, entity.conforms(to: "AppEntity") else { return 0 }
    return types.defaultQuery(of: entity)?.conforms(to: "EntityStringQuery") == true ? 2 : 1
  }

  private func defaultValue(_ value: ConstValue, _ type: MetadataTypes.Value) -> WireJSON? {
    switch (type.type.kind, value) {
    case (.primitive(.bool), .literal(let text)): ["int": ["wrapper": text == "true" ? 1 : 0]]
    case (.primitive(.int), .literal(let text)):
      Int64(text.filter { $0 != "_" }).map { ["int": ["wrapper": .int($0)]] }
    case (.primitive(.double), .literal(let text)):
      Double(text.filter { $0 != "_" }).map { ["double": ["wrapper": .double($0)]] }
    case (.primitive(.string), .literal(let text)): ["string": ["wrapper": .string(text)]]
    case (.enumeration, .enumeration(let name)):
      type.element?.cases.first { $0.name == name }.map {
        ["string": ["wrapper": .string($0.rawValue ?? $0.name)]]
      }
    default: nil
    }
  }

  private static func range(_ bounds: [ConstValue]) -> [WireJSON] {
    let numbers = bounds.map { bound -> Double? in
      guard case .literal(let text) = bound else { return nil }
      return Double(text.filter { $0 != "_" })
    }
    guard numbers.count == 2, let lower = numbers[0], let upper = numbers[1] else { return [] }
    return [
      "LNValueTypeMetadataKeyNumberLowerBound", ["double": ["wrapper": Self.number(lower)]],
      "LNValueTypeMetadataKeyNumberUpperBound", ["double": ["wrapper": Self.number(upper)]],
      "LNValueTypeMetadataKeyNumberRangeType", ["int": ["wrapper": 0]],
    ]
  }

  /// A whole number has no fraction in the files.
  private static func number(_ value: Double) -> WireJSON {
    Int64(exactly: value).map { .int($0) } ?? .double(value)
  }
}
