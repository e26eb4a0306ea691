import Testing

@testable import Comparison

@Suite struct DiffReportTests {
  @Test func everyKindOfDifference() throws {
    try expectSnapshot(DiffReport(SampleDiff.different).text, "diff.txt")
  }

  @Test func inColour() throws {
    try expectSnapshot(
      DiffReport(SampleDiff.different, style: .init(isColored: true)).text, "diff-colour.txt")
  }

  @Test func theSummaryAlone() throws {
    try expectSnapshot(
      DiffReport(SampleDiff.different, style: .init(isSummary: true)).text, "diff-stat.txt")
  }

  @Test func nothingDiffers() throws {
    try expectSnapshot(DiffReport(SampleDiff.equal).text, "same.txt")
  }

  /// Names, messages and texts come from tests; none of them drives the terminal.
  @Test func nothingDrivesTheTerminal() {
    let isHarmless = DiffReport(SampleDiff.different).text.unicodeScalars.allSatisfy {
      $0 == "\n" || ($0.value >= 0x20 && $0.value != 0x7F && !(0x202A...0x202E).contains($0.value))
    }
    #expect(isHarmless)
  }

  @Test func longListsAndTextsAreCut() throws {
    var diff = SampleDiff.different
    let a = (0..<50).map { "a\($0)\n" }.joined()
    let b = (0..<50).map { "b\($0)\n" }.joined()
    diff.parts = Array(diff.parts.filter { $0.part == .logs })
    diff.parts[0].files = [
      SampleDiff.file(
        "logs/stdout.log", SampleDiff.facts(1, "a"), SampleDiff.facts(1, "b"),
        text: SampleDiff.text(a, b))
    ]
    let short = DiffReport(diff, style: .init(lines: 10)).text
    #expect(short.contains("-a9\n… 90 more lines; --all prints them"), "\(short)")
    #expect(!short.contains("-a10"))
    let whole = DiffReport(diff, style: .init(lines: nil)).text
    #expect(whole.contains("+b49") && !whole.contains("more lines"))
  }

  /// Of long lines the place is shown where they begin to differ.
  @Test func longLinesAreCutWhereTheyDiffer() {
    let text = DiffReport(SampleDiff.different).text
    #expect(text.contains("one\n") && text.contains("two\n"))
    #expect(text.split(separator: "\n").allSatisfy { $0.count < 600 })
  }
}
