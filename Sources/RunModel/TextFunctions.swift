extension Double {
  /// Seconds for people: `2 s`, `0.5 s`.
  package var formattedSeconds: String {
    // What is read may be larger than any integer.
    Int(exactly: self).map { "\($0) s" } ?? "\(self) s"
  }
}

/// 16 hexadecimal digits.
package func hexadecimal(_ number: UInt64) -> String {
  let digits = String(number, radix: 16)
  return String(repeating: "0", count: 16 - digits.count) + digits
}

/// A hash that is the same in every process: FNV-1a, 64 bits.
package func stableHash(_ bytes: some Sequence<UInt8>) -> UInt64 {
  bytes.reduce(0xcbf2_9ce4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 }
}

/// The edit distance of two byte strings, `nil` when it is greater than a limit.
///
/// Only cells within the limit of the diagonal are computed (Ukkonen's cut-off).
package func editDistance(_ left: [UInt8], _ right: [UInt8], limit: Int) -> Int? {
  guard abs(left.count - right.count) <= limit else { return nil }
  guard !left.isEmpty, !right.isEmpty else { return max(left.count, right.count) }
  let band = min(limit, max(left.count, right.count))
  let tooFar = band + 1
  // Cells above and right of the band are never written and stay too far.
  var previous = (0...right.count).map { min($0, tooFar) }
  var current = previous
  for row in 1...left.count {
    let first = max(1, row - band)
    let last = min(right.count, row + band)
    guard first <= last else { return nil }
    current[first - 1] = min(row, tooFar)
    var least = current[first - 1]
    for column in first...last {
      let substitution = previous[column - 1] + (left[row - 1] == right[column - 1] ? 0 : 1)
      let cell = min(substitution, previous[column] + 1, current[column - 1] + 1, tooFar)
      current[column] = cell
      least = min(least, cell)
    }
    if least > band { return nil }
    swap(&previous, &current)
  }
  return previous[right.count] <= band ? previous[right.count] : nil
}

/// `; did you mean 'a', 'b' or 'c'?`, or nothing.
package func didYouMean(_ names: [String]) -> String {
  guard let last = names.last else { return "" }
  let quoted = names.dropLast().map { "'\($0)'" }.joined(separator: ", ")
  return "; did you mean " + (quoted.isEmpty ? "" : quoted + " or ") + "'\(last)'?"
}
