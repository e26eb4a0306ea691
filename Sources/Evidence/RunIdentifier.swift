import RunModel

/// Names of runs: `20261130T053000Z-4f3a2b`, the start in UTC and the fraction of its second in six
/// hexadecimal digits, so that sorting by name sorts by time.
enum RunIdentifier {
  /// Parts of a second that names tell apart.
  private static let partsOfSecond = 1 << 24

  /// - Parameters:
  ///   - time: Seconds since 1970.
  ///   - delay: Parts of a second that are added, for a name that is not taken yet.
  static func make(at time: Double, delay: Int = 0) -> String {
    let second = time.rounded(.down)
    let part = Int((time - second) * Double(partsOfSecond)) + delay
    let start = iso8601(second + Double(part / partsOfSecond)).filter { $0 != "-" && $0 != ":" }
    let fraction = String(part % partsOfSecond, radix: 16)
    return "\(start)-" + String(repeating: "0", count: 6 - fraction.utf8.count) + fraction
  }

  /// The start that a run ID tells, in seconds since 1970; `nil` when it is none.
  static func time(of name: String) -> Double? {
    guard isValid(name) else { return nil }
    let digits = Array(name.utf8)
    func number(_ range: Range<Int>) -> Int {
      digits[range].reduce(0) { $0 * 10 + Int($1) - 48 }
    }
    let (year, month, day) = (number(0..<4), number(4..<6), number(6..<8))
    // Days from the first of March of year 0, as in ``iso8601(_:)``.
    let shiftedYear = month <= 2 ? year - 1 : year
    let shiftedMonth = (month + 9) % 12
    let days =
      365 * shiftedYear + (shiftedYear / 4) - (shiftedYear / 100) + (shiftedYear / 400)
      + (153 * shiftedMonth + 2) / 5 + day - 1 - 719_468
    let seconds = number(9..<11) * 3600 + number(11..<13) * 60 + number(13..<15)
    let fraction = Int(String(name.suffix(6)), radix: 16) ?? 0
    return Double(days * 86_400 + seconds) + Double(fraction) / Double(partsOfSecond)
  }

  /// Whether a folder's name has the form of a run ID.
  static func isValid(_ name: String) -> Bool {
    let bytes = Array(name.utf8)
    guard bytes.count == 23 else { return false }
    return bytes.indices.allSatisfy { index in
      switch index {
      case 8: bytes[index] == UInt8(ascii: "T")
      case 15: bytes[index] == UInt8(ascii: "Z")
      case 16: bytes[index] == UInt8(ascii: "-")
      case 17...: (48...57).contains(bytes[index]) || (97...102).contains(bytes[index])
      default: (48...57).contains(bytes[index])
      }
    }
  }
}
