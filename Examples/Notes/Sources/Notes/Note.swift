/// A title with a text, and words to find it by.
public struct Note: Codable, Hashable, Sendable, Identifiable {
  /// Given by the notebook; empty before.
  public internal(set) var id: String
  public var title: String
  public var text: String
  public var tags: [String]

  public init(title: String, text: String = "", tags: [String] = []) {
    id = ""
    self.title = title
    self.text = text
    self.tags = tags
  }

  /// The number of words in title and text.
  public var wordCount: Int {
    "\(title) \(text)".split(whereSeparator: \.isWhitespace).count
  }
}
