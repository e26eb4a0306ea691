/// Something that has a name of its own, which stays when the type is renamed.
public protocol PersistentlyIdentifiable {
  static var persistentIdentifier: String { get }
}

extension PersistentlyIdentifiable {
  /// The type's name without its module.
  public static var persistentIdentifier: String { "\(Self.self)" }
}

/// When somebody must have unlocked the device; kept and described, never asked for on Linux.
public enum IntentAuthenticationPolicy: Hashable, Sendable {
  case alwaysAllowed
  case requiresAuthentication
  case requiresLocalDeviceAuthentication
}

/// What an app can do for somebody outside of it.
///
/// An app's process finds every type that conforms, private and nested ones too, by the conformance
/// records in its executable. The attribute keeps the compiler from leaving out the records of
/// types that nothing in the sources refers to, which it else does in a release build.
@_alwaysEmitConformanceMetadata
public protocol AppIntent: PersistentlyIdentifiable, Sendable {
  associatedtype PerformResult: IntentResult
  associatedtype SummaryContent: ParameterSummary = EmptyParameterSummary

  static var title: LocalizedStringResource { get }
  static var description: IntentDescription? { get }
  /// Whether people find it in lists of what the app can do. Tests call it either way.
  static var isDiscoverable: Bool { get }
  /// Whether the app comes to the front before it is performed.
  static var openAppWhenRun: Bool { get }
  static var authenticationPolicy: IntentAuthenticationPolicy { get }
  @ParameterSummaryBuilder<Self> static var parameterSummary: SummaryContent { get }

  init()

  /// Does it. What is thrown reaches the caller with its domain, code, case name and text.
  func perform() async throws -> PerformResult
}

extension AppIntent {
  public typealias Parameter = IntentParameter
  public typealias Dependency = AppDependency
  public typealias Summary = IntentParameterSummary<Self>

  public static var description: IntentDescription? { nil }
  public static var isDiscoverable: Bool { true }
  public static var openAppWhenRun: Bool { false }
  public static var authenticationPolicy: IntentAuthenticationPolicy { .alwaysAllowed }
}

extension AppIntent where SummaryContent == EmptyParameterSummary {
  public static var parameterSummary: EmptyParameterSummary { EmptyParameterSummary() }
}

/// What an intent does, in a sentence or two.
public struct IntentDescription: Hashable, Sendable {
  public var descriptionText: LocalizedStringResource
  public var categoryName: LocalizedStringResource?
  public var searchKeywords: [LocalizedStringResource]
  public var resultValueName: LocalizedStringResource?

  public init(
    _ descriptionText: LocalizedStringResource, categoryName: LocalizedStringResource? = nil,
    searchKeywords: [LocalizedStringResource] = [], resultValueName: LocalizedStringResource? = nil
  ) {
    self.descriptionText = descriptionText
    self.categoryName = categoryName
    self.searchKeywords = searchKeywords
    self.resultValueName = resultValueName
  }
}

extension IntentDescription: ExpressibleByStringInterpolation {
  public init(stringLiteral value: String) {
    self.init(LocalizedStringResource(stringLiteral: value))
  }

  public init(stringInterpolation: String.LocalizationValue.StringInterpolation) {
    self.init(LocalizedStringResource(stringInterpolation: stringInterpolation))
  }
}

/// An intent that opens something in the app.
@_alwaysEmitConformanceMetadata
public protocol OpenIntent: AppIntent {
  associatedtype Target: _IntentValue
  var target: Target { get set }
}

extension OpenIntent {
  public static var openAppWhenRun: Bool { true }
}

/// An intent that deletes entities.
@_alwaysEmitConformanceMetadata
public protocol DeleteIntent: AppIntent {
  associatedtype Entity: AppEntity
  var entities: [Entity] { get set }
}
