/// Makes regular expressions for Swift Testing's `--filter` that select exactly some of a product's
/// tests.
///
/// Matching costs Swift Testing time for every test of the product and every character of the
/// pattern, so common beginnings are written once, and where all tests with a beginning are
/// selected, the beginning is enough: 250 of 500 tests in one run of the sources need some 60
/// characters.
package struct FilterPatterns: Sendable {
  /// The product's identifiers, sorted.
  private let identifiers: [[Character]]
  private let positions: [String: Int]

  /// - Parameter identifiers: All identifiers of the product, as Swift Testing has them.
  package init(_ identifiers: some Sequence<String>) {
    let sorted = Set(identifiers).map { (text: $0, characters: Array($0)) }
      .sorted { $0.characters.lexicographicallyPrecedes($1.characters) }
    self.identifiers = sorted.map(\.characters)
    positions = Dictionary(
      sorted.enumerated().map { ($1.text, $0) }, uniquingKeysWith: { first, _ in first })
  }

  /// A pattern that matches the given identifiers and no other of the product's.
  ///
  /// - Returns: A pattern that matches nothing when none of them is the product's.
  package func pattern(selecting selected: some Sequence<String>) -> String {
    let chosen = selected.compactMap { positions[$0] }.sorted()
    guard !chosen.isEmpty else { return "^$" }
    return "^" + pattern(identifiers.indices, chosen[...], depth: 0)
  }

  /// The pattern for what follows after the characters that a range of identifiers has in common.
  ///
  /// - Parameter chosen: Positions of the selected identifiers in the range, at least one.
  private func pattern(_ range: Range<Int>, _ chosen: ArraySlice<Int>, depth: Int) -> String {
    if chosen.count == range.count { return "" }
    var result = ""
    var depth = depth
    var range = range
    while true {
      if chosen.count == range.count { return result }
      var branches: [(character: Character, range: Range<Int>, chosen: ArraySlice<Int>)] = []
      var endsHere = false
      var rest = chosen
      while let first = rest.first {
        guard identifiers[first].count > depth else {
          endsHere = true
          rest = rest.dropFirst()
          continue
        }
        let character = identifiers[first][depth]
        let end = self.end(of: character, depth: depth, from: first, in: range)
        let start = self.start(of: character, depth: depth, before: first, in: range)
        let own = rest.prefix { $0 < end }
        branches.append((character, start..<end, own))
        rest = rest.dropFirst(own.count)
      }
      if branches.count == 1, !endsHere, let only = branches.first {
        result += Self.escaped(only.character)
        range = only.range
        depth += 1
        continue
      }
      if branches.isEmpty { return result + "$" }
      let texts = branches.map {
        Self.escaped($0.character) + pattern($0.range, $0.chosen, depth: depth + 1)
      }
      return result + "(?:" + texts.joined(separator: "|") + (endsHere ? "|$)" : ")")
    }
  }

  /// The end of the identifiers that have the character at the depth.
  private func end(
    of character: Character, depth: Int, from first: Int, in range: Range<Int>
  ) -> Int {
    var low = first + 1
    var high = range.upperBound
    while low < high {
      let middle = (low + high) / 2
      if has(middle, character, depth) { low = middle + 1 } else { high = middle }
    }
    return low
  }

  /// The start of the identifiers that have the character at the depth.
  private func start(
    of character: Character, depth: Int, before first: Int, in range: Range<Int>
  ) -> Int {
    var low = range.lowerBound
    var high = first
    while low < high {
      let middle = (low + high) / 2
      if has(middle, character, depth) { high = middle } else { low = middle + 1 }
    }
    return low
  }

  private func has(_ position: Int, _ character: Character, _ depth: Int) -> Bool {
    let identifier = identifiers[position]
    return identifier.count > depth && identifier[depth] == character
  }

  private static let special: Set<Character> = [
    "\\", "^", "$", ".", "|", "?", "*", "+", "(", ")", "[", "]", "{", "}", "#", "-", "&", "~", "/",
  ]

  private static func escaped(_ character: Character) -> String {
    special.contains(character) ? "\\\(character)" : String(character)
  }
}
