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

  /// - Throws: ``OrchestrationError`` that quotes the text.
  init(_ text: String, isSkip: Bool) throws(OrchestrationError) {
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
    subject.texts.contains { $0.firstMatch(of: regex) != nil }
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
