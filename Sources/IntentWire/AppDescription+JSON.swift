extension AppDescription {
  /// A bundle identifier: letters, digits, dots, hyphens and underscores, at most 155 of them
  /// (CFBundleIdentifier in Apple's documentation; the underscore is Android's).
  private static func checked(_ identifier: String) throws(WireShapeError) -> String {
    let isValid =
      !identifier.isEmpty && identifier.utf8.count <= 155
      && identifier.utf8.allSatisfy { byte in
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
          UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "-"),
          UInt8(ascii: "_"):
          true
        default: false
        }
      }
    guard isValid else { throw WireShapeError("'bundle' is no bundle identifier") }
    return identifier
  }

  public var json: WireJSON {
    [
      "bundle": .string(bundleIdentifier), "compiler": .string(compiler),
      "intents": .array(intents.map(\.json)), "entities": .array(entities.map(\.json)),
      "enums": .array(enumerations.map(\.json)), "shortcuts": .array(shortcuts.map(\.json)),
    ]
  }

  public init(json: WireJSON) throws(WireShapeError) {
    self.init(
      bundleIdentifier: try Self.checked(try require(json["bundle"]?.string, "bundle")),
      compiler: try require(json["compiler"]?.string, "compiler"))
    for value in try require(json["intents"]?.array, "intents") {
      intents.append(try Intent(json: value))
    }
    for value in try require(json["entities"]?.array, "entities") {
      entities.append(try Entity(json: value))
    }
    for value in try require(json["enums"]?.array, "enums") {
      enumerations.append(try Enumeration(json: value))
    }
    for value in try require(json["shortcuts"]?.array, "shortcuts") {
      shortcuts.append(try Shortcut(json: value))
    }
  }
}

extension AppDescription.Member {
  var json: WireJSON {
    var members: [WireJSON.Member] = [
      .init("name", .string(name)), .init("title", .string(title)),
      .init("type", .string("\(type)")), .init("default", .bool(hasDefault)),
    ]
    switch range {
    case .int(let least, let greatest):
      members.append(.init("range", [.int(Int64(least)), .int(Int64(greatest))]))
    case .double(let least, let greatest):
      members.append(.init("range", [.double(least), .double(greatest)]))
    case nil: break
    }
    return .object(members)
  }

  init(json: WireJSON) throws(WireShapeError) {
    self.init(
      name: try require(json["name"]?.string, "name"),
      title: try require(json["title"]?.string, "title"),
      type: try require(json["type"]?.string.flatMap { IntentValueType($0) }, "type"),
      hasDefault: try require(json["default"]?.bool, "default"))
    guard let bounds = json["range"]?.array, bounds.count == 2 else { return }
    if [.double, .optional(.double)].contains(type) {
      range = .double(
        try require(bounds[0].double, "range"), try require(bounds[1].double, "range"))
    } else {
      range = .int(try require(bounds[0].int, "range"), try require(bounds[1].int, "range"))
    }
  }

  static func list(_ json: WireJSON?, _ name: String) throws(WireShapeError) -> [Self] {
    var members: [Self] = []
    for value in try require(json?.array, name) { members.append(try Self(json: value)) }
    return members
  }
}

extension AppDescription.Intent {
  var json: WireJSON {
    [
      "id": .string(identifier), "title": .string(title), "discoverable": .bool(isDiscoverable),
      "opensApp": .bool(opensApp), "parameters": .array(parameters.map(\.json)),
    ]
  }

  init(json: WireJSON) throws(WireShapeError) {
    self.init(
      identifier: try require(json["id"]?.string, "id"),
      title: try require(json["title"]?.string, "title"),
      isDiscoverable: try require(json["discoverable"]?.bool, "discoverable"),
      opensApp: try require(json["opensApp"]?.bool, "opensApp"),
      parameters: try AppDescription.Member.list(json["parameters"], "parameters"))
  }
}

extension AppDescription.Entity {
  var json: WireJSON {
    [
      "id": .string(identifier), "title": .string(title),
      "properties": .array(properties.map(\.json)), "matches": .bool(canMatch),
      "lists": .bool(canList), "indexed": .bool(isIndexed),
    ]
  }

  init(json: WireJSON) throws(WireShapeError) {
    self.init(
      identifier: try require(json["id"]?.string, "id"),
      title: try require(json["title"]?.string, "title"),
      properties: try AppDescription.Member.list(json["properties"], "properties"),
      canMatch: try require(json["matches"]?.bool, "matches"),
      canList: try require(json["lists"]?.bool, "lists"),
      isIndexed: try require(json["indexed"]?.bool, "indexed"))
  }
}

extension AppDescription.Enumeration {
  var json: WireJSON {
    [
      "id": .string(identifier), "title": .string(title),
      "cases": .array(cases.map { .string($0) }),
    ]
  }

  init(json: WireJSON) throws(WireShapeError) {
    self.init(
      identifier: try require(json["id"]?.string, "id"),
      title: try require(json["title"]?.string, "title"), cases: try strings(json["cases"], "cases")
    )
  }
}

extension AppDescription.Shortcut {
  var json: WireJSON {
    [
      "intent": .string(intent), "title": .string(title),
      "image": image.map { .string($0) } ?? .null,
      "phrases": .array(phrases.map { .string($0) }),
    ]
  }

  init(json: WireJSON) throws(WireShapeError) {
    self.init(
      intent: try require(json["intent"]?.string, "intent"),
      title: try require(json["title"]?.string, "title"), image: json["image"]?.string,
      phrases: try strings(json["phrases"], "phrases"))
  }
}

/// The strings of a required array.
func strings(_ json: WireJSON?, _ name: String) throws(WireShapeError) -> [String] {
  var texts: [String] = []
  for value in try require(json?.array, name) { texts.append(try require(value.string, name)) }
  return texts
}
