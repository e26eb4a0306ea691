/// The form that a kind of secrets has: a regular expression over bytes that begins with fixed
/// text, so that it can be searched for in one pass; see docs/redaction.md.
///
/// There are no references and nothing goes back, so no text makes a search slow.
struct SecretPattern: Sendable {
  indirect enum Node: Hashable, Sendable {
    case set(ByteSet)
    case sequence([Node])
    case choice([Node])
    /// - Parameter most: `nil` for any number.
    case repetition(Node, least: Int, most: Int?)
    /// `\K`: what was matched so far is not part of the secret.
    case begin
  }

  /// The pattern without what is about its surroundings.
  private(set) var nodes: [Node] = []
  private(set) var ignoresCase = false
  /// Whether it must not follow a letter, a digit or an underscore.
  private(set) var isBounded = false
  /// What must follow it; `nil` for anything.
  private(set) var following: ByteSet?

  /// A text as the pattern that matches nothing else.
  static func escaped(_ text: String) -> String {
    text.unicodeScalars.map { scalar in
      let isPlain = !scalar.isASCII || ByteSet.word.contains(UInt8(scalar.value))
      return (isPlain ? "" : "\\") + String(scalar)
    }.joined()
  }

  /// More repetitions than this are not counted.
  static let mostRepetitions = 1_000

  /// These bytes and nothing else.
  init(literal bytes: some Sequence<UInt8>) {
    nodes = bytes.map { .set(ByteSet(CollectionOfOne($0))) }
  }

  /// - Parameter leavesJSON: Whether `.` and what stands for all bytes but some never stand for a
  ///   quotation mark or a backslash, so that what they find can be replaced in JSON.
  init(_ text: String, leavesJSON: Bool = false) throws(EvidenceError) {
    var parser = SecretPatternParser(text, leavesJSON: leavesJSON)
    try parser.parse()
    nodes = parser.nodes
    ignoresCase = parser.ignoresCase
    isBounded = parser.isBounded
    following = parser.following
  }
}

/// Reads the text of a pattern.
private struct SecretPatternParser {
  typealias Node = SecretPattern.Node

  private var rest: ArraySlice<UInt8>
  var nodes: [Node] = []
  var ignoresCase = false
  var isBounded = false
  var following: ByteSet?
  private var depth = 0

  private let leavesJSON: Bool

  init(_ text: String, leavesJSON: Bool) {
    rest = Array(text.utf8)[...]
    self.leavesJSON = leavesJSON
  }

  /// All other bytes.
  private func inverted(_ set: ByteSet) -> ByteSet {
    var set = set
    if leavesJSON { set.formUnion(ByteSet("\"\\")) }
    return set.inverted
  }

  mutating func parse() throws(EvidenceError) {
    if take("(?i)") { ignoresCase = true }
    if take("\\b") { isBounded = true }
    let node = try choice()
    guard rest.isEmpty else { throw EvidenceError.invalidPattern("a ')' has no '('") }
    if case .sequence(let parts) = node { nodes = parts } else { nodes = [node] }
  }

  private mutating func take(_ text: String) -> Bool {
    guard rest.starts(with: text.utf8) else { return false }
    rest = rest.dropFirst(text.utf8.count)
    return true
  }

  private mutating func choice() throws(EvidenceError) -> Node {
    var alternatives = [try sequence()]
    while take("|") { alternatives.append(try sequence()) }
    return alternatives.count == 1 ? alternatives[0] : .choice(alternatives)
  }

  private mutating func sequence() throws(EvidenceError) -> Node {
    var parts: [Node] = []
    while let byte = rest.first, byte != UInt8(ascii: "|"), byte != UInt8(ascii: ")") {
      if depth == 0, try takeFollowing() { break }
      parts.append(try quantified(try atom()))
    }
    return parts.count == 1 ? parts[0] : .sequence(parts)
  }

  /// `\b` or `(?=…)` at the end.
  private mutating func takeFollowing() throws(EvidenceError) -> Bool {
    if rest.elementsEqual("\\b".utf8) {
      rest = []
      var set = ByteSet.digits
      set.formUnion(.letters)
      set = set.inverted
      set.hasEnd = true
      following = set
      return true
    }
    guard take("(?=") else { return false }
    var set = ByteSet()
    while true {
      if take("$") {
        set.hasEnd = true
      } else if case .set(let bytes) = try atom() {
        set.formUnion(bytes)
      } else {
        throw EvidenceError.invalidPattern(
          "(?=…) takes single characters, classes and $, with | between")
      }
      if take(")") { break }
      guard take("|") else { throw EvidenceError.invalidPattern("a ')' is missing after (?=") }
    }
    guard rest.isEmpty else {
      throw EvidenceError.invalidPattern("(?=…) is possible at the end only")
    }
    following = set
    return true
  }

  private mutating func atom() throws(EvidenceError) -> Node {
    guard let byte = rest.popFirst() else {
      throw EvidenceError.invalidPattern("it ends where a character is expected")
    }
    switch byte {
    case UInt8(ascii: "("):
      _ = take("?:")
      guard depth < 20 else {
        throw EvidenceError.invalidPattern("it has more than 20 groups in another")
      }
      depth += 1
      let node = try choice()
      depth -= 1
      guard take(")") else { throw EvidenceError.invalidPattern("a ')' is missing") }
      return node
    case UInt8(ascii: "["): return .set(try characterClass())
    case UInt8(ascii: "."): return .set(inverted(ByteSet("\n")))
    case UInt8(ascii: "\\"):
      if take("K") { return .begin }
      return .set(folded(try escape()))
    case UInt8(ascii: "*"), UInt8(ascii: "+"), UInt8(ascii: "?"):
      throw EvidenceError.invalidPattern("a repetition has nothing to repeat")
    case UInt8(ascii: "^"), UInt8(ascii: "$"):
      throw EvidenceError.invalidPattern(
        "'^' and '$' are not known as places; write \\^ or \\$ for the character")
    default: return .set(folded(ByteSet(CollectionOfOne(byte))))
    }
  }

  private func folded(_ set: ByteSet) -> ByteSet {
    guard ignoresCase else { return set }
    var result = set
    for byte in set.bytes where ByteSet.letters.contains(byte) { result.insert(byte ^ 0x20) }
    return result
  }

  private mutating func escape() throws(EvidenceError) -> ByteSet {
    guard let byte = rest.popFirst() else {
      throw EvidenceError.invalidPattern("it ends with '\\'")
    }
    switch byte {
    case UInt8(ascii: "d"): return .digits
    case UInt8(ascii: "w"): return .word
    case UInt8(ascii: "s"): return .space
    case UInt8(ascii: "c"): return .control
    case UInt8(ascii: "D"): return inverted(.digits)
    case UInt8(ascii: "W"): return inverted(.word)
    case UInt8(ascii: "S"): return inverted(.space)
    case UInt8(ascii: "n"): return ByteSet("\n")
    case UInt8(ascii: "r"): return ByteSet("\r")
    case UInt8(ascii: "t"): return ByteSet("\t")
    default:
      guard !ByteSet.word.contains(byte) else {
        let name = String(decoding: CollectionOfOne(byte), as: UTF8.self)
        throw EvidenceError.invalidPattern("'\\\(name)' is not known")
      }
      return ByteSet(CollectionOfOne(byte))
    }
  }

  private mutating func characterClass() throws(EvidenceError) -> ByteSet {
    let isInverted = take("^")
    var set = ByteSet()
    var isFirst = true
    while true {
      guard let byte = rest.popFirst() else {
        throw EvidenceError.invalidPattern("a ']' is missing")
      }
      if byte == UInt8(ascii: "]"), !isFirst { break }
      isFirst = false
      var first = ByteSet(CollectionOfOne(byte))
      if byte == UInt8(ascii: "\\") { first = try escape() }
      if rest.first == UInt8(ascii: "-"), rest.dropFirst().first != UInt8(ascii: "]"),
        first.bytes.count == 1, rest.count > 1
      {
        rest = rest.dropFirst()
        guard let last = rest.popFirst(), last >= first.bytes[0], last != UInt8(ascii: "\\") else {
          throw EvidenceError.invalidPattern("a range in [ ] goes backwards")
        }
        set.formUnion(ByteSet(first.bytes[0]...last))
      } else {
        set.formUnion(first)
      }
    }
    return isInverted ? inverted(folded(set)) : folded(set)
  }

  private mutating func quantified(_ node: Node) throws(EvidenceError) -> Node {
    guard let byte = rest.first else { return node }
    let result: Node
    switch byte {
    case UInt8(ascii: "*"): result = .repetition(node, least: 0, most: nil)
    case UInt8(ascii: "+"): result = .repetition(node, least: 1, most: nil)
    case UInt8(ascii: "?"): result = .repetition(node, least: 0, most: 1)
    case UInt8(ascii: "{"):
      rest = rest.dropFirst()
      return try counted(node)
    default: return node
    }
    if node == .begin { throw EvidenceError.invalidPattern("'\\K' cannot be repeated") }
    rest = rest.dropFirst()
    return result
  }

  /// What follows a `{`.
  private mutating func counted(_ node: Node) throws(EvidenceError) -> Node {
    let least = number()
    var most = least
    if take(",") { most = number() }
    guard take("}"), let least, most.map({ $0 >= least && $0 > 0 }) ?? true,
      max(least, most ?? 0) <= SecretPattern.mostRepetitions
    else {
      throw EvidenceError.invalidPattern(
        "a repetition must be like {3}, {3,} or {3,5}, with numbers up to "
          + "\(SecretPattern.mostRepetitions)")
    }
    return .repetition(node, least: least, most: most)
  }

  private mutating func number() -> Int? {
    let digits = rest.prefix { ByteSet.digits.contains($0) }
    rest = rest.dropFirst(digits.count)
    return digits.count < 7 ? Int(String(decoding: digits, as: UTF8.self)) : nil
  }
}
