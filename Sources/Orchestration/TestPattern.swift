import RunModel

/// A compiled regular expression that is looked for in tests.
struct TestPattern {
  /// The texts of a test that a pattern may be found in.
  struct Subject {
    let texts: [String]

    init(_ test: TestDescriptor) {
      let name = test.id.name
      let printed = test.id.description
      // The printed ID mostly holds the name, but an anchor has to see where the name begins.
      var texts = [name]
      for text in [test.id.printableName, test.libraryID] where !texts.contains(text) {
        texts.append(text)
      }
      self.texts = texts + [printed]
    }
  }

  private let regex: Regex<AnyRegexOutput>
  /// The pattern when it stands for itself: ASCII without any character that has a meaning. In a
  /// text of ASCII it is found where the expression is, and much faster.
  private let literal: [UInt8]?

  /// - Throws: ``OrchestrationError`` that quotes the text.
  init(_ text: String, isSkip: Bool) throws(OrchestrationError) {
    let isLiteral =
      !text.isEmpty
      && text.utf8.allSatisfy { byte in
        byte > 0x20 && byte < 0x7F && !#"\^$.|?*+()[]{}#"#.utf8.contains(byte)
      }
    literal = isLiteral ? Array(text.utf8) : nil
    do {
      let regex = try Regex(text)
      let simpler = Self.withoutLeadingWildcard(text)
      self.regex = simpler == text ? regex : (try? Regex(simpler)) ?? regex
    } catch {
      throw OrchestrationError(
        isSkip ? .invalidSkipPattern : .invalidPattern, "'\(text)' is not a regular expression",
        context: ["text": text], cause: error)
    }
  }

  func matches(_ subject: Subject) -> Bool {
    subject.texts.contains { text in
      if let literal, let isFound = Self.find(literal, inASCII: text) { return isFound }
      return text.firstMatch(of: regex) != nil
    }
  }

  /// - Returns: `nil` when the text is not only ASCII, or not in one piece.
  private static func find(_ literal: [UInt8], inASCII text: String) -> Bool? {
    text.utf8.withContiguousStorageIfAvailable { bytes in
      guard bytes.allSatisfy({ $0 < 0x80 }) else { return nil }
      guard bytes.count >= literal.count else { return false }
      for start in 0...bytes.count - literal.count where bytes[start] == literal[0] {
        if literal.indices.allSatisfy({ bytes[start + $0] == literal[$0] }) { return true }
      }
      return false
    } ?? nil
  }

  /// A pattern that is found in the same texts in linear time: looking for `.*A` at each place of a
  /// text reads the rest of it each time, though `A` is found wherever `.*A` is.
  static func withoutLeadingWildcard(_ text: String) -> String {
    guard text.hasPrefix(".*") || text.hasPrefix(".+") else { return text }
    var rest = text.dropFirst(2)
    if rest.first == "?" { rest = rest.dropFirst() }
    // A possessive or repeated quantifier means something else.
    if let next = rest.first, "+*?{".contains(next) { return text }
    return text.hasPrefix(".+") ? "." + rest : String(rest)
  }
}
