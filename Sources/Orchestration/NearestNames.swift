import RunModel

/// Finds the names of a listing that are most like a text, for "did you mean".
///
/// Compared are names with and without their module, suites, classes and functions, without regard
/// to ASCII case. Likeness is the edit distance (insertions, deletions and substitutions of bytes);
/// a name that holds the text counts as one edit away. What is further away than a third of the
/// text's length is like nothing.
package struct NearestNames {
  private struct Candidate {
    let text: String
    let bytes: [UInt8]
  }

  /// Distinct texts in the order of the listing.
  private var candidates: [Candidate] = []

  init(_ listing: [TestDescriptor], wholeNamesOnly: Bool = false) {
    var seen: Set<String> = []
    func add(_ text: String, to candidates: inout [Candidate]) {
      guard !text.isEmpty, seen.insert(text).inserted else { return }
      candidates.append(Candidate(text: text, bytes: Self.folded(text)))
    }
    for test in listing {
      add(test.id.printableName, to: &candidates)
      guard !wholeNamesOnly else { continue }
      let suite = test.id.suite
      add(suite, to: &candidates)
      if let dot = suite.firstIndex(of: ".") {
        add(String(suite[suite.index(after: dot)...]), to: &candidates)
        add(test.id.nameWithoutModule, to: &candidates)
      }
      let function = test.id.function
      add(function, to: &candidates)
      if let parenthesis = function.firstIndex(of: "("), function.first != "`" {
        add(String(function[..<parenthesis]), to: &candidates)
      }
    }
  }

  /// Up to `count` names, the nearest first, then the shortest, then the first listed.
  func nearest(to pattern: String, count: Int = 3) -> [String] {
    let wanted = Self.folded(Self.withoutOperators(pattern))
    guard !wanted.isEmpty, count > 0 else { return [] }
    var best: [(distance: Int, candidate: Candidate)] = []
    for candidate in candidates {
      let furthest = max(wanted.count / 3, 1)
      let limit = best.count < count ? furthest : best[count - 1].distance
      let distance =
        Self.contains(candidate.bytes, wanted)
        ? min(1, abs(candidate.bytes.count - wanted.count))
        : editDistance(wanted, candidate.bytes, limit: limit)
      guard let distance, distance <= limit else { continue }
      let place = best.firstIndex {
        ($0.distance, $0.candidate.bytes.count) > (distance, candidate.bytes.count)
      }
      best.insert((distance, candidate), at: place ?? best.count)
      if best.count > count { best.removeLast() }
    }
    return best.map(\.candidate.text)
  }

  /// Whether the text is the name of a suite with tests, with or without its module.
  static func isSuite(_ text: String, in listing: [TestDescriptor]) -> Bool {
    let start = text + "/"
    return listing.contains {
      $0.id.printableName.hasPrefix(start) || $0.id.nameWithoutModule.hasPrefix(start)
    }
  }

  private static func folded(_ text: String) -> [UInt8] {
    text.utf8.map { (65...90).contains($0) ? $0 | 0x20 : $0 }
  }

  /// The text that a person had in mind: without anchors, escapes and wildcards.
  private static func withoutOperators(_ pattern: String) -> String {
    var result = ""
    for character in pattern where !"^$\\*+?".contains(character) {
      result.append(character)
    }
    return result
  }

  private static func contains(_ text: [UInt8], _ part: [UInt8]) -> Bool {
    guard part.count <= text.count, let head = part.first else { return false }
    for start in 0...text.count - part.count where text[start] == head {
      if text[start..<start + part.count].elementsEqual(part) { return true }
    }
    return false
  }
}

extension TestID {
  /// The printed name without `Module.`.
  fileprivate var nameWithoutModule: String {
    let name = printableName
    guard let dot = name.firstIndex(of: ".") else { return name }
    return String(name[name.index(after: dot)...])
  }
}
