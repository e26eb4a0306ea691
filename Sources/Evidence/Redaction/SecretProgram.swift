import CScanner

/// Patterns as tables for the scanner, while they are put together.
///
/// Each pattern is split into the literals that it can begin with and the steps behind them.
struct SecretProgram {
  /// Bytes that a pattern has to begin with.
  static let shortestLiteral = 3
  /// More bytes of a literal are looked at step by step.
  private static let longestLiteral = 12
  /// Steps of one rule.
  static let mostSteps = 20_000

  private(set) var steps: [carrel_scan_step] = []
  private(set) var literals: [carrel_scan_literal] = []
  private(set) var texts: [UInt8] = []
  private(set) var sets: [ByteSet] = []
  private var setNumbers: [ByteSet: UInt32] = [:]

  /// - Throws: ``EvidenceError`` with the code `invalid-pattern` when the pattern does not begin
  ///   with enough fixed text, or is too large.
  mutating func add(_ pattern: SecretPattern, rule: Int) throws(EvidenceError) {
    let before = steps.count
    let end = add(
      UInt32(CARREL_SCAN_MATCH.rawValue),
      set: pattern.following.map { number(of: $0) } ?? carrel_scan_nothing,
      next: UInt32(rule))
    var tails: [Int: UInt32] = [pattern.nodes.count: end]
    var heads: [(literal: [UInt8], local: [SecretPattern.Node], tail: Int)] = []
    try split([], [], 0, of: pattern, into: &heads)
    for head in heads {
      let tail = try entry(head.tail, of: pattern, &tails, limit: before)
      let step = try compile(head.local, to: tail, limit: before)
      literals.append(
        carrel_scan_literal(
          text: UInt32(texts.count), length: UInt32(head.literal.count),
          folds: pattern.ignoresCase ? 1 : 0, is_bounded: pattern.isBounded ? 1 : 0, step: step))
      texts += head.literal
    }
  }

  /// The step at which the pattern goes on from one of its nodes.
  private mutating func entry(
    _ index: Int, of pattern: SecretPattern, _ tails: inout [Int: UInt32], limit: Int
  ) throws(EvidenceError) -> UInt32 {
    if let step = tails[index] { return step }
    var step = tails[pattern.nodes.count] ?? 0
    for position in pattern.nodes.indices.reversed() where position >= index {
      if let known = tails[position] {
        step = known
      } else {
        step = try compile(pattern.nodes[position], to: step, limit: limit)
        tails[position] = step
      }
    }
    return step
  }

  /// Takes fixed bytes from the beginning of a pattern; where it goes on in several ways before
  /// there are enough of them, it has several beginnings.
  ///
  /// - Parameters:
  ///   - local: What comes before the node of the pattern at `tail`.
  private func split(
    _ literal: [UInt8], _ local: [SecretPattern.Node], _ tail: Int, of pattern: SecretPattern,
    into heads: inout [(literal: [UInt8], local: [SecretPattern.Node], tail: Int)]
  ) throws(EvidenceError) {
    var (literal, local, tail) = (literal, local, tail)
    func finish() throws(EvidenceError) {
      guard literal.count >= Self.shortestLiteral else {
        throw EvidenceError.invalidPattern(
          "it must begin with at least \(Self.shortestLiteral) fixed characters")
      }
      guard heads.count < 1_000 else {
        throw EvidenceError.invalidPattern("it begins in more than 1000 ways")
      }
      heads.append((literal, local, tail))
    }
    while literal.count < Self.longestLiteral {
      let node: SecretPattern.Node
      if local.isEmpty {
        guard tail < pattern.nodes.count else { break }
        node = pattern.nodes[tail]
        tail += 1
      } else {
        node = local.removeFirst()
      }
      switch node {
      case .set(let set):
        let bytes = set.bytes
        let letters = pattern.ignoresCase ? Set(bytes.map { lowercase($0) }) : Set(bytes)
        if letters.count == 1, let byte = letters.first {
          literal.append(byte)
        } else if literal.count < Self.shortestLiteral, letters.count <= 32 {
          for byte in letters.sorted() {
            try split(literal + [byte], local, tail, of: pattern, into: &heads)
          }
          return
        } else {
          local.insert(node, at: 0)
          return try finish()
        }
      case .sequence(let nodes): local.insert(contentsOf: nodes, at: 0)
      case .choice(let nodes) where literal.count < Self.shortestLiteral:
        for node in nodes {
          try split(literal, [node] + local, tail, of: pattern, into: &heads)
        }
        return
      case .repetition(let node, let least, let most)
      where least > 0 && literal.count < Self.shortestLiteral:
        local.insert(node, at: 0)
        if most != 1 {
          local.insert(.repetition(node, least: least - 1, most: most.map { $0 - 1 }), at: 1)
        }
      case .repetition(let node, least: 0, most: .some(1))
      where literal.count < Self.shortestLiteral:
        try split(literal, local, tail, of: pattern, into: &heads)
        local.insert(node, at: 0)
      case .choice, .repetition, .begin:
        local.insert(node, at: 0)
        return try finish()
      }
    }
    try finish()
  }

  private func lowercase(_ byte: UInt8) -> UInt8 {
    (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) ? byte | 0x20 : byte
  }

  private mutating func compile(
    _ nodes: [SecretPattern.Node], to next: UInt32, limit: Int
  ) throws(EvidenceError) -> UInt32 {
    var next = next
    for node in nodes.reversed() { next = try compile(node, to: next, limit: limit) }
    return next
  }

  /// - Parameter limit: Number of steps that other rules have.
  /// - Returns: The step to begin with.
  private mutating func compile(
    _ node: SecretPattern.Node, to next: UInt32, limit: Int
  ) throws(EvidenceError) -> UInt32 {
    guard steps.count - limit <= Self.mostSteps else {
      throw EvidenceError.invalidPattern(
        "it is too large; use smaller numbers of repetitions")
    }
    let split = UInt32(CARREL_SCAN_SPLIT.rawValue)
    switch node {
    case .set(let set):
      return add(UInt32(CARREL_SCAN_SET.rawValue), set: number(of: set), next: next)
    case .begin: return add(UInt32(CARREL_SCAN_BEGIN.rawValue), next: next)
    case .sequence(let nodes): return try compile(nodes, to: next, limit: limit)
    case .choice(let nodes):
      var last = try compile(nodes[nodes.count - 1], to: next, limit: limit)
      for node in nodes.dropLast().reversed() {
        last = add(split, next: try compile(node, to: next, limit: limit), other: last)
      }
      return last
    case .repetition(let node, let least, let most):
      var first = next
      if let most {
        for _ in least..<max(least, most) {
          first = add(split, next: try compile(node, to: first, limit: limit), other: next)
        }
      } else {
        let loop = add(split, other: next)
        steps[Int(loop)].next = try compile(node, to: loop, limit: limit)
        first = loop
      }
      for _ in 0..<least { first = try compile(node, to: first, limit: limit) }
      return first
    }
  }

  private mutating func add(
    _ kind: UInt32, set: UInt32 = 0, next: UInt32 = 0, other: UInt32 = 0
  ) -> UInt32 {
    steps.append(carrel_scan_step(kind: kind, set: set, next: next, other: other))
    return UInt32(steps.count - 1)
  }

  private mutating func number(of set: ByteSet) -> UInt32 {
    if let number = setNumbers[set] { return number }
    sets.append(set)
    setNumbers[set] = UInt32(sets.count - 1)
    return UInt32(sets.count - 1)
  }
}
