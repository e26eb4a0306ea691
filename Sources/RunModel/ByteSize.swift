/// Numbers of bytes as people write and read them.
package enum ByteSize {
  private static let units = [("TiB", 40), ("GiB", 30), ("MiB", 20), ("KiB", 10), ("B", 0)]

  /// The bytes of a text like `512MiB` or `1.5 GiB`.
  ///
  /// - Returns: `nil` when this is no number above 0 with a unit of 1024 (IEC 80000-13), or `B`, or
  ///   when it is no whole number of bytes below 2^53.
  package static func parse(_ text: String) -> Int? {
    guard let (unit, shift) = units.first(where: { text.hasSuffix($0.0) }) else { return nil }
    var digits = text.dropLast(unit.count)
    if digits.last == " " { digits.removeLast() }
    guard !digits.isEmpty, digits.allSatisfy({ $0.isASCII && ($0.isNumber || $0 == ".") }),
      let number = Double(digits)
    else { return nil }
    let bytes = number * Double(1 << shift)
    guard bytes >= 1, bytes < Double(1 << 53), bytes == bytes.rounded() else { return nil }
    return Int(bytes)
  }

  /// `512 MiB`, `1.5 GiB`, `1000 B`: the largest unit in which at most one decimal is needed.
  package static func text(_ bytes: Int) -> String {
    for (unit, shift) in units where bytes >= 1 << shift {
      let tenths = Double(bytes) / Double(1 << shift) * 10
      guard tenths == tenths.rounded() else { continue }
      let whole = Int(tenths)
      return (whole % 10 == 0 ? "\(whole / 10)" : "\(whole / 10).\(whole % 10)") + " " + unit
    }
    return "\(bytes) B"
  }

  /// `1.2 MiB`, `512 B`: rounded to tenths of the largest unit of which there is one at least.
  package static func rounded(_ bytes: Int) -> String {
    for (unit, shift) in units where shift > 0 && bytes >= 1 << shift {
      let tenths = Int((Double(bytes) / Double(1 << shift) * 10).rounded())
      return "\(tenths / 10).\(tenths % 10) \(unit)"
    }
    return "\(bytes) B"
  }
}
