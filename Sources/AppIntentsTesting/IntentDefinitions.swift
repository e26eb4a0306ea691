import IntentWire

/// What an app offers, by the names of its types. Nothing is looked up before it is used.
public struct IntentDefinitions: Sendable {
  public let bundleIdentifier: String

  /// - Parameter bundleIdentifier: That of the app, for example `com.example.Notes`.
  public init(bundleIdentifier: String) { self.bundleIdentifier = bundleIdentifier }

  public var intents: DefinitionCollection<AppIntentDefinition> {
    DefinitionCollection { [bundleIdentifier] in
      AppIntentDefinition(bundleIdentifier: bundleIdentifier, identifier: $0)
    }
  }

  public var entities: DefinitionCollection<AppEntityDefinition> {
    DefinitionCollection { [bundleIdentifier] in
      AppEntityDefinition(typeIdentifier: $0, bundleIdentifier: bundleIdentifier)
    }
  }

  public var enums: DefinitionCollection<AppEnumDefinition> {
    DefinitionCollection { AppEnumDefinition(typeIdentifier: $0) }
  }

  /// Definitions by the name of their type.
  public struct DefinitionCollection<Definition: Sendable>: Sendable {
    let make: @Sendable (String) -> Definition

    public subscript(_ name: String) -> Definition { make(name) }
  }
}

/// An entity or enumeration of an app, by name.
public protocol AppIntentTypeDefinition: Sendable {
  associatedtype Instance: IntentValueConvertible

  /// - Throws: ``IntentValueError`` when the instance is of another type.
  func isInstance(_ instance: Instance) throws
}

/// An intent of an app, by name.
public struct AppIntentDefinition: Hashable, Sendable {
  public let bundleIdentifier: String
  public let identifier: String

  /// Makes the intent with values for its parameters.
  public var makeIntent: IntentValuePropertiesCallable<AnyAppIntent> {
    IntentValuePropertiesCallable { [self] arguments in
      var intent = AnyAppIntent(bundleIdentifier: bundleIdentifier, identifier: identifier)
      for (name, value) in arguments {
        if let value { intent[dynamicMember: name] = value }
      }
      return intent
    }
  }
}

/// An enumeration of an app, by name.
public struct AppEnumDefinition: AppIntentTypeDefinition, Hashable {
  public let typeIdentifier: String

  /// A case by its raw value; the app finds out whether it has it.
  public func makeCase(_ rawValue: String) -> AnyAppEnum {
    AnyAppEnum(typeIdentifier: typeIdentifier, value: rawValue)
  }

  public func isInstance(_ instance: AnyAppEnum) throws {
    guard instance.typeIdentifier == typeIdentifier else {
      throw IntentValueError.castingFailed(
        elementType: instance.typeIdentifier, targetType: typeIdentifier)
    }
  }
}
