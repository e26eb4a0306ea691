/// Writes XML 1.0 into one buffer; whatever is put in, the result is well-formed.
///
/// Characters that XML 1.0 cannot hold (section 2.2 of the specification), and DEL and C1, which it
/// discourages, are written as `\u{HEX}`. There are no CDATA sections: markup is escaped.
struct XMLWriter {
  private(set) var bytes: [UInt8] = []

  init(capacity: Int) { bytes.reserveCapacity(capacity) }

  /// Appends markup as it is.
  mutating func markup(_ text: StaticString) {
    text.withUTF8Buffer { bytes.append(contentsOf: $0) }
  }

  /// Appends ` name="value"`; line ends and tabs of the value survive.
  mutating func attribute(_ name: StaticString, _ value: String) {
    beginAttribute(name)
    append(value, inAttribute: true)
    bytes.append(UInt8(ascii: "\""))
  }

  mutating func attribute(_ name: StaticString, _ value: Int) {
    beginAttribute(name)
    bytes.append(contentsOf: String(value).utf8)
    bytes.append(UInt8(ascii: "\""))
  }

  /// Appends text between tags.
  mutating func text(_ text: some StringProtocol) {
    append(String(text), inAttribute: false)
  }

  private mutating func beginAttribute(_ name: StaticString) {
    bytes.append(UInt8(ascii: " "))
    markup(name)
    bytes.append(UInt8(ascii: "="))
    bytes.append(UInt8(ascii: "\""))
  }

  /// Copies runs of plain bytes at once and looks closer only at the bytes that may need an escape.
  private mutating func append(_ text: String, inAttribute: Bool) {
    var text = text
    text.withUTF8 { source in
      var start = 0
      var index = 0
      while index < source.count {
        let byte = source[index]
        if byte > 0x3E && byte < 0x7F || byte == 0x20 {
          index += 1
          continue
        }
        let (length, replacement) = Self.escape(source, at: index, inAttribute: inAttribute)
        if let replacement {
          bytes.append(contentsOf: source[start..<index])
          bytes.append(contentsOf: replacement.utf8)
          start = index + length
        }
        index += length
      }
      bytes.append(contentsOf: source[start..<source.count])
    }
  }

  /// The length of the character or byte at the index, and what is written in its place, if
  /// anything.
  private static func escape(
    _ source: UnsafeBufferPointer<UInt8>, at index: Int, inAttribute: Bool
  ) -> (length: Int, replacement: String?) {
    switch source[index] {
    case UInt8(ascii: "<"): (1, "&lt;")
    case UInt8(ascii: ">"): (1, "&gt;")
    case UInt8(ascii: "&"): (1, "&amp;")
    case UInt8(ascii: "\""): (1, inAttribute ? "&quot;" : nil)
    case 0x09: (1, inAttribute ? "&#9;" : nil)
    case 0x0A: (1, inAttribute ? "&#10;" : nil)
    // A literal carriage return would be read as a line feed (section 2.11).
    case 0x0D: (1, "&#13;")
    case 0..<0x20, 0x7F: (1, visibleEscape(UInt32(source[index])))
    case 0xC2 where source[index + 1] < 0xA0: (2, visibleEscape(UInt32(source[index + 1])))
    // U+FFFE and U+FFFF; Swift's strings hold no surrogates.
    case 0xEF where source[index + 1] == 0xBF && source[index + 2] >= 0xBE:
      (3, visibleEscape(0xFFC0 | UInt32(source[index + 2] & 0x3F)))
    default: (1, nil)
    }
  }
}
