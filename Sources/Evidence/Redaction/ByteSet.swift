/// A set of bytes, and of the end of a text.
struct ByteSet: Hashable, Sendable {
  private var low: (UInt64, UInt64) = (0, 0)
  private var high: (UInt64, UInt64) = (0, 0)
  /// Whether the end of the text counts as one of them.
  var hasEnd = false

  init() {}

  init(_ bytes: some Sequence<UInt8>) {
    for byte in bytes { insert(byte) }
  }

  init(_ text: String) { self.init(text.utf8) }

  mutating func insert(_ byte: UInt8) {
    let bit = UInt64(1) << UInt64(byte & 63)
    switch byte >> 6 {
    case 0: low.0 |= bit
    case 1: low.1 |= bit
    case 2: high.0 |= bit
    default: high.1 |= bit
    }
  }

  func contains(_ byte: UInt8) -> Bool {
    let word =
      switch byte >> 6 {
      case 0: low.0
      case 1: low.1
      case 2: high.0
      default: high.1
      }
    return word >> UInt64(byte & 63) & 1 == 1
  }

  /// In their order.
  var bytes: [UInt8] { (0...255).map { UInt8($0) }.filter { contains($0) } }

  mutating func formUnion(_ other: ByteSet) {
    low = (low.0 | other.low.0, low.1 | other.low.1)
    high = (high.0 | other.high.0, high.1 | other.high.1)
    hasEnd = hasEnd || other.hasEnd
  }

  /// All other bytes; without the end.
  var inverted: ByteSet {
    var result = ByteSet()
    result.low = (~low.0, ~low.1)
    result.high = (~high.0, ~high.1)
    return result
  }

  static func == (lhs: ByteSet, rhs: ByteSet) -> Bool {
    lhs.low == rhs.low && lhs.high == rhs.high && lhs.hasEnd == rhs.hasEnd
  }

  func hash(into hasher: inout Hasher) {
    for word in [low.0, low.1, high.0, high.1] { hasher.combine(word) }
    hasher.combine(hasEnd)
  }
}

extension ByteSet {
  static let digits = ByteSet("0123456789")
  static let letters = ByteSet("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ")
  /// What a word in a program consists of.
  static let word: ByteSet = {
    var set = digits
    set.formUnion(letters)
    set.insert(UInt8(ascii: "_"))
    return set
  }()
  static let control = ByteSet(Array(0...31) + [127])
  static let space = ByteSet(" \t\r\n\u{0B}\u{0C}")
}
