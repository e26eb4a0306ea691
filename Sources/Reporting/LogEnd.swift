/// The end of a log as text, invalid UTF-8 replaced.
package struct LogEnd: Sendable, Hashable {
  package let text: String
  /// Bytes of the log that the text was made from.
  package let bytes: Int

  /// - Parameters:
  ///   - end: The last bytes of the log.
  ///   - isWhole: Whether there is nothing before them. Otherwise the text begins with a whole
  ///     line where that costs less than a quarter of it, else with a whole character.
  package init(_ end: some BidirectionalCollection<UInt8>, isWhole: Bool) {
    var start = end.startIndex
    if !isWhole {
      if let lineEnd = end.prefix(end.count / 4).firstIndex(of: UInt8(ascii: "\n")) {
        start = end.index(after: lineEnd)
      } else {
        // A character has at most three bytes after its first.
        start = end.prefix(3).prefix { $0 & 0xC0 == 0x80 }.endIndex
      }
    }
    text = String(decoding: end[start...], as: UTF8.self)
    bytes = end.distance(from: start, to: end.endIndex)
  }

  /// A text that is all of a log.
  package init(whole text: String) {
    self.text = text
    bytes = text.utf8.count
  }
}
