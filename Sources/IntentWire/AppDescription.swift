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

    public init(name: String, title: String, type: IntentValueType, hasDefault: Bool = false) {
      self.name = name
      self.title = title
      self.type = type
      self.hasDefault = hasDefault
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
