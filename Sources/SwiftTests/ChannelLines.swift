import RunModel

/// Cuts the channel into its lines, and the strings of very long lines down to what is kept of
/// them, while they arrive: no message takes more memory than it may.
struct ChannelLines: Sendable {
  /// Lines up to here are passed on as they are.
  static let plainLimit = 1 << 20

  /// Bytes beyond which even the short form of a line is no record.
  private let limit: Int
  /// Bytes of a line that has no end yet.
  private var rest: [UInt8] = []
  private var long: LongLine?

  init(limit: Int = LineSplitter.standardLimit) { self.limit = limit }

  /// Whether there is a line without an end.
  var hasRest: Bool { long != nil || !rest.isEmpty }

  /// Calls the body with each whole line, without its line feed; with `nil` for one that was too
  /// long.
  mutating func feed(_ bytes: UnsafeRawBufferPointer, _ body: (UnsafeRawBufferPointer?) -> Void) {
    var start = 0
    while start < bytes.count {
      let tail = UnsafeRawBufferPointer(rebasing: bytes[start...])
      let end = offset(of: 10, in: tail, from: 0)
      let piece = UnsafeRawBufferPointer(rebasing: tail[..<(end ?? tail.count)])
      if long == nil, rest.count + piece.count > min(Self.plainLimit, limit) {
        var line = LongLine(limit: limit)
        rest.withUnsafeBytes { line.feed($0) }
        rest = []
        long = line
      }
      if long != nil {
        long?.feed(piece)
      } else if end == nil || !rest.isEmpty {
        rest.append(contentsOf: piece)
      }
      guard let end else { return }
      if let line = long {
        if let text = line.text { text.withUnsafeBytes { body($0) } } else { body(nil) }
        long = nil
      } else if rest.isEmpty {
        body(piece)
      } else {
        rest.withUnsafeBytes { body($0) }
        rest.removeAll(keepingCapacity: true)
      }
      start += end + 1
    }
  }
}

/// A line of JSON whose long strings are shortened like messages.
private struct LongLine: Sendable {
  private let limit: Int
  private var bytes: [UInt8] = []
  private var string: LongString?

  init(limit: Int) { self.limit = limit }

  /// The line; `nil` when even its short form is too long to be a record.
  var text: [UInt8]? { bytes.count <= limit ? bytes : nil }

  mutating func feed(_ piece: UnsafeRawBufferPointer) {
    var position = 0
    while position < piece.count, bytes.count <= limit {
      if string != nil {
        let used = string?.feed(UnsafeRawBufferPointer(rebasing: piece[position...])) ?? 1
        position += used
        if let ended = string, ended.isClosed {
          ended.write(to: &bytes)
          string = nil
        }
      } else {
        let quote = offset(of: UInt8(ascii: "\""), in: piece, from: position)
        bytes.append(contentsOf: piece[position..<(quote ?? piece.count)])
        position = (quote ?? piece.count) + 1
        if quote != nil { string = LongString() }
      }
    }
  }
}

/// A JSON string as it arrives: the beginning and the end of its text, and the number of all bytes.
private struct LongString: Sendable {
  /// Bytes kept at each end; one more character than a message keeps of it.
  private static let half = ResultLimits.standard.messageBytes / 2

  private(set) var isClosed = false
  private var head: [UInt8] = []
  private var tail: [UInt8] = []
  private var omitted = 0
  /// An escape that has begun, without its backslash.
  private var escape: [UInt8]?
  private var highSurrogate: UInt32?

  /// - Returns: The number of bytes that belong to the string, its closing quote included.
  mutating func feed(_ bytes: UnsafeRawBufferPointer) -> Int {
    for (index, byte) in bytes.enumerated() {
      if escape != nil {
        escape?.append(byte)
        endEscape()
      } else if byte == UInt8(ascii: "\\") {
        escape = []
      } else if byte == UInt8(ascii: "\"") {
        isClosed = true
        return index + 1
      } else {
        highSurrogate = nil
        append(byte)
      }
    }
    return bytes.count
  }

  private mutating func endEscape() {
    guard let escape, let kind = escape.first else { return }
    if kind == UInt8(ascii: "u") {
      guard escape.count == 5 else { return }
      let value = UInt32(String(decoding: escape[1...], as: UTF8.self), radix: 16) ?? 0xFFFD
      append(codeUnit: value)
    } else {
      let plain: [UInt8: UInt8] = [98: 8, 102: 12, 110: 10, 114: 13, 116: 9]
      append(plain[kind] ?? kind)
    }
    self.escape = nil
  }

  private mutating func append(codeUnit value: UInt32) {
    if (0xD800..<0xDC00).contains(value) {
      highSurrogate = value
      return
    }
    var value = value
    if let high = highSurrogate, (0xDC00..<0xE000).contains(value) {
      value = 0x10000 + (high - 0xD800) << 10 + (value - 0xDC00)
    }
    highSurrogate = nil
    for byte in UTF8.encode(Unicode.Scalar(value) ?? "\u{FFFD}") ?? .init() { append(byte) }
  }

  private mutating func append(_ byte: UInt8) {
    // The head ends where a character does.
    if tail.isEmpty, omitted == 0, head.count < Self.half || byte & 0xC0 == 0x80 {
      head.append(byte)
      return
    }
    tail.append(byte)
    guard tail.count > 4 * Self.half else { return }
    omitted += tail.count - Self.half
    tail.removeFirst(tail.count - Self.half)
  }

  /// Writes the string with its quotes, and a mark in the middle when something was left out.
  func write(to bytes: inout [UInt8]) {
    var start = max(0, tail.count - Self.half)
    if omitted > 0 || start > 0 {
      while start < tail.count, tail[start] & 0xC0 == 0x80 { start += 1 }
    }
    let missing = omitted + start
    bytes.append(UInt8(ascii: "\""))
    Self.write(head[...], to: &bytes)
    if missing > 0 {
      Self.write(Array(OmissionMark.text(bytes: missing).utf8)[...], to: &bytes)
    }
    Self.write(tail[start...], to: &bytes)
    bytes.append(UInt8(ascii: "\""))
  }

  private static func write(_ text: ArraySlice<UInt8>, to bytes: inout [UInt8]) {
    let digits = Array("0123456789abcdef".utf8)
    for byte in text {
      switch byte {
      case UInt8(ascii: "\""), UInt8(ascii: "\\"): bytes += [UInt8(ascii: "\\"), byte]
      case 0..<0x20:
        bytes += Array("\\u00".utf8) + [digits[Int(byte >> 4)], digits[Int(byte & 15)]]
      default: bytes.append(byte)
      }
    }
  }
}
