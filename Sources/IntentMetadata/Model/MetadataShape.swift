import IntentWire

/// What a value of the metadata may be.
///
/// The format is undocumented; the shapes are those of files that Xcode 15.2 to 27.0 wrote. They
/// say which keys are known and of what type their values are. What is not known is kept and
/// counted.
indirect enum MetadataShape: Sendable {
  case string
  case bool
  case integer
  case number
  /// Whatever it is.
  case any
  case list(MetadataShape)
  /// An object whose keys are names.
  case names(MetadataShape)
  /// A list of a key and its value in turn.
  case pairs
  /// An object with the keys of the format.
  case object([String: MetadataShape])
  /// An object with one key, which says what kind of a value it holds, and that in `wrapper`.
  case union([String: MetadataShape])

  /// What a sentence calls it.
  var name: String {
    switch self {
    case .string: "a string"
    case .bool: "true or false"
    case .integer: "a whole number"
    case .number: "a number"
    case .any: "a value"
    case .list, .pairs: "a list"
    case .names, .object, .union: "an object"
    }
  }
}

/// Walks through metadata and holds it against the shapes.
struct MetadataShapeCheck {
  /// Keys that no shape knows, by the place where they are, with `*` for names and indices, and how
  /// often they are there.
  private(set) var unknownKeys: [String: Int] = [:]

  /// - Throws: ``MetadataError`` for a value of another type than the format says.
  mutating func check(
    _ value: WireJSON, _ shape: MetadataShape, at path: MetadataPath = MetadataPath()
  ) throws(MetadataError) {
    switch (shape, value) {
    case (.any, _), (.string, .string), (.bool, .bool), (.integer, .int), (.number, .int),
      (.number, .double):
      break
    // What is not there is left out in most files, and null in some.
    case (_, .null):
      break
    case (.list(let element), .array(let values)):
      for (index, value) in values.enumerated() {
        try check(value, element, at: path.element(index))
      }
    case (.pairs, .array(let values)):
      guard values.count.isMultiple(of: 2) else {
        throw failure("a key without a value", at: path)
      }
      for index in stride(from: 0, to: values.count, by: 2) where values[index].string == nil {
        throw failure("a string is expected", at: path.element(index))
      }
    case (.names(let shape), .object(let members)):
      for member in members { try check(member.value, shape, at: path.name(member.key)) }
    case (.object(let keys), .object(let members)):
      try check(members, keys, at: path)
    case (.union(let kinds), .object(let members)):
      for member in members {
        let path = path.key(member.key)
        guard let shape = kinds[member.key] else {
          unknownKeys[path.pattern, default: 0] += 1
          continue
        }
        try check(member.value, .object(["wrapper": shape]), at: path)
      }
    default:
      throw failure("\(shape.name) is expected", at: path)
    }
  }

  private mutating func check(
    _ members: [WireJSON.Member], _ keys: [String: MetadataShape], at path: MetadataPath
  ) throws(MetadataError) {
    for member in members {
      let path = path.key(member.key)
      if let shape = keys[member.key] {
        try check(member.value, shape, at: path)
      } else {
        unknownKeys[path.pattern, default: 0] += 1
      }
    }
  }

  private func failure(_ reason: String, at path: MetadataPath) -> MetadataError {
    MetadataError(
      .invalidShape, "'\(path.text)': \(reason)", context: ["path": path.text])
  }
}

/// A place in metadata.
struct MetadataPath {
  /// With the names and indices, as `actions.OpenNote.parameters[0].title`.
  private(set) var text = ""
  /// With `*` for each of them, as `actions.*.parameters[*].title`.
  private(set) var pattern = ""

  func key(_ key: String) -> MetadataPath { appending(key, key) }
  func name(_ name: String) -> MetadataPath { appending(name, "*") }

  func element(_ index: Int) -> MetadataPath {
    var path = self
    path.text += "[\(index)]"
    path.pattern += "[*]"
    return path
  }

  private func appending(_ text: String, _ pattern: String) -> MetadataPath {
    var path = self
    path.text += (path.text.isEmpty ? "" : ".") + text
    path.pattern += (path.pattern.isEmpty ? "" : ".") + pattern
    return path
  }
}
