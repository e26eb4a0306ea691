/// The shortcuts that an app brings along.
@_alwaysEmitConformanceMetadata
public protocol AppShortcutsProvider: Sendable {
  @AppShortcutsBuilder static var appShortcuts: [AppShortcut] { get }
  static var shortcutTileColor: ShortcutTileColor { get }
}

extension AppShortcutsProvider {
  public static var shortcutTileColor: ShortcutTileColor { .blue }

  /// Tells the system that what parameters of shortcuts can be has changed; nobody caches that
  /// here.
  public static func updateAppShortcutParameters() {}
}

public enum ShortcutTileColor: Hashable, Sendable {
  case blue, grape, grayBlue, grayBrown, grayGreen, lightBlue, lightGreen, lime, navy, orange, pink
  case purple, red, tangerine, teal, yellow
}

/// An intent with the phrases by which people ask for it.
public struct AppShortcut: Sendable {
  public let intent: any AppIntent
  /// Templates, with `${applicationName}` and `${parameter}` for what is filled in.
  public let phraseTemplates: [String]
  public let shortTitle: LocalizedStringResource?
  public let systemImageName: String?

  public init<Intent: AppIntent>(
    intent: Intent, phrases: [AppShortcutPhrase<Intent>], shortTitle: LocalizedStringResource,
    systemImageName: String
  ) {
    self.intent = intent
    phraseTemplates = phrases.map(\.template)
    self.shortTitle = shortTitle
    self.systemImageName = systemImageName
  }

  public init<Intent: AppIntent>(intent: Intent, phrases: [AppShortcutPhrase<Intent>]) {
    self.intent = intent
    phraseTemplates = phrases.map(\.template)
    shortTitle = nil
    systemImageName = nil
  }
}

/// A phrase of a shortcut.
public struct AppShortcutPhrase<Intent: AppIntent>: ExpressibleByStringInterpolation, Sendable {
  let template: String

  public init(stringLiteral value: String) { template = value }
  public init(stringInterpolation: StringInterpolation) { template = stringInterpolation.template }

  /// What a phrase can have filled in that is no parameter.
  public enum Token: Sendable {
    case applicationName
  }

  public struct StringInterpolation: StringInterpolationProtocol {
    var template = ""

    public init(literalCapacity: Int, interpolationCount: Int) {}

    public mutating func appendLiteral(_ literal: String) { template += literal }

    public mutating func appendInterpolation(_ token: Token) { template += "${applicationName}" }

    public mutating func appendInterpolation<Value>(
      _ parameter: KeyPath<Intent, IntentParameter<Value>>
    ) {
      let intent = Intent()
      let name = parameterNames(of: intent)[ObjectIdentifier(intent[keyPath: parameter])]
      template += "${\(name ?? "?")}"
    }
  }
}

@resultBuilder
public enum AppShortcutsBuilder {
  public static func buildExpression(_ shortcut: AppShortcut) -> [AppShortcut] { [shortcut] }
  public static func buildBlock(_ parts: [AppShortcut]...) -> [AppShortcut] { parts.flatMap { $0 } }
  public static func buildOptional(_ part: [AppShortcut]?) -> [AppShortcut] { part ?? [] }
  public static func buildEither(first part: [AppShortcut]) -> [AppShortcut] { part }
  public static func buildEither(second part: [AppShortcut]) -> [AppShortcut] { part }
  public static func buildArray(_ parts: [[AppShortcut]]) -> [AppShortcut] { parts.flatMap { $0 } }
}
