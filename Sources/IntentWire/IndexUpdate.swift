/// What an app tells the index.
public enum IndexUpdate: Hashable, Sendable {
  /// An entry that the index shall have, in place of an earlier one of the same type and
  /// identifier.
  public struct Entry: Hashable, Sendable {
    /// The name of the entity's type; empty for an item that is no entity.
    public var type: String
    public var identifier: String
    /// Groups entries, so that they can be deleted together.
    public var domain: String?
    /// Texts by the name of their field: `title`, `contentDescription`, `keywords`.
    public var fields: [Field]

    public init(type: String, identifier: String, domain: String? = nil, fields: [Field] = []) {
      self.type = type
      self.identifier = identifier
      self.domain = domain
      self.fields = fields
    }
  }

  public struct Field: Hashable, Sendable {
    public var name: String
    public var text: String

    public init(_ name: String, _ text: String) {
      self.name = name
      self.text = text
    }
  }

  case upsert([Entry])
  /// Entries of a type (empty: items that are no entities) with these identifiers.
  case delete(type: String, identifiers: [String])
  /// Entries of a type.
  case deleteType(String)
  /// Entries of these domains and of those below them (`a` holds `a.b`).
  case deleteDomains([String])
  case deleteAll
}

extension IndexUpdate {
  public var json: WireJSON {
    switch self {
    case .upsert(let entries): ["upsert": .array(entries.map(\.json))]
    case .delete(let type, let identifiers):
      ["delete": ["type": .string(type), "ids": .array(identifiers.map { .string($0) })]]
    case .deleteType(let type): ["deleteType": .string(type)]
    case .deleteDomains(let domains): ["deleteDomains": .array(domains.map { .string($0) })]
    case .deleteAll: ["deleteAll": true]
    }
  }

  public init(json: WireJSON) throws(WireShapeError) {
    guard let members = json.members, members.count == 1 else {
      throw WireShapeError("an update of the index has one key")
    }
    let value = members[0].value
    switch members[0].key {
    case "upsert":
      var entries: [Entry] = []
      for entry in try require(value.array, "upsert") { entries.append(try Entry(json: entry)) }
      self = .upsert(entries)
    case "delete":
      self = .delete(
        type: try require(value["type"]?.string, "type"),
        identifiers: try strings(value["ids"], "ids"))
    case "deleteType": self = .deleteType(try require(value.string, "deleteType"))
    case "deleteDomains": self = .deleteDomains(try strings(value, "deleteDomains"))
    case "deleteAll": self = .deleteAll
    default: throw WireShapeError("'\(members[0].key.prefix(40))' is no update of the index")
    }
  }
}

extension IndexUpdate.Entry {
  var json: WireJSON {
    [
      "type": .string(type), "id": .string(identifier),
      "domain": domain.map { .string($0) } ?? .null,
      "fields": .object(fields.map { .init($0.name, .string($0.text)) }),
    ]
  }

  init(json: WireJSON) throws(WireShapeError) {
    self.init(
      type: try require(json["type"]?.string, "type"),
      identifier: try require(json["id"]?.string, "id"), domain: json["domain"]?.string)
    for member in try require(json["fields"]?.members, "fields") {
      fields.append(.init(member.key, try require(member.value.string, "fields")))
    }
  }
}
