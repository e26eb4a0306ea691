/// The mark that stands where something was left out of a text: `[carrel: N bytes left out here]`.
package enum OmissionMark {
  private static let opening = "[carrel: "
  private static let ending = " left out here]"

  /// - Parameter what: With its number, for example `3 issues`.
  package static func text(_ what: String) -> String { opening + what + ending }

  package static func text(bytes count: Int) -> String { text("\(count) bytes") }

  /// The bytes that the marks in a text say were left out, without the marks themselves.
  static func omittedBytes(in text: Substring.UTF8View) -> Int {
    let (opening, ending) = (Self.opening.utf8, " bytes\(Self.ending)".utf8)
    var sum = 0
    var rest = text
    while let start = rest.firstIndex(of: UInt8(ascii: "[")) {
      rest = rest[start...]
      let digits = rest.dropFirst(opening.count).prefix(18).prefix { (48...57).contains($0) }
      if rest.starts(with: opening), rest[digits.endIndex...].starts(with: ending),
        let number = Int(Substring(digits))
      {
        sum += number - opening.count - digits.count - ending.count
      }
      rest = rest.dropFirst()
    }
    return sum
  }
}
