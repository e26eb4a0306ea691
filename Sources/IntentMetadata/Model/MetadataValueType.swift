package import IntentWire

/// The type of a parameter, a property or a result.
package struct MetadataValueType: Hashable, Sendable {
  package let json: WireJSON

  package indirect enum Kind: Hashable, Sendable {
    case primitive(Primitive)
    /// One of the types of the framework itself, as a file (12).
    case framework(Int)
    case entity(String)
    case enumeration(String)
    /// A measurement of a kind of units, as a duration (7).
    case measurement(Int)
    case array(Kind)
    /// Anything else, by the key that the file has.
    case other(String)
  }

  /// The numbers are those seen in files; Apple documents none.
  package enum Primitive: Hashable, Sendable {
    case string, bool, int, double, date, placemark, url, attributedString
    case other(Int)

    package init(_ number: Int) {
      self =
        switch number {
        case 0: .string
        case 1: .bool
        case 2: .int
        case 7: .double
        case 8: .date
        case 10: .placemark
        case 11: .url
        case 12: .attributedString
        default: .other(number)
        }
    }

    package var number: Int {
      switch self {
      case .string: 0
      case .bool: 1
      case .int: 2
      case .double: 7
      case .date: 8
      case .placemark: 10
      case .url: 11
      case .attributedString: 12
      case .other(let number): number
      }
    }

    /// The type as Swift writes it.
    package var name: String {
      switch self {
      case .string: "String"
      case .bool: "Bool"
      case .int: "Int"
      case .double: "Double"
      case .date: "Date"
      case .placemark: "CLPlacemark"
      case .url: "URL"
      case .attributedString: "AttributedString"
      case .other(let number): "primitive type \(number)"
      }
    }
  }

  package init(_ json: WireJSON) { self.json = json }

  package init(_ kind: Kind) { json = Self.json(kind) }

  package var kind: Kind {
    guard let member = json.members?.first else { return .other("") }
    let value = member.value["wrapper"]
    switch member.key {
    case "primitive":
      return .primitive(Primitive(value?["typeIdentifier"]?.int ?? -1))
    case "intents": return .framework(value?["typeIdentifier"]?.int ?? -1)
    case "entity": return .entity(value?["typeName"]?.string ?? "")
    case "linkEnumeration": return .enumeration(value?["identifier"]?.string ?? "")
    case "measurement": return .measurement(value?["unitType"]?.int ?? -1)
    case "array":
      return .array(MetadataValueType(value?["memberValueType"] ?? .null).kind)
    default: return .other(member.key)
    }
  }

  private static func json(_ kind: Kind) -> WireJSON {
    switch kind {
    case .primitive(let type):
      union("primitive", ["typeIdentifier": .int(Int64(type.number))])
    case .framework(let number): union("intents", ["typeIdentifier": .int(Int64(number))])
    case .entity(let name): union("entity", ["typeName": .string(name)])
    case .enumeration(let name): union("linkEnumeration", ["identifier": .string(name)])
    case .measurement(let unit): union("measurement", ["unitType": .int(Int64(unit))])
    case .array(let member):
      union("array", ["capabilities": 3, "memberValueType": json(member)])
    case .other(let key): .object([WireJSON.Member(key, ["wrapper": [:]])])
    }
  }

  private static func union(_ key: String, _ value: WireJSON) -> WireJSON {
    .object([WireJSON.Member(key, ["wrapper": value])])
  }
}

extension MetadataValueType: CustomStringConvertible {
  /// As Swift would write it: `[NoteEntity]`.
  package var description: String { Self.text(kind) }

  private static func text(_ kind: Kind) -> String {
    switch kind {
    case .primitive(let type): type.name
    case .framework(12): "IntentFile"
    case .framework(let number): "framework type \(number)"
    case .entity(let name), .enumeration(let name): name
    case .measurement(7): "Measurement<UnitDuration>"
    case .measurement(let unit): "measurement in units \(unit)"
    case .array(let member): "[\(text(member))]"
    case .other(""): "no type"
    case .other(let key): key
    }
  }
}
