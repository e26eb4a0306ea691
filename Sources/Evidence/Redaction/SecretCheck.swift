/// What is asked of a match besides its form; see ``SecretRule/Check``.
struct SecretCheck {
  /// Bytes around the match, and the offset of the first in the text.
  let bytes: UnsafeBufferPointer<UInt8>
  let base: Int

  /// More bytes of a name, or of the half of a secret, are not looked at.
  static let longestHalf = 512
  private static let longestName = 64

  /// - Parameters:
  ///   - origin: Offset of the literal that the pattern begins with.
  ///   - range: Where the match is in the text.
  /// - Returns: What is to be replaced; `nil` for nothing.
  func secret(_ check: SecretRule.Check, origin: Int, _ range: Range<Int>) -> Range<Int>? {
    let text = bytes[range.lowerBound - base..<range.upperBound - base]
    switch check {
    case .none: return range
    case .mixed: return isMixed(text) ? range : nil
    case .password: return isPlaceholder(text) ? nil : range
    case .value: return isValue(origin, range, text) ? range : nil
    case .option: return isOption(origin, text) ? range : nil
    case .halfAfter: return isHalf(text) ? range : nil
    case .halfBefore: return half(before: range.lowerBound)
    }
  }

  private func isMixed(_ text: Slice<UnsafeBufferPointer<UInt8>>) -> Bool {
    text.contains { ByteSet.digits.contains($0) } && text.contains { ByteSet.letters.contains($0) }
  }

  /// Whether a text may be a part of a secret: no word, no number.
  private func isHalf(_ text: Slice<UnsafeBufferPointer<UInt8>>) -> Bool {
    guard text.count >= 8 else { return false }
    if isMixed(text) { return true }
    return text.count >= 20
      && text.contains { (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0) }
      && text.contains { (UInt8(ascii: "a")...UInt8(ascii: "z")).contains($0) }
  }

  /// What stands directly before the place where a text was cut.
  private func half(before mark: Int) -> Range<Int>? {
    var end = mark - base
    for newLine in ["\n", "\\n", "\\u000a", "\\u000A"].map({ Array($0.utf8) })
    where end >= newLine.count && bytes[end - newLine.count..<end].elementsEqual(newLine) {
      end -= newLine.count
      while end > 0, bytes[end - 1] == UInt8(ascii: "\\") { end -= 1 }
      break
    }
    var begin = end
    while begin > 0, end - begin < Self.longestHalf, !ByteSet.space.contains(bytes[begin - 1]),
      bytes[begin - 1] != UInt8(ascii: "\""), bytes[begin - 1] != UInt8(ascii: "\\")
    {
      begin -= 1
    }
    if begin > 0, begin < end, bytes[begin - 1] == UInt8(ascii: "\\") {
      begin = min(end, begin + (bytes[begin] == UInt8(ascii: "u") ? 5 : 1))
    }
    return isHalf(bytes[begin..<end]) ? begin + base..<end + base : nil
  }

  // MARK: - Values of names

  private func isNamePart(_ byte: UInt8) -> Bool {
    ByteSet.word.contains(byte) || byte == UInt8(ascii: ".") || byte == UInt8(ascii: "-")
  }

  private func isValue(
    _ origin: Int, _ range: Range<Int>, _ text: Slice<UnsafeBufferPointer<UInt8>>
  ) -> Bool {
    var begin = origin - base
    while begin > 0, origin - base - begin < Self.longestName, isNamePart(bytes[begin - 1]) {
      begin -= 1
    }
    var end = origin - base
    while end < range.lowerBound - base, isNamePart(bytes[end]) { end += 1 }
    // The escapes of JSON: what follows a backslash is no letter of the name.
    if begin > 0, bytes[begin - 1] == UInt8(ascii: "\\"), begin < end { begin += 1 }
    guard let weight = SecretName.weight(of: bytes[begin..<end]) else { return false }
    let separator = bytes[end..<range.lowerBound - base]
    // `<password>…`, but not `Array<Token>`.
    if separator.elementsEqual(">".utf8), begin == 0 || bytes[begin - 1] != UInt8(ascii: "<") {
      return false
    }
    if separator.elementsEqual("&gt;".utf8), begin == 0 || bytes[begin - 1] != UInt8(ascii: ";") {
      return false
    }
    return isSecret(text, weight, after: separator)
  }

  private func isOption(_ origin: Int, _ text: Slice<UnsafeBufferPointer<UInt8>>) -> Bool {
    let begin = origin - base + 2
    var end = begin
    while end < bytes.count, isNamePart(bytes[end]), bytes[end] != UInt8(ascii: ".") { end += 1 }
    return SecretName.weight(of: bytes[begin..<end]) != nil && text.count >= 4
      && !isPlaceholder(text)
  }

  private func isSecret(
    _ text: Slice<UnsafeBufferPointer<UInt8>>, _ weight: SecretName.Weight,
    after separator: Slice<UnsafeBufferPointer<UInt8>>
  ) -> Bool {
    guard text.count >= 4, !isPlaceholder(text) else { return false }
    let isQuoted = separator.last == UInt8(ascii: "\"") || separator.last == UInt8(ascii: "'")
    let isElement = separator.last == UInt8(ascii: ">") || separator.last == UInt8(ascii: ";")
    if !isQuoted, !isElement {
      // Code: `let password = readLine()`.
      if text.contains(UInt8(ascii: "(")) { return false }
      // A number in JSON or code, but PASSWORD=1234.
      if text.allSatisfy({ ByteSet.digits.contains($0) || $0 == 95 || $0 == 46 }),
        !separator.elementsEqual("=".utf8)
      {
        return false
      }
    }
    switch weight {
    case .strong:
      if isQuoted || isElement { return true }
      // Prose: `password: required`.
      let isAssignment = separator.last == UInt8(ascii: "=")
      return isAssignment || text.contains { !ByteSet.letters.contains($0) && $0 != 46 }
    case .weak:
      guard text.count >= 8, text.count <= 4096, !text.contains(UInt8(ascii: " ")) else {
        return false
      }
      guard isMixed(text) || text.count >= 20 && isHalf(text) else { return false }
      return text.first != UInt8(ascii: "/") && Set(text).count >= 6
    }
  }

  private static let words: Set<String> = [
    "changeme", "default", "empty", "expected", "false", "hidden", "invalid", "missing", "nil",
    "none", "null", "optional", "redacted", "required", "self", "string", "true", "undefined",
    "unknown", "void",
  ]

  /// Whether something stands for a secret and is none.
  private func isPlaceholder(_ text: Slice<UnsafeBufferPointer<UInt8>>) -> Bool {
    guard let first = text.first else { return true }
    // $NAME, %s, {name}, <name>, [redacted: …]
    if ByteSet("$%{<[").contains(first) { return true }
    if text.allSatisfy({ $0 == first }) { return true }
    // `--password VALUE`
    if text.allSatisfy({ (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0) || $0 == 95 }) {
      return true
    }
    guard text.count <= 12 else { return false }
    return Self.words.contains(String(decoding: text, as: UTF8.self).lowercased())
  }
}
