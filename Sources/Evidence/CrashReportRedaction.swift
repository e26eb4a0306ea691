/// A crash report of Swift's backtracer without the contents of registers and memory, which can
/// hold secrets of the program under test; as it is when it is no JSON.
///
/// - Returns: The report, and how many members were taken out, by the rule; `nil` when it cannot be
///   written again.
package func redactedCrashReport(_ bytes: [UInt8]) -> (bytes: [UInt8], removed: [String: Int])? {
  guard var report = try? decodedJSON(JSONValue.self, from: bytes) else { return (bytes, [:]) }
  let count = report.remove(["capturedMemory", "registers"])
  guard let text = try? encodedJSON(report, pretty: true) else { return nil }
  return (text + [10], count == 0 ? [:] : ["crash-memory": count])
}

/// Any JSON.
private enum JSONValue: Codable {
  case null
  case bool(Bool)
  case number(Double)
  case string(String)
  case array([JSONValue])
  case object([String: JSONValue])

  init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    if container.decodeNil() {
      self = .null
    } else if let value = try? container.decode(Bool.self) {
      self = .bool(value)
    } else if let value = try? container.decode(Double.self) {
      self = .number(value)
    } else if let value = try? container.decode(String.self) {
      self = .string(value)
    } else if let value = try? container.decode([JSONValue].self) {
      self = .array(value)
    } else {
      self = .object(try container.decode([String: JSONValue].self))
    }
  }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    switch self {
    case .null: try container.encodeNil()
    case .bool(let value): try container.encode(value)
    case .number(let value):
      if let whole = Int(exactly: value) {
        try container.encode(whole)
      } else {
        try container.encode(value)
      }
    case .string(let value): try container.encode(value)
    case .array(let value): try container.encode(value)
    case .object(let value): try container.encode(value)
    }
  }

  /// Removes members of these names, at any depth.
  ///
  /// - Returns: How many there were.
  mutating func remove(_ names: Set<String>) -> Int {
    var count = 0
    switch self {
    case .array(let values):
      self = .array(
        values.map {
          var value = $0
          count += value.remove(names)
          return value
        })
    case .object(let members):
      let kept = members.filter { !names.contains($0.key) }
      count = members.count - kept.count
      self = .object(
        kept.mapValues {
          var value = $0
          count += value.remove(names)
          return value
        })
    default: break
    }
    return count
  }
}
