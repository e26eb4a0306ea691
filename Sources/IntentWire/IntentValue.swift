/// A value of App Intents as it crosses the wire: a parameter, a result, a property.
///
/// In JSON a value is `null` or an object with one key that names its kind, so a reader of a newer
/// minor version can tell an unknown kind from a wrong one; see docs/protocol.md.
public indirect enum IntentValue: Hashable, Sendable {
  case null
  case bool(Bool)
  case int(Int)
  /// Also not a number and the infinities, which JSON does not have.
  case double(Double)
  case string(String)
  /// Seconds since 1970-01-01 00:00:00 UTC.
  case date(Double)
  case url(String)
  case data([UInt8])
  /// A file by its content: each side has files of its own.
  case file(name: String, bytes: [UInt8])
  /// A case of an enumeration, by its raw value.
  case enumeration(type: String, raw: String)
  case entity(Entity)
  /// The entities that a query finds, when somebody needs them.
  case query(Query)
  case array([IntentValue])

  /// An entity: which it is, and what was known of it when it was sent.
  public struct Entity: Hashable, Sendable {
    /// The name of its type.
    public var type: String
    public var identifier: String
    /// Values of the properties that the app exposes; `nil` for a mere reference.
    public var properties: [Property]?
    /// How it is called on the screen.
    public var display: Display?

    public init(
      type: String, identifier: String, properties: [Property]? = nil, display: Display? = nil
    ) {
      self.type = type
      self.identifier = identifier
      self.properties = properties
      self.display = display
    }

    /// The value of a property; `nil` when the entity exposes none of this name.
    public func value(of name: String) -> IntentValue? {
      properties?.first { $0.name == name }?.value
    }
  }

  /// A property of an entity.
  public struct Property: Hashable, Sendable {
    public var name: String
    public var value: IntentValue

    public init(_ name: String, _ value: IntentValue) {
      self.name = name
      self.value = value
    }
  }

  /// What a person is shown for an entity or a case.
  public struct Display: Hashable, Sendable {
    public var title: String
    public var subtitle: String?

    public init(title: String, subtitle: String? = nil) {
      self.title = title
      self.subtitle = subtitle
    }
  }

  /// Asks an app for entities of one type.
  public struct Query: Hashable, Sendable {
    public enum Kind: Hashable, Sendable {
      /// All of them.
      case all
      /// Those the app suggests.
      case suggested
      /// Those with these identifiers.
      case identifiers([String])
      /// Those that match a text.
      case matching(String)
      /// Those in the index that match a text, in one of its fields if that is named; all indexed
      /// ones without.
      case spotlight(String?, field: String? = nil)
    }

    public var type: String
    public var kind: Kind

    public init(type: String, kind: Kind) {
      self.type = type
      self.kind = kind
    }
  }
}

extension IntentValue: CustomStringConvertible {
  /// A short text for messages and journals; long values are shortened.
  public var description: String {
    switch self {
    case .null: "null"
    case .bool(let flag): "\(flag)"
    case .int(let number): "\(number)"
    case .double(let number): "\(number)"
    case .string(let text): "\"\(text.prefix(80))\(text.count > 80 ? "…" : "")\""
    case .date(let seconds): "date \(seconds)"
    case .url(let text): text
    case .data(let bytes): "\(bytes.count) bytes"
    case .file(let name, let bytes): "file \(name) of \(bytes.count) bytes"
    case .enumeration(let type, let raw): "\(type).\(raw)"
    case .entity(let entity): "\(entity.type) \(entity.identifier)"
    case .query(let query): "\(query.type) by a query"
    case .array(let values): "\(values.count) values"
    }
  }

  /// The kind's name in messages: `a string`, `an entity Note`.
  public var kindName: String {
    switch self {
    case .null: "no value"
    case .bool: "a Boolean"
    case .int: "an integer"
    case .double: "a number"
    case .string: "a string"
    case .date: "a date"
    case .url: "a URL"
    case .data: "data"
    case .file: "a file"
    case .enumeration(let type, _): "a case of \(type)"
    case .entity(let entity): "an entity \(entity.type)"
    case .query(let query): "a query for \(query.type)"
    case .array: "an array"
    }
  }
}
