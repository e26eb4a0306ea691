/// How the value of a variable may be written.
enum SecretForms {
  /// More bytes of a value are not searched for.
  static let longest = 4_096

  /// Whether a value is long enough to be searched for everywhere: at least 8 bytes, or 6 of which
  /// some are no letters. A shorter one would be found where it is not meant.
  static func isSearchable(_ value: some Collection<UInt8>) -> Bool {
    value.count >= 8
      || value.count >= 6 && value.contains { !ByteSet.letters.contains($0) }
        && value.contains { ByteSet.letters.contains($0) }
  }

  /// As it is, in JSON, percent-encoded, in Base64 at each of the three places where it can begin,
  /// in hexadecimal, and in UTF-16.
  static func all(of value: [UInt8]) -> [[UInt8]] {
    let value = Array(value.prefix(longest))
    var forms: [[UInt8]] = [value]
    func add(_ form: [UInt8]) {
      if form.count >= 6, !forms.contains(form) { forms.append(form) }
    }
    add(json(value, slash: false))
    add(json(value, slash: true))
    add(percentEncoded(value, digits: "0123456789ABCDEF"))
    add(percentEncoded(value, digits: "0123456789abcdef"))
    for offset in 0..<3 {
      let text = base64(value, offset: offset)
      add(text)
      add(text.map { $0 == UInt8(ascii: "+") ? 45 : $0 == UInt8(ascii: "/") ? 95 : $0 })
    }
    for digits in ["0123456789abcdef", "0123456789ABCDEF"] {
      let digits = Array(digits.utf8)
      add(value.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] })
    }
    let units = Array(String(decoding: value, as: UTF8.self).utf16)
    add(units.flatMap { [UInt8($0 & 255), UInt8($0 >> 8)] })
    add(units.flatMap { [UInt8($0 >> 8), UInt8($0 & 255)] })
    return forms
  }

  private static func json(_ value: [UInt8], slash: Bool) -> [UInt8] {
    value.flatMap { byte -> [UInt8] in
      switch byte {
      case UInt8(ascii: "\""), UInt8(ascii: "\\"): [UInt8(ascii: "\\"), byte]
      case UInt8(ascii: "/") where slash: [UInt8(ascii: "\\"), byte]
      case 10: Array("\\n".utf8)
      case 13: Array("\\r".utf8)
      case 9: Array("\\t".utf8)
      default: [byte]
      }
    }
  }

  private static func percentEncoded(_ value: [UInt8], digits: String) -> [UInt8] {
    let digits = Array(digits.utf8)
    return value.flatMap { byte -> [UInt8] in
      if ByteSet.word.contains(byte) || ByteSet("-.~").contains(byte) { return [byte] }
      return [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
    }
  }

  /// The digits that the value alone decides when so many bytes come before it in a group of three.
  private static func base64(_ value: [UInt8], offset: Int) -> [UInt8] {
    let alphabet = Array(
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
    let bytes = [UInt8](repeating: 0, count: offset) + value
    var result: [UInt8] = []
    var bits: UInt32 = 0
    var count = 0
    for byte in bytes {
      bits = bits << 8 | UInt32(byte)
      count += 8
      while count >= 6 {
        count -= 6
        result.append(alphabet[Int(bits >> UInt32(count) & 63)])
      }
    }
    return Array(result.dropFirst([0, 2, 3][offset]))
  }
}
