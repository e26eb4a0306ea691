/// What an app says of itself when it is asked with `--describe`: its intents, entities,
/// enumerations and shortcuts, as found in its executable.
public struct AppDescription: Hashable, Sendable {
  /// A parameter of an intent, or a property of an entity.
  public struct Member: Hashable, Sendable {
    public var name: String
    public var title: String
    public var type: IntentValueType
    /// Whether a value is there when nobody gives one.
    public var hasDefault: Bool
    /// The least and the greatest number that it takes, `int` or `double` as the type is.
    public var range: IntentValueRange?

    public init(
      name: String, title: String, type: IntentValueType, hasDefault: Bool = false,
      range: IntentValueRange? = nil
    ) {
      self.name = name
      self.title = title
      self.type = type
      self.hasDefault = hasDefault
      self.range = range
    }
  }

  public struct Intent: Hashable, Sendable {
    /// The name that makes it known: its persistent identifier, by default the type's name.
    public var identifier: String
    public var title: String
    public var isDiscoverable: Bool
    public var opensApp: Bool
    public var parameters: [Member]

    public init(
      identifier: String, title: String, isDiscoverable: Bool, opensApp: Bool, parameters: [Member]
    ) {
      self.identifier = identifier
      self.title = title
      self.isDiscoverable = isDiscoverable
      self.opensApp = opensApp
      self.parameters = parameters
    }
  }

  public struct Entity: Hashable, Sendable {
    public var identifier: String
    public var title: String
    public var properties: [Member]
    /// Whether its query searches for a text.
    public var canMatch: Bool
    /// Whether its query can list all of them.
    public var canList: Bool
    public var isIndexed: Bool

    public init(
      identifier: String, title: String, properties: [Member], canMatch: Bool, canList: Bool,
      isIndexed: Bool
    ) {
      self.identifier = identifier
      self.title = title
      self.properties = properties
      self.canMatch = canMatch
      self.canList = canList
      self.isIndexed = isIndexed
    }
  }

  public struct Enumeration: Hashable, Sendable {
    public var identifier: String
    public var title: String
    /// Raw values in the order of their declaration.
    public var cases: [String]

    public init(identifier: String, title: String, cases: [String]) {
      self.identifier = identifier
      self.title = title
      self.cases = cases
    }
  }

  public struct Shortcut: Hashable, Sendable {
    public var intent: String
    public var title: String
    public var image: String?
    /// With `${applicationName}` and `${parameter}` for what is filled in.
    public var phrases: [String]

    public init(intent: String, title: String, image: String?, phrases: [String]) {
      self.intent = intent
      self.title = title
      self.image = image
      self.phrases = phrases
    }
  }

  public var bundleIdentifier: String
  /// The compiler that built the app.
  public var compiler: String
  public var intents: [Intent]
  public var entities: [Entity]
  public var enumerations: [Enumeration]
  public var shortcuts: [Shortcut]

  public init(
    bundleIdentifier: String, compiler: String, intents: [Intent] = [], entities: [Entity] = [],
    enumerations: [Enumeration] = [], shortcuts: [Shortcut] = []
  ) {
    self.bundleIdentifier = bundleIdentifier
    self.compiler = compiler
    self.intents = intents
    self.entities = entities
    self.enumerations = enumerations
    self.shortcuts = shortcuts
  }
}

/// Numbers from the one to the other, both of them included.
public enum IntentValueRange: Hashable, Sendable, CustomStringConvertible {
  case int(Int, Int)
  case double(Double, Double)

  /// Whether a value is one of them; what is no such number is not.
  public func contains(_ value: IntentValue) -> Bool {
    switch (self, value) {
    case (.int(let least, let greatest), .int(let number)):
      least <= number && number <= greatest
    case (.double(let least, let greatest), .double(let number)):
      least <= number && number <= greatest
    default: false
    }
  }

  public var description: String {
    switch self {
    case .int(let least, let greatest): "\(least) to \(greatest)"
    case .double(let least, let greatest): "\(least) to \(greatest)"
    }
  }
}
