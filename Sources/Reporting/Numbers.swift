/// A number of seconds with a fixed number of decimals, 0 to 9; what is no valid time becomes 0.
func fixed(_ seconds: Double, decimals: Int) -> String {
  let scale = (0..<decimals).reduce(1) { product, _ in product * 10 }
  let units = Int(min(max(validSeconds(seconds), 0), 1e9) * Double(scale) + 0.5)
  guard decimals > 0 else { return String(units) }
  let fraction = String(units % scale)
  let zeros = String(repeating: "0", count: decimals - fraction.utf8.count)
  return "\(units / scale).\(zeros)\(fraction)"
}

/// The seconds, or 0 for a negative number, an infinity or no number.
func validSeconds(_ seconds: Double) -> Double {
  seconds.isFinite && seconds > 0 ? seconds : 0
}

/// A duration for people: `0.3 s`, `12.0 s`, `2 min 3 s`, `1 h 2 min 3 s`.
package func spoken(_ seconds: Double) -> String {
  let seconds = min(validSeconds(seconds), 1e9)
  if seconds < 59.95 { return fixed(seconds, decimals: 1) + " s" }
  let whole = Int(seconds + 0.5)
  let (hours, minutes) = (whole / 3600, whole / 60 % 60)
  let short = "\(minutes) min \(whole % 60) s"
  return hours > 0 ? "\(hours) h \(short)" : short
}

/// `1 test`, `2 tests`, `2 processes`.
func counted(_ number: Int, _ noun: String) -> String {
  let isSibilant = noun.utf8.last == UInt8(ascii: "s") || noun.utf8.last == UInt8(ascii: "x")
  return "\(number) \(noun)\(number == 1 ? "" : isSibilant ? "es" : "s")"
}

/// The text with spaces in front of it up to the width.
func padded(_ text: String, toWidth width: Int) -> String {
  String(repeating: " ", count: max(0, width - text.utf8.count)) + text
}
