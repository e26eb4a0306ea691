import Glibc

/// Names of runs: `20261130T053000Z-4f3a2b`, the start in UTC and the fraction of its second in six
/// hexadecimal digits, so that sorting by name sorts by time.
enum RunIdentifier {
  /// Parts of a second that names tell apart.
  private static let partsOfSecond = 1 << 24

  /// - Parameters:
  ///   - time: Seconds since 1970.
  ///   - delay: Parts of a second that are added, for a name that is not taken yet.
  static func make(at time: Double, delay: Int = 0) -> String {
    let start = time.rounded(.down)
    let part = Int((time - start) * Double(partsOfSecond)) + delay
    var seconds = time_t(start) + part / partsOfSecond
    var parts = tm()
    gmtime_r(&seconds, &parts)
    let date =
      padded(Int(parts.tm_year) + 1900, 4) + padded(Int(parts.tm_mon) + 1, 2)
      + padded(Int(parts.tm_mday), 2)
    let clock =
      padded(Int(parts.tm_hour), 2) + padded(Int(parts.tm_min), 2) + padded(Int(parts.tm_sec), 2)
    let fraction = String(part % partsOfSecond, radix: 16)
    return "\(date)T\(clock)Z-" + padded(fraction, 6)
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

  private static func padded(_ number: Int, _ width: Int) -> String {
    padded(String(number), width)
  }

  private static func padded(_ digits: String, _ width: Int) -> String {
    String(repeating: "0", count: max(0, width - digits.utf8.count)) + digits
  }
}
