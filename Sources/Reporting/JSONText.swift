/// Writes JSON (RFC 8259) that is also safe to show on a terminal: hidden characters are escaped.
struct JSONText {
  private(set) var text = ""

  /// Appends punctuation and literals as they are.
  mutating func raw(_ text: String) { self.text += text }

  /// Appends a string, or `null`.
  mutating func string(_ value: String?) {
    guard let value else { return raw("null") }
    text += "\""
    // Backslashes of the value before those of escapes.
    text += replacingHidden(in: Self.escapingQuotes(in: value)) { value, _, bytes in
      switch value {
      case 0x0A: bytes.append(contentsOf: "\\n".utf8)
      case 0x09: bytes.append(contentsOf: "\\t".utf8)
      case 0x0D: bytes.append(contentsOf: "\\r".utf8)
      default:
        // Two escapes, of surrogates, for a character beyond U+FFFF (RFC 8259, section 7).
        for unit in Unicode.Scalar(value).flatMap({ UTF16.encode($0) }) ?? .init() {
          let digits = String(unit, radix: 16, uppercase: true)
          let zeros = String(repeating: "0", count: 4 - digits.utf8.count)
          bytes.append(contentsOf: "\\u\(zeros)\(digits)".utf8)
        }
      }
    }
    text += "\""
  }

  private static func escapingQuotes(in text: String) -> String {
    func needsEscape(_ byte: UInt8) -> Bool {
      byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\")
    }
    guard text.utf8.contains(where: needsEscape) else { return text }
    var result: [UInt8] = []
    result.reserveCapacity(text.utf8.count + 64)
    for byte in text.utf8 {
      if needsEscape(byte) { result.append(UInt8(ascii: "\\")) }
      result.append(byte)
    }
    return String(decoding: result, as: UTF8.self)
  }
}
