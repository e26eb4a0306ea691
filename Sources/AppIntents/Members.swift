package import IntentWire
@_spi(Reflection) import Swift

/// The parameters of an intent by name: its properties with the wrapper `@Parameter`, in the order
/// of their declaration.
package func parameters(of intent: any AppIntent) -> [(
  name: String, parameter: any _AnyIntentParameter
)] {
  members(of: intent) { $0 as? any _AnyIntentParameter }.map { name, parameter in
    parameter._name = name
    return (name: name, parameter: parameter)
  }
}

/// The names of an intent's parameters.
func parameterNames(of intent: any AppIntent) -> [ObjectIdentifier: String] {
  Dictionary(
    parameters(of: intent).map { (ObjectIdentifier($0.parameter), $0.name) },
    uniquingKeysWith: { first, _ in first })
}

/// The properties of an entity that it exposes, those with the wrapper `@Property`, in the order of
/// their declaration.
package func properties(of entity: any AppEntity) -> [(
  name: String, property: any _AnyEntityProperty
)] {
  members(of: entity) { $0 as? any _AnyEntityProperty }.map { (name: $0.0, property: $0.1) }
}

/// The names and types of the properties that a type of entities exposes, in the order of their
/// declaration; read from the type's metadata, because there is no entity yet.
package func propertyTypes(
  of type: any AppEntity.Type
) -> [(name: String, type: IntentValueType)] {
  var found: [(name: String, type: IntentValueType)] = []
  // The first option stands for classes; its name is a mutable variable of the standard library.
  let options = _EachFieldOptions(rawValue: type is AnyClass ? 1 : 0)
  _ = _forEachField(of: type, options: options) { name, _, field, _ in
    if let property = field as? any _AnyEntityProperty.Type {
      let name = String(cString: name)
      found.append((name.hasPrefix("_") ? String(name.dropFirst()) : name, property._type))
    }
    return true
  }
  return found
}

/// Stored properties of a value whose wrapper is of some kind; a wrapper is stored as `_name`.
private func members<Member>(
  of value: Any, _ cast: (Any) -> Member?
) -> [(String, Member)] {
  var found: [(String, Member)] = []
  var mirror: Mirror? = Mirror(reflecting: value)
  while let current = mirror {
    var own: [(String, Member)] = []
    for child in current.children {
      guard let label = child.label, let member = cast(child.value) else { continue }
      own.append((label.hasPrefix("_") ? String(label.dropFirst()) : label, member))
    }
    found = own + found
    mirror = current.superclassMirror
  }
  return found
}
