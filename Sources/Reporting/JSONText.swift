/// Writes JSON (RFC 8259) that is also safe to show on a terminal: control characters, line
/// separators and writing direction marks are escaped, so the text has none of them.
struct JSONText {
  private(set) var text = ""

  /// Appends punctuation and literals as they are.
  mutating func raw(_ text: String) { self.text += text }

  /// Appends a string, or `null`.
  mutating func string(_ value: String?) {
    guard let value else { return raw("null") }
    text += "\""
    for scalar in value.unicodeScalars {
      switch scalar {
      case "\"": text += "\\\""
      case "\\": text += "\\\\"
      case "\n": text += "\\n"
      case "\t": text += "\\t"
      case "\r": text += "\\r"
      default:
        if scalar.value < 0x20 || scalar.value >= 0x7F && isHidden(scalar.value) {
          let digits = String(scalar.value, radix: 16, uppercase: true)
          text += "\\u" + String(repeating: "0", count: 4 - digits.utf8.count) + digits
        } else {
          text.unicodeScalars.append(scalar)
        }
      }
    }
    text += "\""
  }
}
