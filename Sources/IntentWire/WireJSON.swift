/// A JSON value (RFC 8259) as it crosses the wire.
///
/// The wire has a reader and a writer of its own because every call crosses three processes: a call
/// through Foundation's coders costs more than the socket. Members keep their order, so a message
/// that is passed on has the same bytes.
public indirect enum WireJSON: Hashable, Sendable {
  case null
  case bool(Bool)
  /// A number without fraction and exponent that fits into 64 bits.
  case int(Int64)
  /// Any other number; always finite.
  case double(Double)
  case string(String)
  case array([WireJSON])
  case object([Member])

  /// One key of an object with its value.
  public struct Member: Hashable, Sendable {
    public var key: String
    public var value: WireJSON

    public init(_ key: String, _ value: WireJSON) {
      self.key = key
      self.value = value
    }
  }

  /// The value of a key of an object; `nil` when this is no object or has no such key.
  public subscript(_ key: String) -> WireJSON? {
    guard case .object(let members) = self else { return nil }
    return members.first { $0.key == key }?.value
  }

  public var string: String? {
    guard case .string(let text) = self else { return nil }
    return text
  }

  public var int: Int? {
    guard case .int(let number) = self else { return nil }
    return Int(number)
  }

  /// The number, whether it was written with a fraction or without.
  public var double: Double? {
    switch self {
    case .int(let number): Double(number)
    case .double(let number): number
    default: nil
    }
  }

  public var bool: Bool? {
    guard case .bool(let flag) = self else { return nil }
    return flag
  }

  public var array: [WireJSON]? {
    guard case .array(let values) = self else { return nil }
    return values
  }

  public var members: [Member]? {
    guard case .object(let members) = self else { return nil }
    return members
  }
}

extension WireJSON: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral,
  ExpressibleByBooleanLiteral, ExpressibleByNilLiteral, ExpressibleByArrayLiteral,
  ExpressibleByDictionaryLiteral
{
  public init(stringLiteral text: String) { self = .string(text) }
  public init(integerLiteral number: Int64) { self = .int(number) }
  public init(booleanLiteral flag: Bool) { self = .bool(flag) }
  public init(nilLiteral: ()) { self = .null }
  public init(arrayLiteral values: WireJSON...) { self = .array(values) }

  public init(dictionaryLiteral members: (String, WireJSON)...) {
    self = .object(members.map { Member($0.0, $0.1) })
  }
}

// MARK: Writing

extension WireJSON {
  /// The shortest text of the value, without white space, in UTF-8.
  public var bytes: [UInt8] {
    var bytes: [UInt8] = []
    write(to: &bytes)
    return bytes
  }

  /// Appends the value's text.
  public func write(to bytes: inout [UInt8]) {
    switch self {
    case .null: bytes += "null".utf8
    case .bool(let flag): bytes += (flag ? "true" : "false").utf8
    case .int(let number): bytes += "\(number)".utf8
    case .double(let number):
      // JSON has no other numbers; IntentValue writes those as strings.
      bytes += (number.isFinite ? "\(number)" : "null").utf8
    case .string(let text): Self.write(text, to: &bytes)
    case .array(let values):
      bytes.append(UInt8(ascii: "["))
      for (index, value) in values.enumerated() {
        if index > 0 { bytes.append(UInt8(ascii: ",")) }
        value.write(to: &bytes)
      }
      bytes.append(UInt8(ascii: "]"))
    case .object(let members):
      bytes.append(UInt8(ascii: "{"))
      for (index, member) in members.enumerated() {
        if index > 0 { bytes.append(UInt8(ascii: ",")) }
        Self.write(member.key, to: &bytes)
        bytes.append(UInt8(ascii: ":"))
        member.value.write(to: &bytes)
      }
      bytes.append(UInt8(ascii: "}"))
    }
  }

  private static func write(_ text: String, to bytes: inout [UInt8]) {
    bytes.append(UInt8(ascii: "\""))
    for byte in text.utf8 {
      switch byte {
      case UInt8(ascii: "\""), UInt8(ascii: "\\"):
        bytes.append(UInt8(ascii: "\\"))
        bytes.append(byte)
      case 0x0A: bytes += "\\n".utf8
      case 0x0D: bytes += "\\r".utf8
      case 0x09: bytes += "\\t".utf8
      case 0..<0x20:
        bytes += "\\u00".utf8
        bytes.append(hexDigit(byte >> 4))
        bytes.append(hexDigit(byte & 15))
      default: bytes.append(byte)
      }
    }
    bytes.append(UInt8(ascii: "\""))
  }

  private static func hexDigit(_ value: UInt8) -> UInt8 {
    value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "a") + value - 10
  }
}
