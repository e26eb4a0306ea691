import Reporting
import RunModel
import Testing

@Suite struct ProgressLineTests {
  static let console = ConsoleReport(
    style: ConsoleReport.Style(), tests: [], packagePath: nil, runFolder: "")
  static let progress = ConsoleReport.Progress(
    finished: 17, total: 120, failed: 2,
    running: [
      (SampleRun.id("NotesTests.Notes/quick()"), 0.25),
      (SampleRun.id("NotesTests.Notes/`日本語のテスト 🦊 é`()"), 75),
      (SampleRun.id("NotesTests.NoteTests/testMiddle", library: .xctest), 3),
    ], elapsed: 81.4)

  @Test func widths() throws {
    var text = ""
    for width in [200, 120, 100, 80, 60, 40, 30, 20, 10, 1] {
      text += "\(width): \(Self.console.progressLine(Self.progress, width: width))\n"
    }
    text += Self.console.slowLine(SampleRun.id("M.f()"), seconds: 60) + "\n"
    try expectSnapshot(text, "progress.txt")
  }

  /// Columns by a rule of the test's own, for the characters that the names above have.
  private func columns(_ line: String) -> Int {
    line.reduce(0) { sum, character in
      let value = character.unicodeScalars.first?.value ?? 0
      return sum + ((0x3000...0x9FFF).contains(value) || value > 0xFFFF ? 2 : 1)
    }
  }

  @Test(arguments: 1...220)
  func lineFits(width: Int) {
    let line = Self.console.progressLine(Self.progress, width: width)
    #expect(columns(line) <= width)
    #expect(!line.contains("\n"))
  }

  @Test func longestRunningComesFirst() throws {
    let line = Self.console.progressLine(Self.progress, width: 220)
    let ages = ["1 min 15 s", " 3.0 s", " 0.3 s"]
    let places = try ages.map { try #require(line.firstRange(of: $0)).lowerBound }
    #expect(places == places.sorted())
  }

  @Test func nothingRunning() {
    let progress = ConsoleReport.Progress(
      finished: 0, total: 3, failed: 0, running: [], elapsed: 0)
    #expect(Self.console.progressLine(progress, width: 80) == "0/3, 0.0 s")
  }

  @Test func colourTakesNoColumns() {
    var coloured = Self.console
    coloured.style.isColored = true
    let line = coloured.progressLine(Self.progress, width: 100)
    let plain = Self.console.progressLine(Self.progress, width: 100)
    #expect(line.contains("\u{1B}[1;31m2 not ok\u{1B}[0m"))
    #expect(line.utf8.count == plain.utf8.count + 11)
  }
}
