/// Takes Swift source apart: comments, string literals of all forms, words and symbols.
///
/// Any bytes are taken; what is no Swift gives tokens without sense, never an error.
struct SwiftTokens {
  private(set) var tokens: [SwiftToken] = []
  private(set) var comments: [SwiftComment] = []

  private let bytes: [UInt8]
  private var index = 0
  private var line = 1
  /// How many interpolations are open.
  private var depth = 0
  /// Deeper ones are taken for text.
  private static let maximumDepth = 32

  init(_ bytes: [UInt8]) {
    self.bytes = bytes
    scan(isInterpolation: false)
  }

  private func byte(_ offset: Int = 0) -> UInt8? {
    index + offset < bytes.count ? bytes[index + offset] : nil
  }

  private mutating func advance(_ count: Int = 1) {
    let end = min(index + count, bytes.count)
    while index < end {
      if bytes[index] == 0x0A { line += 1 }
      index += 1
    }
  }

  private func starts(with text: StaticString, at offset: Int = 0) -> Bool {
    text.withUTF8Buffer { text in
      index + offset + text.count <= bytes.count
        && text.indices.allSatisfy { text[$0] == bytes[index + offset + $0] }
    }
  }

  private mutating func add(_ kind: SwiftToken.Kind, line: Int) {
    tokens.append(SwiftToken(kind: kind, line: line))
  }

  /// Reads to the end, or to the parenthesis that ends an interpolation.
  private mutating func scan(isInterpolation: Bool) {
    var parentheses = 0
    while let byte = byte() {
      switch byte {
      case UInt8(ascii: "/") where starts(with: "//"): lineComment()
      case UInt8(ascii: "/") where starts(with: "/*"): blockComment()
      case UInt8(ascii: "\""): string(pounds: 0)
      case UInt8(ascii: "#"): pound()
      case UInt8(ascii: "`"): quotedWord()
      case UInt8(ascii: "/") where beginsPattern: pattern()
      case UInt8(ascii: " "), 0x09...0x0D: advance()
      default:
        if Self.isWord(byte) {
          word()
          continue
        }
        if byte == UInt8(ascii: "(") { parentheses += 1 }
        if byte == UInt8(ascii: ")") {
          parentheses -= 1
          if isInterpolation, parentheses < 0 { return }
        }
        add(.symbol(byte), line: line)
        advance()
      }
    }
  }

  private static func isWord(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "$"), 0x80...:
      true
    default: false
    }
  }

  private mutating func word() {
    let start = index
    while let byte = byte(), Self.isWord(byte) { index += 1 }
    add(.word(String(decoding: bytes[start..<index], as: UTF8.self)), line: line)
  }

  private mutating func quotedWord() {
    var end = index + 1
    while end < bytes.count, bytes[end] != UInt8(ascii: "`"), bytes[end] != 0x0A { end += 1 }
    add(.word(String(decoding: bytes[(index + 1)..<end], as: UTF8.self)), line: line)
    advance(end - index + 1)
  }

  // MARK: Comments

  private mutating func lineComment() {
    let start = index + 2
    while let byte = byte(), byte != 0x0A { index += 1 }
    comments.append(
      SwiftComment(text: String(decoding: bytes[start..<index], as: UTF8.self), line: line))
  }

  /// They nest.
  private mutating func blockComment() {
    let start = index + 2
    var level = 0
    repeat {
      if starts(with: "/*") {
        level += 1
        advance(2)
      } else if starts(with: "*/") {
        level -= 1
        advance(2)
      } else {
        advance()
      }
    } while level > 0 && index < bytes.count
    let end = level == 0 ? index - 2 : index
    comments.append(
      SwiftComment(
        text: String(decoding: bytes[min(start, end)..<end], as: UTF8.self), line: line))
  }

  // MARK: Patterns

  /// Whether a slash begins a regular expression: it stands where a value does, no space follows,
  /// and the line has its end.
  private var beginsPattern: Bool {
    guard let next = byte(1), next != UInt8(ascii: " "), next != 0x09, next != 0x0A else {
      return false
    }
    switch tokens.last?.kind {
    case .string: return false
    case .word(let word):
      guard ["return", "in", "case", "try", "await", "if", "while", "where"].contains(word) else {
        return false
      }
    case .symbol(let symbol):
      guard !")]}.".utf8.contains(symbol) else { return false }
    case nil: return false
    }
    return patternEnd(pounds: 0) != nil
  }

  /// The index behind a pattern on one line.
  private func patternEnd(pounds: Int) -> Int? {
    var position = index + pounds + 1
    while position < bytes.count, bytes[position] != 0x0A {
      if bytes[position] == UInt8(ascii: "\\") {
        position += 2
        continue
      }
      if bytes[position] == UInt8(ascii: "/"), hasPounds(pounds, at: position + 1) {
        return position + 1 + pounds
      }
      position += 1
    }
    return nil
  }

  private mutating func pattern() {
    add(.symbol(UInt8(ascii: "/")), line: line)
    guard let end = patternEnd(pounds: 0) else { return advance() }
    advance(end - index)
  }

  private func hasPounds(_ count: Int, at position: Int) -> Bool {
    position + count <= bytes.count
      && bytes[position..<(position + count)].allSatisfy { $0 == UInt8(ascii: "#") }
  }

  /// A raw string, a raw pattern, or a symbol.
  private mutating func pound() {
    var count = 0
    while byte(count) == UInt8(ascii: "#") { count += 1 }
    if byte(count) == UInt8(ascii: "\"") { return string(pounds: count) }
    if byte(count) == UInt8(ascii: "/") {
      let start = line
      var position = index + count + 1
      while position < bytes.count {
        if bytes[position] == UInt8(ascii: "/"), hasPounds(count, at: position + 1) {
          add(.symbol(UInt8(ascii: "/")), line: start)
          return advance(position + 1 + count - index)
        }
        position += bytes[position] == UInt8(ascii: "\\") ? 2 : 1
      }
    }
    for _ in 0..<count {
      add(.symbol(UInt8(ascii: "#")), line: line)
      advance()
    }
  }
}

// MARK: Strings

extension SwiftTokens {
  private mutating func string(pounds: Int) {
    let start = line
    let isLong = starts(with: "\"\"\"", at: pounds)
    let quotes = isLong ? 3 : 1
    advance(pounds + quotes)
    // The literal comes before what it interpolates.
    let place = tokens.count
    add(.string([]), line: start)
    var parts: [StringPart] = []
    var text: [UInt8] = []
    func flush() {
      if !text.isEmpty { parts.append(.text(String(decoding: text, as: UTF8.self))) }
      text = []
    }
    while let byte = byte() {
      if byte == UInt8(ascii: "\""), !isLong || starts(with: "\"\"\""),
        hasPounds(pounds, at: index + quotes)
      {
        advance(quotes + pounds)
        break
      }
      if byte == 0x0A, !isLong { break }
      guard byte == UInt8(ascii: "\\"), hasPounds(pounds, at: index + 1) else {
        text.append(byte)
        advance()
        continue
      }
      advance(1 + pounds)
      if self.byte() == UInt8(ascii: "("), depth < Self.maximumDepth {
        flush()
        parts.append(.interpolation(interpolation()))
      } else {
        text += escape()
      }
    }
    flush()
    tokens[place].kind = .string(isLong ? Self.unindented(parts) : parts)
  }

  /// - Returns: The expression as it is written.
  private mutating func interpolation() -> String {
    depth += 1
    defer { depth -= 1 }
    add(.symbol(UInt8(ascii: "(")), line: line)
    advance()
    let start = index
    scan(isInterpolation: true)
    let source = String(decoding: bytes[start..<index], as: UTF8.self)
    if byte() != nil {
      add(.symbol(UInt8(ascii: ")")), line: line)
      advance()
    }
    return source
  }

  /// Reads what follows the backslash.
  private mutating func escape() -> [UInt8] {
    guard let byte = byte() else { return [] }
    advance()
    switch byte {
    case UInt8(ascii: "n"): return [0x0A]
    case UInt8(ascii: "t"): return [0x09]
    case UInt8(ascii: "r"): return [0x0D]
    case UInt8(ascii: "0"): return [0]
    case UInt8(ascii: "u"):
      guard self.byte() == UInt8(ascii: "{") else { return [byte] }
      var end = index + 1
      while end < bytes.count, end - index < 10, bytes[end] != UInt8(ascii: "}") { end += 1 }
      let digits = String(decoding: bytes[(index + 1)..<end], as: UTF8.self)
      guard end < bytes.count, let value = UInt32(digits, radix: 16),
        let scalar = Unicode.Scalar(value)
      else { return [byte] }
      advance(end - index + 1)
      return Array(String(Character(scalar)).utf8)
    // The indentation that follows does not count, and is not known yet.
    case 0x0A: return Array(Self.continuation.utf8)
    default: return [byte]
    }
  }

  /// A line end that the source has and the text has not.
  private static let continuation = "\0\n"

  /// The parts of a literal of several lines without what its last line is indented by.
  private static func unindented(_ parts: [StringPart]) -> [StringPart] {
    guard case .text(let last)? = parts.last, let end = last.lastIndex(of: "\n") else {
      return parts
    }
    let indentation = last[last.index(after: end)...]
    guard indentation.allSatisfy({ $0 == " " || $0 == "\t" }) else { return parts }
    var result: [StringPart] = []
    for (number, part) in parts.enumerated() {
      guard case .text(var text) = part else {
        result.append(part)
        continue
      }
      if number == parts.count - 1 { text = String(text[..<end]) }
      // Lines begin behind a line feed; that behind the quotes does not count.
      let pieces = text.split(separator: "\n", omittingEmptySubsequences: false)
      var lines: [Substring] = []
      for (index, piece) in pieces.enumerated() {
        let begins = index > 0
        lines.append(
          begins && piece.hasPrefix(indentation) ? piece.dropFirst(indentation.count) : piece)
      }
      if number == 0, lines.first?.isEmpty == true { lines.removeFirst() }
      let joined = lines.joined(separator: "\n").replacing(continuation, with: "")
      if !joined.isEmpty { result.append(.text(joined)) }
    }
    return result
  }
}
