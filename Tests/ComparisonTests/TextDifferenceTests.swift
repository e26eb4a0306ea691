import Testing

@testable import Comparison

@Suite struct TextDifferenceTests {
  private func difference(_ a: String, _ b: String) throws -> TextDifference {
    try #require(TextDifference(Array(a.utf8), Array(b.utf8)))
  }

  @Test func equalTextsHaveNone() {
    #expect(TextDifference([], []) == nil)
    #expect(TextDifference(Array("a\n".utf8), Array("a\n".utf8)) == nil)
  }

  /// The form is that of `diff -u`.
  @Test func hunksAreThoseOfUnifiedDiff() throws {
    let a = (1...20).map { "line \($0)\n" }.joined()
    let b = a.replacing("line 5\n", with: "fifth\n").replacing("line 18\n", with: "")
    let text = try difference(a, b)
    #expect(text.removed == 2 && text.added == 1 && text.isMinimal)
    #expect(text.hunks.count == 2)
    #expect(
      text.hunks[0].lines == [
        " line 2", " line 3", " line 4", "-line 5", "+fifth", " line 6", " line 7", " line 8",
      ])
    let first = text.hunks[0]
    #expect([first.aStart, first.aCount, first.bStart, first.bCount] == [2, 7, 2, 7])
    let second = text.hunks[1]
    #expect([second.aStart, second.aCount, second.bStart, second.bCount] == [15, 6, 15, 5])
    #expect(second.lines.last == " line 20")
  }

  @Test func changesWithNearContextAreOneHunk() throws {
    let a = (1...20).map { "\($0)\n" }.joined()
    func hunks(_ second: Int) throws -> Int {
      let lines = (1...20).map { [5, second].contains($0) ? "x\n" : "\($0)\n" }
      return try difference(a, lines.joined()).hunks.count
    }
    #expect(try hunks(12) == 1)
    #expect(try hunks(13) == 2)
  }

  @Test func emptyTextBeginsBeforeItsFirstLine() throws {
    let hunk = try #require(try difference("", "a\nb\n").hunks.first)
    #expect([hunk.aStart, hunk.aCount, hunk.bStart, hunk.bCount] == [0, 0, 1, 2])
    #expect(hunk.lines == ["+a", "+b"])
  }

  @Test func aMissingNewlineIsADifference() throws {
    let text = try difference("a\nb", "a\nb\n")
    #expect(text.hunks[0].lines == [" a", "-b", "\\ no newline at the end", "+b"])
  }

  /// No byte of a text drives a terminal, and none is lost.
  @Test func hiddenBytesAreVisible() throws {
    let a: [UInt8] = Array("\u{1B}[2J\u{202E}x\t".utf8) + [0xFF, 0xC3, 10]
    let text = try #require(TextDifference(a, Array("\r\n".utf8)))
    #expect(text.hunks[0].lines == ["-\\u{1B}[2J\\u{202E}x\t\\xff\\xc3", "+\\u{D}"])
  }

  /// Two logs of the greatest size that have nothing in common, and two that have all lines in
  /// common in another order: the work is bounded.
  @Test(.timeLimit(.minutes(10))) func largeTextsThatDifferEverywhere() throws {
    let count = (2 << 20) / 16
    func text(_ line: (Int) -> String) -> [UInt8] { (0..<count).flatMap { line($0).utf8 } }
    func number(_ value: Int) -> String {
      String(String(value + 1_000_000_000_000).dropFirst())
    }
    let a = text { "a \(number($0)) \n" }
    let b = text { "b \(number($0)) \n" }
    #expect(a.count == 2 << 20)
    let nothing = try #require(TextDifference(a, b))
    #expect(nothing.removed == count && nothing.added == count && nothing.isMinimal)
    #expect(nothing.hunks.count == 1)
    let shuffled = text { "a \(number($0 * 7919 % count)) \n" }
    let mixed = try #require(TextDifference(a, shuffled))
    #expect(mixed.removed == mixed.added && mixed.removed < count)
    let few = try #require(
      TextDifference(text { "x \(number($0 % 5)) \n" }, text { "x \(number($0 * $0 % 7)) \n" }))
    #expect(few.removed > 0)
  }
}
