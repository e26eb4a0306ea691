/// The longest beginning of the text that fits into so many bytes of UTF-8, in whole characters.
func head(of text: String, bytes limit: Int) -> Substring {
  let utf8 = text.utf8
  guard utf8.count > limit else { return text[...] }
  var end = utf8.index(utf8.startIndex, offsetBy: max(0, limit))
  while end > utf8.startIndex, utf8[end] & 0xC0 == 0x80 { end = utf8.index(before: end) }
  return text[..<end]
}

/// The longest end of the text that fits into so many bytes of UTF-8, in whole characters.
///
/// It begins with a whole line when that costs less than a quarter of the limit.
func tail(of text: String, bytes limit: Int) -> Substring {
  let utf8 = text.utf8
  guard utf8.count > limit else { return text[...] }
  var start = plainTail(of: text, bytes: limit).startIndex
  if let lineEnd = utf8[start...].prefix(limit / 4).firstIndex(of: UInt8(ascii: "\n")) {
    let line = utf8.index(after: lineEnd)
    if line < utf8.endIndex { start = line }
  }
  return text[start...]
}

/// The longest end of the text that fits into so many bytes of UTF-8, wherever it begins.
func plainTail(of text: String, bytes limit: Int) -> Substring {
  let utf8 = text.utf8
  guard utf8.count > limit else { return text[...] }
  var start = utf8.index(utf8.endIndex, offsetBy: -max(0, limit))
  while start < utf8.endIndex, utf8[start] & 0xC0 == 0x80 { start = utf8.index(after: start) }
  return text[start...]
}

/// The last lines of the text, without the line end that closes it.
///
/// - Returns: At most `limit` lines, and whether there are lines before them.
func lastLines(of text: String, limit: Int) -> (lines: [Substring], hasMore: Bool) {
  let utf8 = text.utf8
  var end = utf8.endIndex
  if utf8.last == UInt8(ascii: "\n") { end = utf8.index(before: end) }
  guard end > utf8.startIndex, limit > 0 else { return ([], end > utf8.startIndex) }
  var lines: [Substring] = []
  while lines.count < limit {
    if let newline = utf8[..<end].lastIndex(of: UInt8(ascii: "\n")) {
      lines.append(text[utf8.index(after: newline)..<end])
      end = newline
    } else {
      lines.append(text[..<end])
      return (lines.reversed(), false)
    }
  }
  return (lines.reversed(), true)
}

/// `a, b, c and 7 more`: at most `limit` of the items.
///
/// - Parameter furtherItems: Number of items that are not in the collection.
func listed(_ items: some Collection<String>, limit: Int, furtherItems: Int = 0) -> String {
  let shown = items.prefix(limit).joined(separator: ", ")
  let more = max(0, items.count - limit) + furtherItems
  return more > 0 ? "\(shown) and \(more) more" : shown
}
