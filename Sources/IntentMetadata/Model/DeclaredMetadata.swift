/// Where something is declared.
package struct SourceLocation: Hashable, Sendable, CustomStringConvertible {
  /// Relative to the package when it lies in it.
  package var file: String
  /// From 1.
  package var line: Int

  package init(file: String, line: Int) {
    self.file = file
    self.line = line
  }

  package var description: String { "\(file):\(line)" }
}

/// Something of metadata that a finding, a difference or a place in the sources is about.
package enum MetadataItem: Hashable, Sendable {
  /// By identifier.
  case intent(String)
  /// By the intent's identifier and its own name.
  case parameter(intent: String, String)
  /// By type name.
  case entity(String)
  case property(entity: String, String)
  /// By identifier.
  case query(String)
  case enumeration(String)
  case enumerationCase(enumeration: String, String)
  /// By position in the list, from 0.
  case shortcut(Int)
  /// By position of the shortcut and of the phrase, from 0.
  case phrase(shortcut: Int, Int)
  /// The type that provides the shortcuts, by name.
  case provider(String)

  /// What a sentence calls it.
  package var name: String {
    switch self {
    case .intent(let name): "intent '\(name)'"
    case .parameter(let intent, let name): "parameter '\(name)' of intent '\(intent)'"
    case .entity(let name): "entity '\(name)'"
    case .property(let entity, let name): "property '\(name)' of entity '\(entity)'"
    case .query(let name): "query '\(name)'"
    case .enumeration(let name): "enumeration '\(name)'"
    case .enumerationCase(let name, let value): "case '\(value)' of enumeration '\(name)'"
    case .shortcut(let number): "App Shortcut \(number + 1)"
    case .phrase(let shortcut, let number): "phrase \(number + 1) of App Shortcut \(shortcut + 1)"
    case .provider(let name): "provider '\(name)'"
    }
  }
}

/// The metadata of one app or module, with what only sources tell.
package struct DeclaredMetadata: Sendable {
  package var metadata: AppMetadata
  /// Where things are declared; empty for metadata that was read from a build.
  package var locations: [MetadataItem: SourceLocation]
  /// What could not be told from the sources, because its value is only known when the app runs.
  package var unknowns: [UnknownValue]
  /// All types that provide shortcuts.
  package var providers: [Provider]
  /// Things that have the name of another one, which therefore is not in the metadata.
  package var duplicates: [Duplicate]
  /// Differences to what the running app has registered, when it was asked.
  package var registration: [RegistrationDifference] = []
  /// What comments switch off, by file; see ``readSources(_:)``.
  package var suppressions: [String: SourceSuppressions] = [:]

  /// A type that provides shortcuts.
  package struct Provider: Hashable, Sendable {
    /// `Module.Type`
    package var name: String
    /// Whether it is the app's own; those of libraries are not found by the system.
    package var isOfApp: Bool

    package init(name: String, isOfApp: Bool) {
      self.name = name
      self.isOfApp = isOfApp
    }
  }

  package struct Duplicate: Hashable, Sendable {
    package var item: MetadataItem
    /// `Module.Type`, in the order of declaration; the last one counts.
    package var types: [String]
    /// Of the last one.
    package var location: SourceLocation?

    package init(item: MetadataItem, types: [String], location: SourceLocation? = nil) {
      self.item = item
      self.types = types
      self.location = location
    }
  }

  /// A value that the compiler cannot tell without running the code.
  package struct UnknownValue: Hashable, Sendable {
    /// What it is a part of; `nil` when it is the whole metadata's.
    package var item: MetadataItem?
    /// The member, as `title`, `description` or `phrases`.
    package var member: String
    package var location: SourceLocation?

    package init(item: MetadataItem?, member: String, location: SourceLocation?) {
      self.item = item
      self.member = member
      self.location = location
    }
  }

  package init(
    _ metadata: AppMetadata, locations: [MetadataItem: SourceLocation] = [:],
    unknowns: [UnknownValue] = [], providers: [Provider] = [], duplicates: [Duplicate] = []
  ) {
    self.metadata = metadata
    self.locations = locations
    self.unknowns = unknowns
    self.providers = providers
    self.duplicates = duplicates
  }
}
