public import Foundation

/// How one value looks to people: an entity, or a case of an enumeration.
public struct DisplayRepresentation: Hashable, Sendable {
  /// A picture beside the title; kept, never drawn.
  public struct Image: Hashable, Sendable {
    /// What the picture is made from.
    public enum Source: Hashable, Sendable {
      case systemName(String)
      case named(String)
      case url(URL)
      case data(Data)
    }

    public var source: Source

    public init(systemName: String) { source = .systemName(systemName) }
    public init(named name: String) { source = .named(name) }
    public init(url: URL) { source = .url(url) }
    public init(data: Data) { source = .data(data) }
  }

  public var title: LocalizedStringResource
  public var subtitle: LocalizedStringResource?
  public var image: Image?
  public var synonyms: [LocalizedStringResource]

  public init(
    title: LocalizedStringResource, subtitle: LocalizedStringResource? = nil, image: Image? = nil,
    synonyms: [LocalizedStringResource] = []
  ) {
    self.title = title
    self.subtitle = subtitle
    self.image = image
    self.synonyms = synonyms
  }
}

extension DisplayRepresentation: ExpressibleByStringInterpolation {
  public init(stringLiteral value: String) {
    self.init(title: LocalizedStringResource(stringLiteral: value))
  }

  public init(stringInterpolation: String.LocalizationValue.StringInterpolation) {
    self.init(title: LocalizedStringResource(stringInterpolation: stringInterpolation))
  }
}

/// How a type of values looks to people.
public struct TypeDisplayRepresentation: Hashable, Sendable {
  public var name: LocalizedStringResource
  /// How a number of them is called.
  public var numericFormat: LocalizedStringResource?
  public var synonyms: [LocalizedStringResource]

  public init(
    name: LocalizedStringResource, numericFormat: LocalizedStringResource? = nil,
    synonyms: [LocalizedStringResource] = []
  ) {
    self.name = name
    self.numericFormat = numericFormat
    self.synonyms = synonyms
  }
}

extension TypeDisplayRepresentation: ExpressibleByStringInterpolation {
  public init(stringLiteral value: String) {
    self.init(name: LocalizedStringResource(stringLiteral: value))
  }

  public init(stringInterpolation: String.LocalizationValue.StringInterpolation) {
    self.init(name: LocalizedStringResource(stringInterpolation: stringInterpolation))
  }
}

/// A type that has a name for people.
public protocol TypeDisplayRepresentable {
  static var typeDisplayRepresentation: TypeDisplayRepresentation { get }
}

/// A type whose values look like something to people.
public protocol InstanceDisplayRepresentable {
  var displayRepresentation: DisplayRepresentation { get }
}

public typealias DisplayRepresentable = InstanceDisplayRepresentable & TypeDisplayRepresentable
