import IntentWire

/// An intent of an app with values for its parameters.
@dynamicMemberLookup
public struct AnyAppIntent: Sendable {
  public let bundleIdentifier: String
  public let identifier: String
  private var parameters: [IntentValue.Property] = []

  init(bundleIdentifier: String, identifier: String) {
    self.bundleIdentifier = bundleIdentifier
    self.identifier = identifier
  }

  /// The value of a parameter; `nil` when none is given. Setting `nil` takes the parameter back.
  public subscript(dynamicMember name: String) -> (any IntentValueExpressing)? {
    get { parameters.first { $0.name == name }.map { Given(_intentValue: $0.value) } }
    set {
      let value = newValue.map { IntentValue.Property(name, $0._intentValue) }
      if let position = parameters.firstIndex(where: { $0.name == name }) {
        if let value { parameters[position] = value } else { parameters.remove(at: position) }
      } else if let value {
        parameters.append(value)
      }
    }
  }

  public subscript<T: IntentValueConvertible>(dynamicMember name: String) -> T {
    get throws { try T._convert(value(of: name)) }
  }

  public subscript(dynamicMember name: String) -> DynamicPropertyPath {
    DynamicPropertyPath(value(of: name))
  }

  /// Performs the intent in its app and waits for the result.
  ///
  /// - Throws: ``AppIntentError``: what perform() threw, with its domain, code, case name and text;
  ///   or why there is no result.
  @discardableResult
  public func run(
    fileID: String = #fileID, line: Int = #line
  ) async throws -> ResolvedIntentResult {
    let answer = try await IntentSystemClient.call(
      "intent.perform",
      [
        "bundle": .string(bundleIdentifier), "intent": .string(identifier),
        "parameters": .object(parameters.map { .init($0.name, $0.value.json) }),
      ], name: "\(identifier) of \(bundleIdentifier)", site: CallSite(fileID: fileID, line: line))
    return ResolvedIntentResult(
      dialog: answer["dialog"]?.string, openedIntent: answer["opened"]?.string,
      resultValue: try answer["value"].map { try IntentValue(json: $0) } ?? .null)
  }

  private func value(of name: String) -> IntentValue {
    parameters.first { $0.name == name }?.value ?? .null
  }

  private struct Given: IntentValueExpressing {
    var _intentValue: IntentValue
  }
}

extension AnyAppIntent: Hashable, CustomStringConvertible {
  public var description: String {
    let values = parameters.map { "\($0.name): \($0.value)" }.joined(separator: ", ")
    return "\(identifier)(\(values))"
  }
}

/// Makes intents by a call with the names of parameters: `makeIntent(title: "Milk")`.
///
/// `nil` leaves a parameter alone; `String?.none as any IntentValueExpressing` clears it.
@dynamicCallable
public struct IntentValuePropertiesCallable<T: Sendable>: Sendable {
  let make: @Sendable (KeyValuePairs<String, (any IntentValueExpressing)?>) -> T

  public func dynamicallyCall(
    withKeywordArguments arguments: KeyValuePairs<String, (any IntentValueExpressing)?>
  ) -> T {
    make(arguments)
  }
}
