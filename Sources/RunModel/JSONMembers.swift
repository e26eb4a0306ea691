import FoundationEssentials

/// The members of one object in a JSON text whose values are not read: of a file of many megabytes
/// often only one member is needed.
///
/// Only what separates members is checked; who decodes a value sees whether it is JSON.
package struct JSONMembers {
  private let bytes: [UInt8]
  private let members: [(name: Range<Int>, value: Range<Int>)]

  /// - Returns: `nil` when the text is no object, or ends too early.
  package init?(of bytes: [UInt8]) {
    guard let members = bytes.withUnsafeBufferPointer({ Self.members(in: $0) }) else { return nil }
    self.bytes = bytes
    self.members = members
  }

  /// The names of the members in their order.
  ///
  /// - Returns: `nil` when one of them is no text.
  package var names: [String]? {
    // Names can be written with escapes.
    var list: [UInt8] = [UInt8(ascii: "[")]
    for member in members {
      if list.count > 1 { list.append(UInt8(ascii: ",")) }
      list += bytes[member.name]
    }
    list.append(UInt8(ascii: "]"))
    return try? JSONDecoder().decode([String].self, from: Data(list))
  }

  /// The text of the value of the last member of a name, which is written without escapes.
  package func text(of name: StaticString) -> [UInt8]? {
    let wanted = Array("\"\(name)\"".utf8)
    return members.last { bytes[$0.name].elementsEqual(wanted) }.map { Array(bytes[$0.value]) }
  }

  /// The value of a member.
  ///
  /// - Returns: `nil` when there is none, or it is something else.
  package func value<Value: Decodable>(of name: StaticString, as type: Value.Type) -> Value? {
    text(of: name).flatMap { try? JSONDecoder().decode(type, from: Data($0)) }
  }

  private static func members(
    in bytes: UnsafeBufferPointer<UInt8>
  ) -> [(name: Range<Int>, value: Range<Int>)]? {
    var scanner = JSONScanner(bytes: bytes)
    var members: [(name: Range<Int>, value: Range<Int>)] = []
    guard scanner.take(UInt8(ascii: "{")) else { return nil }
    if scanner.take(UInt8(ascii: "}")) { return members }
    while true {
      guard let name = scanner.string(), scanner.take(UInt8(ascii: ":")),
        let value = scanner.value()
      else { return nil }
      members.append((name, value))
      if scanner.take(UInt8(ascii: "}")) { return members }
      guard scanner.take(UInt8(ascii: ",")) else { return nil }
    }
  }
}

/// Steps over the parts of a JSON text (RFC 8259).
private struct JSONScanner {
  let bytes: UnsafeBufferPointer<UInt8>
  private var position = 0

  init(bytes: UnsafeBufferPointer<UInt8>) { self.bytes = bytes }

  private mutating func skipSpace() {
    while position < bytes.count, [0x20, 0x09, 0x0A, 0x0D].contains(bytes[position]) {
      position += 1
    }
  }

  /// Steps over a byte and the white space before it.
  ///
  /// - Returns: Whether it was there.
  mutating func take(_ byte: UInt8) -> Bool {
    skipSpace()
    guard position < bytes.count, bytes[position] == byte else { return false }
    position += 1
    return true
  }

  /// Steps over a string.
  ///
  /// - Returns: Where it is, with its quotes; `nil` when it does not end.
  mutating func string() -> Range<Int>? {
    skipSpace()
    let start = position
    guard take(UInt8(ascii: "\"")) else { return nil }
    while position < bytes.count {
      switch bytes[position] {
      case UInt8(ascii: "\""):
        position += 1
        return start..<position
      case UInt8(ascii: "\\"): position += 2
      default: position += 1
      }
    }
    return nil
  }

  /// Steps over a value of any kind.
  ///
  /// - Returns: Where it is; `nil` when it does not end.
  mutating func value() -> Range<Int>? {
    skipSpace()
    let start = position
    var depth = 0
    while position < bytes.count {
      switch bytes[position] {
      case UInt8(ascii: "\""):
        guard string() != nil else { return nil }
        if depth == 0 { return start..<position }
        continue
      case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
      case UInt8(ascii: "}"), UInt8(ascii: "]"):
        if depth == 0 { return start < position ? start..<position : nil }
        depth -= 1
        if depth == 0 {
          position += 1
          return start..<position
        }
      case UInt8(ascii: ",") where depth == 0:
        return start < position ? start..<position : nil
      default: break
      }
      position += 1
    }
    return nil
  }
}
