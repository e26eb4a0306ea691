import IntentWire

/// A value as the compiler knows it without running the code.
///
/// Swift writes such values of all types that conform to given protocols when it is asked for them
/// (`-emit-const-values-path`, `-const-gather-protocols-file`); the form is that of Swift 6.3.
package indirect enum ConstValue: Hashable, Sendable {
  /// A literal's text: a string, a number, `true`.
  case literal(String)
  case null
  case call(type: String, [Argument])
  /// The parts of a string.
  case interpolation([ConstValue])
  case array([ConstValue])
  case tuple([ConstValue])
  case dictionary([Pair])
  /// A case of an enumeration by its name.
  case enumeration(String)
  /// The path behind the backslash and the dot: `$title`.
  case keyPath(String)
  /// The expressions of a result builder, those of conditions included.
  case builder([ConstValue])
  /// What is only known when the code runs, and what this program does not know.
  case runtime

  package struct Argument: Hashable, Sendable {
    package var label: String
    /// With modules; known also where the value is not.
    package var type: String
    package var value: ConstValue

    package init(_ label: String, type: String = "", _ value: ConstValue) {
      self.label = label
      self.type = type
      self.value = value
    }
  }

  package struct Pair: Hashable, Sendable {
    package var key: ConstValue
    package var value: ConstValue
  }

  init(_ json: WireJSON) {
    let value = json["value"]
    switch json["valueKind"]?.string {
    case "RawLiteral": self = .literal(value?.string ?? "")
    case "NilLiteral": self = .null
    case "InitCall":
      self = .call(
        type: value?["type"]?.string ?? "",
        (value?["arguments"]?.array ?? []).map {
          Argument(
            $0["label"]?.string ?? "", type: $0["type"]?.string ?? "", ConstValue($0))
        })
    case "InterpolatedStringLiteral":
      self = .interpolation((value?["segments"]?.array ?? []).map { ConstValue($0) })
    case "Array": self = .array((value?.array ?? []).map { ConstValue($0) })
    case "Tuple": self = .tuple((value?.array ?? []).map { ConstValue($0) })
    case "Dictionary":
      self = .dictionary(
        (value?.array ?? []).map {
          Pair(key: ConstValue($0["key"] ?? .null), value: ConstValue($0["value"] ?? .null))
        })
    case "Enum": self = .enumeration(value?["name"]?.string ?? "")
    case "KeyPath": self = .keyPath(value?["path"]?.string ?? "")
    case "Builder":
      self = .builder((value?["members"]?.array ?? []).flatMap(Self.elements))
    default: self = .runtime
    }
  }

  /// The expressions of a member of a result builder, wherever conditions put them.
  private static func elements(_ member: WireJSON) -> [ConstValue] {
    var values: [ConstValue] = []
    if let element = member["element"], element["valueKind"] != nil {
      values.append(ConstValue(element))
    }
    for key in ["ifElements", "elseElements", "elements"] {
      values += (member[key]?.array ?? []).flatMap(elements)
    }
    return values
  }

  /// The argument of a call.
  func argument(_ label: String) -> ConstValue? { arguments.first { $0.label == label }?.value }

  /// Those of a call.
  var arguments: [Argument] {
    guard case .call(_, let arguments) = self else { return [] }
    return arguments
  }

  /// Whether it depends on what is only known at run time.
  var isRuntime: Bool { self == .runtime }
}
