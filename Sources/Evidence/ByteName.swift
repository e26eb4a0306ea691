import RunModel

/// A name or path as the system has it: any bytes but zero, not necessarily UTF-8.
package struct ByteName: Hashable, Sendable {
  package var bytes: [UInt8]

  package init(bytes: some Sequence<UInt8>) { self.bytes = Array(bytes) }

  package init(_ text: String) { bytes = Array(text.utf8) }

  /// The name as text; `nil` when it is not valid UTF-8.
  package var text: String? { String(validating: bytes, as: UTF8.self) }

  package var isASCII: Bool { bytes.allSatisfy { $0 < 0x80 } }

  /// The components between the slashes; empty ones are kept.
  package var components: [ArraySlice<UInt8>] {
    bytes.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
  }
}

extension ByteName {
  /// The name for people: printable on one line whatever its bytes are.
  ///
  /// A backslash is doubled; newline, carriage return and tab are written as `\n`, `\r`, `\t`;
  /// other hidden characters (`Unicode.Scalar.isHidden`), private and unassigned ones as `\u{HEX}`;
  /// bytes that are not UTF-8 as `\xHH`. Different names never look the same for their escapes.
  package var displayName: String {
    var result = ""
    var rest = bytes[...]
    while !rest.isEmpty {
      guard let (scalar, width) = decodedScalar(rest) else {
        result += "\\x" + hexadecimal(rest.prefix(1))
        rest = rest.dropFirst()
        continue
      }
      result += escaped(scalar)
      rest = rest.dropFirst(width)
    }
    return result
  }

  private func escaped(_ scalar: Unicode.Scalar) -> String {
    switch scalar {
    case "\\": return "\\\\"
    case "\n": return "\\n"
    case "\r": return "\\r"
    case "\t": return "\\t"
    default: break
    }
    let isShown =
      switch scalar.properties.generalCategory {
      case .privateUse, .unassigned: false
      default: !scalar.isHidden
      }
    return isShown
      ? String(scalar) : "\\u{" + String(scalar.value, radix: 16, uppercase: true) + "}"
  }
}

/// The first scalar of UTF-8 text and its width in bytes; `nil` when the bytes are not valid there.
private func decodedScalar(_ bytes: ArraySlice<UInt8>) -> (Unicode.Scalar, Int)? {
  guard let first = bytes.first else { return nil }
  let width =
    switch first {
    case 0..<0x80: 1
    case 0xC2..<0xE0: 2
    case 0xE0..<0xF0: 3
    case 0xF0..<0xF5: 4
    default: 0
    }
  guard width > 0, let text = String(validating: bytes.prefix(width), as: UTF8.self),
    let scalar = text.unicodeScalars.first, text.unicodeScalars.count == 1,
    bytes.count >= width
  else { return nil }
  return (scalar, width)
}

extension ByteName: Comparable {
  /// Bytewise order.
  package static func < (lhs: Self, rhs: Self) -> Bool {
    lhs.bytes.lexicographicallyPrecedes(rhs.bytes)
  }
}

extension ByteName {
  /// Every byte that is not a printable ASCII character, and `%`, as `%HH`: exact for any name.
  package var percentEncoded: String {
    var result: [UInt8] = []
    for byte in bytes {
      if (0x21..<0x7F).contains(byte), byte != UInt8(ascii: "%") {
        result.append(byte)
      } else {
        result += Array("%\(hexadecimal([byte]).uppercased())".utf8)
      }
    }
    return String(decoding: result, as: UTF8.self)
  }

  /// Reverses ``percentEncoded``; `nil` for a broken escape.
  package init?(percentEncoded text: String) {
    var result: [UInt8] = []
    var rest = Array(text.utf8)[...]
    while let byte = rest.popFirst() {
      guard byte == UInt8(ascii: "%") else {
        result.append(byte)
        continue
      }
      guard rest.count >= 2, rest.prefix(2).allSatisfy({ $0 != 0x2B && $0 != 0x2D }),
        let value = UInt8(String(decoding: rest.prefix(2), as: UTF8.self), radix: 16)
      else { return nil }
      result.append(value)
      rest = rest.dropFirst(2)
    }
    bytes = result
  }
}

/// A name in JSON: `KEY` when it is valid UTF-8, else `KEYBytes` in percent-encoded form.
func jsonMember(_ key: String, _ name: ByteName) -> [UInt8] {
  if let text = name.text { return jsonString(key) + Array(":".utf8) + jsonString(text) }
  return jsonString(key + "Bytes") + Array(":".utf8) + jsonString(name.percentEncoded)
}
