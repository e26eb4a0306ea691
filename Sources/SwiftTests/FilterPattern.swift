/// A regular expression for Swift Testing's `--filter` that matches exactly the given identifiers.
///
/// Common beginnings are written once, so that matching takes time in the length of an identifier
/// and not in the number of them.
package func filterPattern(matching identifiers: some Sequence<String>) -> String {
  let root = Node()
  for identifier in identifiers { root.insert(Substring(identifier)) }
  return "^" + root.pattern + "$"
}

/// A node of a tree of characters.
private final class Node {
  private var children: [(character: Character, node: Node)] = []
  private var isEnd = false

  func insert(_ rest: Substring) {
    var node = self
    for character in rest {
      // Identifiers come sorted by suite, so the last child is nearly always the one.
      if let last = node.children.last, last.character == character {
        node = last.node
      } else if let known = node.children.first(where: { $0.character == character }) {
        node = known.node
      } else {
        let child = Node()
        node.children.append((character, child))
        node = child
      }
    }
    node.isEnd = true
  }

  var pattern: String {
    var result = ""
    var node = self
    while node.children.count == 1, !node.isEnd, let only = node.children.first {
      result += escaped(only.character)
      node = only.node
    }
    guard !node.children.isEmpty else { return result }
    let branches = node.children.map { escaped($0.character) + $0.node.pattern }
    return result + "(?:" + branches.joined(separator: "|") + (node.isEnd ? "|)" : ")")
  }
}

private let special: Set<Character> = [
  "\\", "^", "$", ".", "|", "?", "*", "+", "(", ")", "[", "]", "{", "}", "#", "-", "&", "~", "/",
]

private func escaped(_ character: Character) -> String {
  special.contains(character) ? "\\\(character)" : String(character)
}
