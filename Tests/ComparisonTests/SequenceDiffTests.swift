import TestSupport
import Testing

@testable import Comparison

/// The smallest set of changes, its bound, and that both directions agree.
@Suite struct SequenceDiffTests {
  private func changes(_ a: String, _ b: String) -> [String] {
    SequenceDiff(Array(a), Array(b)).changes.map { change in
      "\(change.left.lowerBound)-\(change.left.upperBound)|"
        + "\(change.right.lowerBound)-\(change.right.upperBound)"
    }
  }

  @Test func findsWhatWasPutInTakenOutAndReplaced() {
    #expect(changes("", "") == [])
    #expect(changes("abc", "abc") == [])
    #expect(changes("", "ab") == ["0-0|0-2"])
    #expect(changes("abc", "ac") == ["1-2|1-1"])
    #expect(changes("ac", "abc") == ["1-1|1-2"])
    #expect(changes("abc", "axc") == ["1-2|1-2"])
    #expect(changes("abcd", "wxyz") == ["0-4|0-4"])
    #expect(changes("abcabba", "cbabac").count > 1)
  }

  /// The length of a longest common subsequence, by the table.
  private func common(_ a: [Int], _ b: [Int]) -> Int {
    var previous = [Int](repeating: 0, count: b.count + 1)
    for x in a {
      var row = [0]
      for (index, y) in b.enumerated() {
        row.append(x == y ? previous[index] + 1 : max(previous[index + 1], row[index]))
      }
      previous = row
    }
    return previous.last ?? 0
  }

  /// What the changes make of the first sequence.
  private func applied(_ diff: SequenceDiff, _ a: [Int], _ b: [Int]) -> [Int] {
    var result: [Int] = []
    var position = 0
    for change in diff.changes {
      result += a[position..<change.left.lowerBound]
      result += b[change.right]
      position = change.left.upperBound
    }
    return result + a[position...]
  }

  private func random(_ generator: inout SeededGenerator) -> [Int] {
    let kinds = Int.random(in: 1...8, using: &generator)
    return (0..<Int.random(in: 0...40, using: &generator)).map { _ in
      Int.random(in: 0..<kinds, using: &generator)
    }
  }

  @Test func isSmallestAndTheMirrorOfTheOtherDirection() {
    var generator = SeededGenerator(seed: 11)
    for _ in 0..<2000 {
      let (a, b) = (random(&generator), random(&generator))
      let diff = SequenceDiff(a, b)
      #expect(applied(diff, a, b) == b, "\(a) \(b)")
      let changed = diff.changes.reduce(0) { $0 + $1.left.count + $1.right.count }
      #expect(diff.isMinimal && changed == a.count + b.count - 2 * common(a, b), "\(a) \(b)")
      let mirror = SequenceDiff(b, a).changes.map {
        SequenceDiff.Change(left: $0.right, right: $0.left)
      }
      #expect(mirror == diff.changes, "\(a) \(b)")
      #expect(SequenceDiff(a, a).isEmpty)
    }
  }

  /// With few steps the changes are more, but still make one of the other.
  @Test(arguments: [0, 1, 5, 30, 200]) func isRightWithFewSteps(steps: Int) {
    var generator = SeededGenerator(seed: steps)
    var isShortened = false
    for _ in 0..<500 {
      let (a, b) = (random(&generator) + random(&generator), random(&generator))
      let diff = SequenceDiff(a, b, steps: steps)
      #expect(applied(diff, a, b) == b, "\(a) \(b)")
      let mirror = SequenceDiff(b, a, steps: steps)
      #expect(mirror.changes.map(\.left) == diff.changes.map(\.right))
      isShortened = isShortened || !diff.isMinimal
    }
    #expect(isShortened)
  }

  /// What both have once still divides them when the steps are used up.
  @Test func usesUniqueElementsWhenTheStepsAreUsedUp() {
    let noise = (0..<100).map { $0 % 7 }
    let a = noise + [1000] + noise.reversed() + [1001] + noise
    let b = noise.reversed() + [1000] + noise + [1001] + noise.reversed()
    let diff = SequenceDiff(a, b, steps: 1)
    #expect(applied(diff, a, b) == b)
    #expect(!diff.isMinimal)
    #expect(!diff.changes.contains { $0.left.contains(100) || $0.left.contains(201) })
  }
}
