/// The fields of one 512-byte tar header (POSIX.1-2017, pax, "ustar Interchange Format").
struct TarHeader {
  static let blockSize = 512

  var name: [UInt8]
  var mode: UInt16
  var size: Int
  /// `0` a file, `5` a folder, `x` extended records of the next entry, and so on.
  var type: UInt8
  var linkTarget: [UInt8]

  /// Reads a header block.
  ///
  /// - Returns: `nil` when the checksum or a number is wrong.
  init?(_ block: [UInt8]) {
    guard block.count == Self.blockSize,
      let checksum = Self.number(block[148..<156]), checksum == Self.checksum(of: block),
      let mode = Self.number(block[100..<108]), let size = Self.number(block[124..<136])
    else { return nil }
    self.mode = UInt16(mode & 0o7777)
    self.size = size
    type = block[156]
    linkTarget = Self.text(block[157..<257])
    name = Self.text(block[0..<100])
    let prefix = Self.text(block[345..<500])
    let isPOSIX = Array(block[257..<263]) == Array("ustar\0".utf8)
    if isPOSIX, !prefix.isEmpty { name = prefix + [UInt8(ascii: "/")] + name }
  }

  /// The sum of all bytes, those of the checksum's own field taken as spaces.
  private static func checksum(of block: [UInt8]) -> Int {
    var sum = 8 * 0x20
    for (index, byte) in block.enumerated() where !(148..<156).contains(index) { sum += Int(byte) }
    return sum
  }

  /// The bytes up to the first zero byte.
  private static func text(_ field: ArraySlice<UInt8>) -> [UInt8] {
    Array(field.prefix { $0 != 0 })
  }

  /// A number in octal digits or, when the first bit is set, in base 256; `nil` when it is neither,
  /// is negative or does not fit.
  private static func number(_ field: ArraySlice<UInt8>) -> Int? {
    guard let first = field.first else { return nil }
    if first & 0x80 != 0 {
      guard first & 0x40 == 0 else { return nil }
      var value = Int(first & 0x3F)
      for byte in field.dropFirst() {
        guard value < 1 << 54 else { return nil }
        value = value << 8 | Int(byte)
      }
      return value
    }
    let digits = field.drop { $0 == 0x20 }.prefix { $0 != 0x20 && $0 != 0 }
    var value = 0
    for digit in digits {
      guard (48...55).contains(digit), value < 1 << 59 else { return nil }
      value = value << 3 | Int(digit - 48)
    }
    return value
  }
}

/// What the extended records of an entry say (POSIX.1-2017, pax, "pax Extended Header").
struct PaxRecords {
  var path: [UInt8]?
  var linkTarget: [UInt8]?
  var size: Int?
  /// Whether the entry is stored with holes, in a way that only GNU tar defines.
  var isSparse = false

  /// Reads records of the form `LENGTH KEY=VALUE\n`; unknown keys are left alone.
  ///
  /// - Returns: `nil` when the form is broken.
  init?(_ bytes: [UInt8]) {
    var rest = bytes[...]
    while !rest.isEmpty {
      let digits = rest.prefix { (48...57).contains($0) }
      guard (1...9).contains(digits.count),
        let length = Int(String(decoding: digits, as: UTF8.self)),
        length > digits.count + 2, length <= rest.count
      else { return nil }
      let record = rest.prefix(length)
      rest = rest.dropFirst(length)
      let content = record.dropFirst(digits.count)
      guard content.first == 0x20, content.last == 0x0A,
        let equals = content.firstIndex(of: UInt8(ascii: "="))
      else { return nil }
      let key = String(decoding: content[(content.startIndex + 1)..<equals], as: UTF8.self)
      let value = content[(equals + 1)..<(content.endIndex - 1)]
      switch key {
      case "path": path = Array(value)
      case "linkpath": linkTarget = Array(value)
      case "size":
        guard let number = Int(String(decoding: value, as: UTF8.self)), number >= 0 else {
          return nil
        }
        size = number
      default:
        if key.hasPrefix("GNU.sparse.") { isSparse = true }
      }
    }
  }
}
