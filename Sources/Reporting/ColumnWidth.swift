/// How many columns of a terminal the text takes, never too few.
///
/// Wide East Asian characters (UAX #11) and emoji count 2, combining marks and format characters 0.
/// Terminals differ about joined emoji; the parts are added up, which is the most that any of them
/// takes, so that a line measured here does not wrap.
func columnWidth(_ text: some StringProtocol) -> Int {
  var width = 0
  for scalar in text.unicodeScalars { width += columnWidth(scalar) }
  return width
}

private func columnWidth(_ scalar: Unicode.Scalar) -> Int {
  if scalar.isASCII { return scalar.value < 0x20 || scalar.value == 0x7F ? 0 : 1 }
  // The variation selector turns the narrow sign before it into an emoji: one column more.
  if scalar.value == 0xFE0F { return 1 }
  switch scalar.properties.generalCategory {
  case .nonspacingMark, .enclosingMark, .format, .control: return 0
  default: break
  }
  if scalar.properties.isEmojiPresentation { return 2 }
  return wideRanges.contains { $0.contains(scalar.value) } ? 2 : 1
}

/// The blocks that are wide throughout (EastAsianWidth.txt: W and F).
private let wideRanges: [ClosedRange<UInt32>] = [
  0x1100...0x115F, 0x2E80...0x303E, 0x3041...0x33FF, 0x3400...0x4DBF, 0x4E00...0x9FFF,
  0xA000...0xA4CF, 0xA960...0xA97F, 0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE10...0xFE19,
  0xFE30...0xFE6F, 0xFF00...0xFF60, 0xFFE0...0xFFE6, 0x16FE0...0x18DFF, 0x1AFF0...0x1B2FF,
  0x1F200...0x1F2FF, 0x1F300...0x1F64F, 0x1F680...0x1F6FF, 0x1F900...0x1FAFF, 0x20000...0x3FFFD,
]

/// The end of the text behind an ellipsis when it is wider than the limit: the last components of a
/// test's name tell more than the first.
func endFitting(_ text: String, columns limit: Int) -> String {
  fitting(text, columns: limit, keepsEnd: true)
}

/// The beginning of the text before an ellipsis when it is wider than the limit.
func startFitting(_ text: String, columns limit: Int) -> String {
  fitting(text, columns: limit, keepsEnd: false)
}

private func fitting(_ text: String, columns limit: Int, keepsEnd: Bool) -> String {
  guard limit > 0 else { return "" }
  // Far more than fits; what follows takes time for no more than that.
  let bytes = 64 * limit
  let part = keepsEnd ? plainTail(of: text, bytes: bytes) : head(of: text, bytes: bytes)
  if part.utf8.count == text.utf8.count, columnWidth(text) <= limit { return text }
  var width = 1
  var kept: [Character] = []
  for character in keepsEnd ? Array(part.reversed()) : Array(part) {
    width += columnWidth(String(character))
    if width > limit { break }
    kept.append(character)
  }
  return keepsEnd ? "…" + String(kept.reversed()) : String(kept) + "…"
}
