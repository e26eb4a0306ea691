import Reporting

/// Bytes for people, on one line: hidden characters but tabs written visibly, bytes that are not
/// UTF-8 as `\xHH`.
package func visibleText(_ bytes: some Collection<UInt8>) -> String {
  if let text = String(validating: bytes, as: UTF8.self) { return visibleText(text) }
  var result = ""
  var valid: [UInt8] = []
  func flush() {
    result += visibleText(String(decoding: valid, as: UTF8.self))
    valid.removeAll(keepingCapacity: true)
  }
  var rest = Array(bytes)[...]
  while let first = rest.first {
    let width =
      switch first {
      case 0..<0x80: 1
      case 0xC2..<0xE0: 2
      case 0xE0..<0xF0: 3
      case 0xF0..<0xF5: 4
      default: 0
      }
    if width > 0, width <= rest.count,
      width == 1 || String(validating: rest.prefix(width), as: UTF8.self) != nil
    {
      valid += rest.prefix(width)
      rest = rest.dropFirst(width)
    } else {
      flush()
      let digits = String(first, radix: 16)
      result += first < 16 ? "\\x0\(digits)" : "\\x\(digits)"
      rest = rest.dropFirst()
    }
  }
  flush()
  return result
}

/// A text for people, on one line.
package func visibleText(_ text: String) -> String {
  messageText(text).replacing("\n", with: "\\n")
}

/// JSON text in which everything is escaped that could drive a terminal or hide text.
package func terminalSafeJSON(_ text: String) -> String {
  func isPlain(_ scalar: Unicode.Scalar) -> Bool {
    scalar.value == 0x0A || (0x20..<0x7F).contains(scalar.value)
      || messageText(String(scalar)).unicodeScalars.elementsEqual([scalar])
  }
  // Only strings of JSON can hold such characters, and there the escape means the same.
  guard !text.unicodeScalars.allSatisfy(isPlain) else { return text }
  var result = String.UnicodeScalarView()
  for scalar in text.unicodeScalars {
    if isPlain(scalar) {
      result.append(scalar)
      continue
    }
    for unit in UTF16.encode(scalar) ?? .init() {
      let digits = String(unit, radix: 16)
      result.append(contentsOf: "\\u".unicodeScalars)
      result.append(contentsOf: String(repeating: "0", count: 4 - digits.utf8.count).unicodeScalars)
      result.append(contentsOf: digits.unicodeScalars)
    }
  }
  return String(result)
}
