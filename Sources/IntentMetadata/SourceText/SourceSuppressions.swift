/// What comments of a source file switch off: `// carrel:disable RULE` counts for its own line and
/// the next one, with several rules divided by commas. What follows a colon or another word is a
/// reason.
package struct SourceSuppressions: Hashable, Sendable {
  private static let mark = "carrel:disable"

  private var rules: [Int: Set<String>] = [:]

  /// - Parameter source: The bytes of a file.
  package init(_ source: [UInt8]) { self.init(SwiftTokens(source)) }

  init(_ scanned: SwiftTokens) {
    for comment in scanned.comments {
      guard let mark = comment.text.firstRange(of: Self.mark) else { continue }
      let names = comment.text[mark.upperBound...].prefix { $0 != "\n" && $0 != ":" }
        .split { $0 == " " || $0 == "," }
        .prefix { $0.allSatisfy { $0.isLowercase || $0 == "-" } }
      rules[comment.line, default: []].formUnion(names.map { String($0) })
    }
  }

  /// - Parameter line: From 1.
  package func contains(_ rule: String, line: Int) -> Bool {
    rules[line]?.contains(rule) == true || rules[line - 1]?.contains(rule) == true
  }

  package var isEmpty: Bool { rules.isEmpty }
}
