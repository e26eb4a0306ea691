import IntentWire

extension MetadataMaker {
  mutating func addShortcuts(_ type: ConstType) {
    result.providerName = type.mangledName
    let property = type.staticProperty("appShortcuts")
    let elements: [ConstValue]
    switch property?.value {
    case .builder(let values), .array(let values): elements = values
    default:
      noteUnknown("appShortcuts", of: .provider(type.name), type, line: property?.line)
      return
    }
    for element in elements {
      guard case .call("AppIntents.AppShortcut", _) = element else {
        noteUnknown("appShortcuts", of: .provider(type.name), type, line: property?.line)
        continue
      }
      addShortcut(element, type, line: property?.line)
    }
  }

  private mutating func addShortcut(_ call: ConstValue, _ type: ConstType, line: Int?) {
    let number = result.shortcuts.count
    let item = MetadataItem.shortcut(number)
    result.locations[item] = location(type, line: line)
    var members = [WireJSON.Member("availabilityAnnotations", availability(type))]
    if let name = call.arguments.first(where: { $0.label == "intent" })?.type {
      let identifier = types[name].map { self.identifier(of: $0) } ?? name
      members.append(WireJSON.Member("actionIdentifier", .string(identifier)))
    } else {
      noteUnknown("intent", of: item, type, line: line)
    }
    var phrases: [WireJSON] = []
    if case .array(let values)? = call.argument("phrases") {
      for value in values {
        let phraseItem = MetadataItem.phrase(shortcut: number, phrases.count)
        switch value {
        case .literal(let text): phrases.append(MetadataText(text).json)
        case .interpolation(let parts):
          phrases.append(MetadataText(Self.template(parts).text).json)
          if parts.contains(where: \.isRuntime) {
            noteUnknown("phrase", of: phraseItem, type, line: line)
          }
        default:
          noteUnknown("phrase", of: item, type, line: line)
          continue
        }
        result.locations[phraseItem] = location(type, line: line)
      }
    } else {
      noteUnknown("phrases", of: item, type, line: line)
    }
    members.append(WireJSON.Member("phraseTemplates", .array(phrases)))
    switch ConstText(call.argument("shortTitle")) {
    case .known(let text): members.append(WireJSON.Member("shortTitle", text.json))
    case .absent: break
    case .unknown: noteUnknown("shortTitle", of: item, type, line: line)
    }
    if case .literal(let name)? = call.argument("systemImageName") {
      members.append(WireJSON.Member("systemImageName", .string(name)))
    }
    result.shortcuts.append(.object(members.sorted { $0.key < $1.key }))
  }
}
