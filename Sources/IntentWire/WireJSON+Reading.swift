/// Why bytes are no JSON value.
public struct WireSyntaxError: Error, Hashable, Sendable, CustomStringConvertible {
  /// What was wrong, as a part of a sentence.
  public var reason: String
  /// Offset in bytes.
  public var offset: Int

  public var description: String { "\(reason) at byte \(offset)" }
}

extension WireJSON {
  /// How deep arrays and objects may be nested; RFC 8259 lets a reader choose.
  public static let maximumDepth = 128

  /// Reads one value that fills the bytes, but for white space around it.
  ///
  /// - Throws: ``WireSyntaxError``: for anything RFC 8259 does not allow, invalid UTF-8, a key that
  ///   an object has twice, numbers beyond the range of a double, and more than
  ///   ``maximumDepth`` levels.
  public init(reading bytes: UnsafeRawBufferPointer) throws(WireSyntaxError) {
    var reader = WireJSONReader(bytes: bytes)
    self = try reader.whole()
  }

  public init(reading bytes: [UInt8]) throws(WireSyntaxError) {
    let result: Result<WireJSON, WireSyntaxError> = bytes.withUnsafeBytes { buffer in
      do throws(WireSyntaxError) {
        return .success(try WireJSON(reading: buffer))
      } catch {
        return .failure(error)
      }
    }
    self = try result.get()
  }
}

/// Reads one value; a recursive descent whose depth is bounded.
private struct WireJSONReader {
  let bytes: UnsafeRawBufferPointer
  var position = 0
  var depth = 0

  init(bytes: UnsafeRawBufferPointer) { self.bytes = bytes }

  mutating func whole() throws(WireSyntaxError) -> WireJSON {
    let value = try value()
    skipSpace()
    guard position == bytes.count else { throw failure("more text follows the value") }
    return value
  }

  private func failure(_ reason: String) -> WireSyntaxError {
    WireSyntaxError(reason: reason, offset: position)
  }

  private var next: UInt8? { position < bytes.count ? bytes[position] : nil }

  private mutating func skipSpace() {
    while let byte = next, byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 {
      position += 1
    }
  }

  private mutating func value() throws(WireSyntaxError) -> WireJSON {
    skipSpace()
    switch next {
    case UInt8(ascii: "{"):
      return try nested { (reader) throws(WireSyntaxError) in
        try reader.object()
      }
    case UInt8(ascii: "["):
      return try nested { (reader) throws(WireSyntaxError) in
        try reader.array()
      }
    case UInt8(ascii: "\""): return .string(try string())
    case UInt8(ascii: "t"):
      try word("true")
      return .bool(true)
    case UInt8(ascii: "f"):
      try word("false")
      return .bool(false)
    case UInt8(ascii: "n"):
      try word("null")
      return .null
    case nil: throw failure("the text ends")
    case .some(let byte):
      guard byte == UInt8(ascii: "-") || isDigit(byte) else {
        throw failure("no value begins like this")
      }
      return try number()
    }
  }

  private mutating func nested(
    _ body: (inout WireJSONReader) throws(WireSyntaxError) -> WireJSON
  ) throws(WireSyntaxError) -> WireJSON {
    depth += 1
    guard depth <= WireJSON.maximumDepth else {
      throw failure("more than \(WireJSON.maximumDepth) levels")
    }
    let value = try body(&self)
    depth -= 1
    return value
  }

  private mutating func word(_ word: StaticString) throws(WireSyntaxError) {
    let count = word.utf8CodeUnitCount
    guard bytes.count - position >= count,
      (0..<count).allSatisfy({ bytes[position + $0] == word.utf8Start[$0] })
    else { throw failure("no value begins like this") }
    position += count
  }

  private mutating func object() throws(WireSyntaxError) -> WireJSON {
    position += 1
    var members: [WireJSON.Member] = []
    var keys: Set<String> = []
    skipSpace()
    if next == UInt8(ascii: "}") {
      position += 1
      return .object([])
    }
    while true {
      skipSpace()
      guard next == UInt8(ascii: "\"") else { throw failure("a key is expected") }
      let key = try string()
      // A few keys are compared faster than hashed.
      let isNew =
        members.count < 16
        ? !members.contains { $0.key == key } : insert(key, of: members, into: &keys)
      guard isNew else { throw failure("a key is there twice") }
      skipSpace()
      guard next == UInt8(ascii: ":") else { throw failure("':' is expected") }
      position += 1
      members.append(WireJSON.Member(key, try value()))
      skipSpace()
      switch next {
      case UInt8(ascii: ","): position += 1
      case UInt8(ascii: "}"):
        position += 1
        return .object(members)
      default: throw failure("',' or '}' is expected")
      }
    }
  }

  private func insert(
    _ key: String, of members: [WireJSON.Member], into keys: inout Set<String>
  ) -> Bool {
    if keys.isEmpty { keys = Set(members.map(\.key)) }
    return keys.insert(key).inserted
  }

  private mutating func array() throws(WireSyntaxError) -> WireJSON {
    position += 1
    var values: [WireJSON] = []
    skipSpace()
    if next == UInt8(ascii: "]") {
      position += 1
      return .array([])
    }
    while true {
      values.append(try value())
      skipSpace()
      switch next {
      case UInt8(ascii: ","): position += 1
      case UInt8(ascii: "]"):
        position += 1
        return .array(values)
      default: throw failure("',' or ']' is expected")
      }
    }
  }

  private mutating func number() throws(WireSyntaxError) -> WireJSON {
    let start = position
    var isInteger = true
    if next == UInt8(ascii: "-") { position += 1 }
    guard let first = next, isDigit(first) else { throw failure("a digit is expected") }
    if first == UInt8(ascii: "0") {
      position += 1
      if let byte = next, isDigit(byte) { throw failure("a number begins with 0") }
    } else {
      skipDigits()
    }
    if next == UInt8(ascii: ".") {
      isInteger = false
      position += 1
      try digits()
    }
    if next == UInt8(ascii: "e") || next == UInt8(ascii: "E") {
      isInteger = false
      position += 1
      if next == UInt8(ascii: "+") || next == UInt8(ascii: "-") { position += 1 }
      try digits()
    }
    let text = String(decoding: bytes[start..<position], as: UTF8.self)
    if isInteger, let number = Int64(text) { return .int(number) }
    guard let number = Double(text), number.isFinite else {
      position = start
      throw failure("a number is too large")
    }
    return .double(number)
  }

  private func isDigit(_ byte: UInt8) -> Bool { byte >= 0x30 && byte <= 0x39 }

  private mutating func skipDigits() {
    while let byte = next, isDigit(byte) { position += 1 }
  }

  private mutating func digits() throws(WireSyntaxError) {
    guard let byte = next, isDigit(byte) else { throw failure("a digit is expected") }
    skipDigits()
  }

  private mutating func string() throws(WireSyntaxError) -> String {
    position += 1
    let start = position
    while let byte = next, byte != UInt8(ascii: "\""), byte != UInt8(ascii: "\\"), byte >= 0x20 {
      position += 1
    }
    if next == UInt8(ascii: "\"") {
      position += 1
      return try text(UnsafeRawBufferPointer(rebasing: bytes[start..<position - 1]))
    }
    var buffer = Array(bytes[start..<position])
    while true {
      switch next {
      case nil: throw failure("a string has no end")
      case UInt8(ascii: "\""):
        position += 1
        return try text(buffer)
      case UInt8(ascii: "\\"): try escape(into: &buffer)
      case .some(let byte):
        guard byte >= 0x20 else { throw failure("a control character stands in a string") }
        buffer.append(byte)
        position += 1
      }
    }
  }

  private func text(_ raw: some Sequence<UInt8>) throws(WireSyntaxError) -> String {
    guard let text = String(validating: raw, as: UTF8.self) else {
      throw failure("a string is not UTF-8")
    }
    return text
  }

  private mutating func escape(into buffer: inout [UInt8]) throws(WireSyntaxError) {
    position += 1
    guard let kind = next else { throw failure("a string has no end") }
    position += 1
    switch kind {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): buffer.append(kind)
    case UInt8(ascii: "b"): buffer.append(8)
    case UInt8(ascii: "f"): buffer.append(12)
    case UInt8(ascii: "n"): buffer.append(10)
    case UInt8(ascii: "r"): buffer.append(13)
    case UInt8(ascii: "t"): buffer.append(9)
    case UInt8(ascii: "u"):
      var code = UInt32(try hexadecimal())
      if code >= 0xD800, code < 0xDC00 {
        guard next == UInt8(ascii: "\\") else { throw failure("half a surrogate pair") }
        position += 1
        guard next == UInt8(ascii: "u") else { throw failure("half a surrogate pair") }
        position += 1
        let low = UInt32(try hexadecimal())
        guard low >= 0xDC00, low < 0xE000 else { throw failure("half a surrogate pair") }
        code = 0x10000 + (code - 0xD800) << 10 + (low - 0xDC00)
      }
      guard let scalar = Unicode.Scalar(code) else { throw failure("half a surrogate pair") }
      buffer += String(Character(scalar)).utf8
    default: throw failure("an escape is unknown")
    }
  }

  private mutating func hexadecimal() throws(WireSyntaxError) -> UInt16 {
    var code: UInt16 = 0
    for _ in 0..<4 {
      switch next {
      case .some(let byte) where isDigit(byte): code = code << 4 | UInt16(byte - 0x30)
      case .some(let byte) where (0x41...0x46).contains(byte):
        code = code << 4 | UInt16(byte - 0x41 + 10)
      case .some(let byte) where (0x61...0x66).contains(byte):
        code = code << 4 | UInt16(byte - 0x61 + 10)
      default: throw failure("4 hexadecimal digits are expected")
      }
      position += 1
    }
    return code
  }
}
