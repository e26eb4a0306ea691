import IntentWire

/// A place in a result, read when somebody says as what.
@dynamicMemberLookup
public struct DynamicPropertyPath: Sendable {
  /// The value there, or why there is none.
  let result: Result<IntentValue, IntentValueError>

  init(_ value: IntentValue) { result = .success(value) }
  init(_ result: Result<IntentValue, IntentValueError>) { self.result = result }

  /// The value as a type.
  ///
  /// - Throws: ``IntentValueError``.
  public func `as`<T: IntentValueConvertible>(_ type: T.Type) throws -> T {
    try T._convert(result.get())
  }

  /// The value as an instance of an entity or enumeration of the app.
  ///
  /// - Throws: ``IntentValueError`` when it is of another type.
  public func `as`<Definition: AppIntentTypeDefinition>(
    _ definition: Definition
  ) throws -> Definition.Instance {
    let instance = try Definition.Instance._convert(result.get())
    try definition.isInstance(instance)
    return instance
  }

  public subscript<T: IntentValueConvertible>(_ index: Int) -> T {
    get throws { try T._convert(element(index).get()) }
  }

  public subscript(_ index: Int) -> DynamicPropertyPath { DynamicPropertyPath(element(index)) }

  public subscript<T: IntentValueConvertible>(dynamicMember name: String) -> T {
    get throws { try T._convert(member(name).get()) }
  }

  public subscript(dynamicMember name: String) -> DynamicPropertyPath {
    DynamicPropertyPath(member(name))
  }

  private func element(_ index: Int) -> Result<IntentValue, IntentValueError> {
    result.flatMap { value in
      guard case .array(let values) = value else {
        return .failure(castingFailed(value, [IntentValue].self))
      }
      guard values.indices.contains(index) else {
        return .failure(.outOfRange(index: index, count: values.count))
      }
      return .success(values[index])
    }
  }

  private func member(_ name: String) -> Result<IntentValue, IntentValueError> {
    result.flatMap { $0.member(name) }
  }
}

extension IntentValue {
  /// A property of an entity.
  func member(_ name: String) -> Result<IntentValue, IntentValueError> {
    guard case .entity(let entity) = self else {
      return .failure(castingFailed(self, AnyAppEntity.self))
    }
    guard let value = entity.value(of: name) else {
      return .failure(
        .notExposed(
          name: name, type: entity.type, exposed: entity.properties?.map(\.name) ?? []))
    }
    return .success(value)
  }
}

/// What an intent has returned; its only member is `value`.
@dynamicMemberLookup
public struct ResolvedIntentResult: Sendable {
  /// Makes `value` the only member.
  public struct ValueKeyPath {
    public var value: Never { fatalError("only its key path is used") }
  }

  /// What the intent said, when it said something.
  public let dialog: String?
  /// The name of the intent that was opened after it.
  public let openedIntent: String?
  let resultValue: IntentValue

  public subscript(dynamicMember path: KeyPath<ValueKeyPath, Never>) -> DynamicPropertyPath {
    DynamicPropertyPath(resultValue)
  }

  public subscript<T: IntentValueConvertible>(dynamicMember path: KeyPath<ValueKeyPath, Never>) -> T
  {
    get throws { try T._convert(resultValue) }
  }
}
