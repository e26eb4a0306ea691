import Glibc
import SystemFiles

/// Names of runs: `20261130T053000Z-4f3a2b`, the start in UTC and six random digits, so that
/// sorting by name sorts by time.
enum RunIdentifier {
  /// - Parameter time: Seconds since 1970.
  static func make(at time: Double) -> String {
    var seconds = time_t(time.rounded(.down))
    var parts = tm()
    gmtime_r(&seconds, &parts)
    let date =
      padded(Int(parts.tm_year) + 1900, 4) + padded(Int(parts.tm_mon) + 1, 2)
      + padded(Int(parts.tm_mday), 2)
    let clock =
      padded(Int(parts.tm_hour), 2) + padded(Int(parts.tm_min), 2) + padded(Int(parts.tm_sec), 2)
    return "\(date)T\(clock)Z-\(randomText(6))"
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
    let digits = String(number)
    return String(repeating: "0", count: max(0, width - digits.utf8.count)) + digits
  }
}
