import FoundationEssentials
import RunModel

/// Encodes a value as JSON with sorted keys, so that the same value has the same bytes.
package func encodedJSON(_ value: some Encodable, pretty: Bool = false) throws -> [UInt8] {
  let encoder = JSONEncoder()
  encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
  if pretty { encoder.outputFormatting.insert(.prettyPrinted) }
  return Array(try encoder.encode(value))
}

/// Decodes a value; unknown keys are left alone.
func decodedJSON<T: Decodable>(_: T.Type = T.self, from bytes: some Sequence<UInt8>) throws -> T {
  try JSONDecoder().decode(T.self, from: Data(bytes))
}

/// Decodes a value that states its format's version under the key `format`.
///
/// - Throws: ``EvidenceError``: `newer-format` when the major version is newer than the one this
///   version reads, `malformed` when the bytes are not what they should be.
func decodedJSON<T: Decodable>(
  _: T.Type, from bytes: [UInt8], reading supported: FormatVersion, name: String
) throws -> T {
  do {
    let format = try decodedJSON(Versioned.self, from: bytes).format
    try checkFormat(format, reading: supported, name: name)
    return try decodedJSON(T.self, from: bytes)
  } catch let error as EvidenceError {
    throw error
  } catch {
    throw EvidenceError(.malformed, "\(name) is not readable", cause: JSONFailure(error))
  }
}

private struct Versioned: Decodable { var format: FormatVersion }

/// Refuses a newer major version.
func checkFormat(_ format: FormatVersion, reading supported: FormatVersion, name: String) throws {
  guard format.major > supported.major else { return }
  throw EvidenceError(
    .newerFormat,
    "\(name) has format \(format), which is newer than \(supported.major).x that this version "
      + "reads; use a newer Carrel",
    context: ["format": "\(format)"])
}

/// What a decoder found wrong, as one sentence.
package struct JSONFailure: Error, Sendable, CustomStringConvertible {
  package var description: String

  init(_ error: any Error) {
    func place(_ path: [any CodingKey]) -> String {
      path.isEmpty ? "" : " at '" + path.map(\.stringValue).joined(separator: ".") + "'"
    }
    description =
      switch error {
      case DecodingError.keyNotFound(let key, let context):
        "the key '\(key.stringValue)' is missing" + place(context.codingPath)
      case DecodingError.typeMismatch(_, let context), DecodingError.valueNotFound(_, let context):
        context.debugDescription + place(context.codingPath)
      case DecodingError.dataCorrupted(let context):
        context.debugDescription + place(context.codingPath)
      default: "\(error)"
      }
  }
}

/// Text as a JSON string with its quotes; control characters, also C1, are escaped.
func jsonString(_ text: some StringProtocol) -> [UInt8] {
  let digits = Array("0123456789abcdef".utf8)
  var result: [UInt8] = [UInt8(ascii: "\"")]
  for scalar in text.unicodeScalars {
    switch scalar.value {
    case 0x22, 0x5C: result += [UInt8(ascii: "\\"), UInt8(scalar.value)]
    case 0..<0x20, 0x7F..<0xA0, 0x2028, 0x2029:
      result += Array("\\u".utf8)
      for shift in [12, 8, 4, 0] {
        result.append(digits[Int(scalar.value >> UInt32(shift) & 15)])
      }
    default: result += UTF8.encode(scalar).map { Array($0) } ?? []
    }
  }
  result.append(UInt8(ascii: "\""))
  return result
}
