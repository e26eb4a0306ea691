/// The sentence that says what an intent does with its parameters.
public protocol ParameterSummary {
  /// The sentence, with `${name}` for each parameter; `nil` for none.
  var _format: String? { get }
}

/// No sentence: people see the title.
public struct EmptyParameterSummary: ParameterSummary, Sendable {
  public var _format: String? { nil }
}

/// A sentence, and the parameters that are shown below it.
public struct IntentParameterSummary<Intent: AppIntent>: ParameterSummary {
  let text: ParameterSummaryString<Intent>
  let others: [PartialKeyPath<Intent>]

  public init(_ text: ParameterSummaryString<Intent>) {
    self.text = text
    others = []
  }

  public init(
    _ text: ParameterSummaryString<Intent>,
    @ParameterSummaryMembersBuilder<Intent> _ others: () -> [PartialKeyPath<Intent>]
  ) {
    self.text = text
    self.others = others()
  }

  public init(@ParameterSummaryMembersBuilder<Intent> _ others: () -> [PartialKeyPath<Intent>]) {
    text = ""
    self.others = others()
  }

  public var _format: String? {
    let intent = Intent()
    let names = parameterNames(of: intent)
    return text.parts.map { part in
      switch part {
      case .literal(let text): text
      case .parameter(let path):
        (intent[keyPath: path] as? any _AnyIntentParameter)
          .flatMap { names[ObjectIdentifier($0)] }.map { "${\($0)}" } ?? "${?}"
      }
    }.joined()
  }
}

/// A text with parameters in it, by their key paths.
public struct ParameterSummaryString<Intent: AppIntent>: ExpressibleByStringInterpolation {
  enum Part {
    case literal(String)
    case parameter(PartialKeyPath<Intent>)
  }

  let parts: [Part]

  public init(stringLiteral value: String) { parts = value.isEmpty ? [] : [.literal(value)] }

  public init(stringInterpolation: StringInterpolation) { parts = stringInterpolation.parts }

  public struct StringInterpolation: StringInterpolationProtocol {
    var parts: [Part] = []

    public init(literalCapacity: Int, interpolationCount: Int) {}

    public mutating func appendLiteral(_ literal: String) {
      if !literal.isEmpty { parts.append(.literal(literal)) }
    }

    public mutating func appendInterpolation<Value>(
      _ parameter: KeyPath<Intent, IntentParameter<Value>>
    ) {
      parts.append(.parameter(parameter))
    }
  }
}

/// Collects parameters below a sentence.
@resultBuilder
public enum ParameterSummaryMembersBuilder<Intent: AppIntent> {
  public static func buildExpression<Value>(
    _ parameter: KeyPath<Intent, IntentParameter<Value>>
  ) -> [PartialKeyPath<Intent>] {
    [parameter]
  }

  public static func buildBlock(_ parts: [PartialKeyPath<Intent>]...) -> [PartialKeyPath<Intent>] {
    parts.flatMap { $0 }
  }
}

/// Makes the summary of an intent.
@resultBuilder
public enum ParameterSummaryBuilder<Intent: AppIntent> {
  public static func buildBlock<Content: ParameterSummary>(_ content: Content) -> Content {
    content
  }
}
