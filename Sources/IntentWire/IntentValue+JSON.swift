/// A message has the wrong shape.
public struct WireShapeError: Error, Hashable, Sendable, CustomStringConvertible {
  /// What is wrong, a sentence without a full stop.
  public var description: String

  public init(_ description: String) { self.description = description }
}

extension IntentValue {
  /// The value in JSON.
  public var json: WireJSON {
    switch self {
    case .null: .null
    case .bool(let flag): ["bool": .bool(flag)]
    case .int(let number): ["int": .int(Int64(number))]
    case .double(let number): ["double": Self.json(number)]
    case .string(let text): ["string": .string(text)]
    case .date(let seconds): ["date": Self.json(seconds)]
    case .url(let text): ["url": .string(text)]
    case .data(let bytes): ["data": .string(Base16.text(bytes))]
    case .file(let name, let bytes):
      ["file": ["name": .string(name), "data": .string(Base16.text(bytes))]]
    case .enumeration(let type, let raw):
      ["enum": ["type": .string(type), "raw": .string(raw)]]
    case .entity(let entity): ["entity": entity.json]
    case .query(let query): ["query": query.json]
    case .array(let values): ["array": .array(values.map(\.json))]
    }
  }

  /// - Throws: ``WireShapeError`` when the JSON is no value of this version.
  public init(json: WireJSON) throws(WireShapeError) {
    if json == .null {
      self = .null
      return
    }
    guard let members = json.members, members.count == 1 else {
      throw WireShapeError("a value is null or an object with one key")
    }
    let value = members[0].value
    let kind = members[0].key
    switch kind {
    case "bool": self = .bool(try require(value.bool, kind))
    case "int": self = .int(try require(value.int, kind))
    case "double": self = .double(try require(Self.number(value), kind))
    case "string": self = .string(try require(value.string, kind))
    case "date": self = .date(try require(Self.number(value), kind))
    case "url": self = .url(try require(value.string, kind))
    case "data": self = .data(try require(value.string.flatMap { Base16.bytes($0) }, kind))
    case "file":
      self = .file(
        name: try require(value["name"]?.string, kind),
        bytes: try require(value["data"]?.string.flatMap { Base16.bytes($0) }, kind))
    case "enum":
      self = .enumeration(
        type: try require(value["type"]?.string, kind), raw: try require(value["raw"]?.string, kind)
      )
    case "entity": self = .entity(try Entity(json: value))
    case "query": self = .query(try Query(json: value))
    case "array":
      var values: [IntentValue] = []
      for element in try require(value.array, kind) {
        values.append(try IntentValue(json: element))
      }
      self = .array(values)
    default: throw WireShapeError("'\(kind.prefix(40))' is no kind of value")
    }
  }

  /// A number, or the name of one that JSON does not have.
  private static func json(_ number: Double) -> WireJSON {
    if number.isFinite { return .double(number) }
    return .string(number.isNaN ? "nan" : number > 0 ? "inf" : "-inf")
  }

  private static func number(_ json: WireJSON) -> Double? {
    json.double
      ?? json.string.flatMap { ["nan": Double.nan, "inf": .infinity, "-inf": -.infinity][$0] }
  }
}

/// The value of a required member.
public func require<T>(_ value: T?, _ name: String) throws(WireShapeError) -> T {
  guard let value else { throw WireShapeError("'\(name)' is missing or of the wrong type") }
  return value
}

extension IntentValue.Entity {
  public var json: WireJSON {
    var members: [WireJSON.Member] = [
      .init("type", .string(type)), .init("id", .string(identifier)),
    ]
    if let properties {
      members.append(
        .init("properties", .object(properties.map { .init($0.name, $0.value.json) })))
    }
    if let display { members.append(.init("display", display.json)) }
    return .object(members)
  }

  public init(json: WireJSON) throws(WireShapeError) {
    self.init(
      type: try require(json["type"]?.string, "type"),
      identifier: try require(json["id"]?.string, "id"))
    if let members = json["properties"]?.members {
      var values: [IntentValue.Property] = []
      for member in members {
        values.append(.init(member.key, try IntentValue(json: member.value)))
      }
      properties = values
    }
    if let value = json["display"] { display = try IntentValue.Display(json: value) }
  }
}

extension IntentValue.Display {
  public var json: WireJSON {
    var members: [WireJSON.Member] = [.init("title", .string(title))]
    if let subtitle { members.append(.init("subtitle", .string(subtitle))) }
    return .object(members)
  }

  public init(json: WireJSON) throws(WireShapeError) {
    self.init(
      title: try require(json["title"]?.string, "title"), subtitle: json["subtitle"]?.string)
  }
}

extension IntentValue.Query {
  public var json: WireJSON {
    var members: [WireJSON.Member] = [.init("type", .string(type))]
    switch kind {
    case .all: members.append(.init("kind", "all"))
    case .suggested: members.append(.init("kind", "suggested"))
    case .identifiers(let identifiers):
      members.append(.init("kind", "identifiers"))
      members.append(.init("identifiers", .array(identifiers.map { .string($0) })))
    case .matching(let text):
      members.append(.init("kind", "matching"))
      members.append(.init("text", .string(text)))
    case .spotlight(let text, let field):
      members.append(.init("kind", "spotlight"))
      if let text { members.append(.init("text", .string(text))) }
      if let field { members.append(.init("field", .string(field))) }
    }
    return .object(members)
  }

  public init(json: WireJSON) throws(WireShapeError) {
    let type = try require(json["type"]?.string, "type")
    let kind: Kind
    switch json["kind"]?.string {
    case "all": kind = .all
    case "suggested": kind = .suggested
    case "identifiers":
      kind = .identifiers(try strings(json["identifiers"], "identifiers"))
    case "matching": kind = .matching(try require(json["text"]?.string, "text"))
    case "spotlight": kind = .spotlight(json["text"]?.string, field: json["field"]?.string)
    default: throw WireShapeError("the kind of query is missing or unknown")
    }
    self.init(type: type, kind: kind)
  }
}

/// Bytes as lower-case hexadecimal digits.
enum Base16 {
  static func text(_ bytes: [UInt8]) -> String {
    let digits = Array("0123456789abcdef".utf8)
    var text: [UInt8] = []
    text.reserveCapacity(bytes.count * 2)
    for byte in bytes {
      text.append(digits[Int(byte >> 4)])
      text.append(digits[Int(byte & 15)])
    }
    return String(decoding: text, as: UTF8.self)
  }

  static func bytes(_ text: String) -> [UInt8]? {
    let digits = Array(text.utf8)
    guard digits.count.isMultiple(of: 2) else { return nil }
    var bytes: [UInt8] = []
    bytes.reserveCapacity(digits.count / 2)
    for index in stride(from: 0, to: digits.count, by: 2) {
      guard let high = value(digits[index]), let low = value(digits[index + 1]) else { return nil }
      bytes.append(high << 4 | low)
    }
    return bytes
  }

  private static func value(_ digit: UInt8) -> UInt8? {
    switch digit {
    case 0x30...0x39: digit - 0x30
    case 0x61...0x66: digit - 0x61 + 10
    case 0x41...0x46: digit - 0x41 + 10
    default: nil
    }
  }
}
