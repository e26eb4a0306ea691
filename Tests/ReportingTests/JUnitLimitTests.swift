import Reporting
import RunModel
import Testing

/// Sizes stay bounded whatever tests print.
@Suite struct JUnitLimitTests {
  private func failing(_ count: Int, bytes: Int) -> SampleRun {
    var run = SampleRun()
    for index in 0..<count {
      run.run(SampleRun.id("M.S/f\(index)()"), .failed) {
        $0.issues = [issue("wrong")]
        $0.stdout = log("out", bytes: bytes)
        $0.stderr = log("err", bytes: bytes)
      }
    }
    return run
  }

  @Test func endOfALongOutputIsKept() throws {
    let output = (0..<20_000).map { "line \($0)\n" }.joined()
    let run = failing(1, bytes: 64 << 20)
    let report = JUnitReport.render(run.state, logText: { _ in LogEnd(whole: output) })
    let root = try StrictXML.parse(report)
    let testCase = try #require(root.all("testsuite").first?.all("testcase").first)
    let text = try #require(testCase.all("system-out").first?.text)
    #expect(text.utf8.count < 66 * 1024)
    #expect(text.hasSuffix("line 19999\n"))
    let mark = text.split(separator: "\n")[1]
    #expect(mark.hasPrefix("[shortened: the last "))
    #expect(mark.hasSuffix(" of 67108864 bytes; log: logs/out]"))
    #expect(text.split(separator: "\n")[2].hasPrefix("line "))
  }

  /// A reader of logs hands over their end only; what is missing before it is told, also when bytes
  /// that are no UTF-8 made the text longer than the log.
  @Test(arguments: [UInt8(ascii: "x"), 0xFF])
  func theEndOfALogSaysThatItIsNotAll(byte: UInt8) throws {
    let line = [UInt8](repeating: byte, count: 99) + [10]
    let log = (0..<1000).flatMap { _ in line }
    let run = failing(1, bytes: log.count)
    let end = LogEnd(log.suffix(65_536), isWhole: false)
    var options = JUnitReport.Options()
    options.streamLimit = 1 << 20
    let text = JUnitReport.render(run.state, options: options, logText: { _ in end })
    let root = try StrictXML.parse(text)
    let testCase = try #require(root.all("testsuite").first?.all("testcase").first)
    for name in ["system-out", "system-err"] {
      let lines = try #require(testCase.all(name).first).text.split(separator: "\n")
        .filter { !$0.hasPrefix("[[ATTACHMENT") }
      let file = name == "system-out" ? "out" : "err"
      #expect(lines[0] == "[shortened: the last 65500 of 100000 bytes; log: logs/\(file)]")
      #expect(lines.count == 656)
      let wanted = String(decoding: line.dropLast(), as: UTF8.self)
      #expect(lines[1] == wanted[...], "the text begins with a whole line")
    }
  }

  @Test func longLineIsCutBetweenCharacters() throws {
    let output = String(repeating: "🦊", count: 40_000) + "x"
    let run = failing(1, bytes: output.utf8.count)
    let text = JUnitReport.render(run.state, logText: { _ in LogEnd(whole: output) })
    _ = try StrictXML.parse(text)
    #expect(!text.contains("\u{FFFD}"))
    #expect(text.utf8.count < 140 * 1024)
  }

  @Test func manyFailuresShareTheReport() throws {
    let output = String(repeating: "x", count: 200_000)
    let run = failing(300, bytes: output.utf8.count)
    var options = JUnitReport.Options()
    options.reportLimit = 1 << 20
    let text = JUnitReport.render(
      run.state, options: options, logText: { _ in LogEnd(whole: output) })
    #expect(text.utf8.count < 1 << 20)
    let root = try StrictXML.parse(text)
    #expect(root.number("failures") == 300)
  }

  @Test func longMessagesAndManyCasesAreCut() throws {
    var run = SampleRun()
    run.run(SampleRun.id("M.S/f()"), .failed) {
      $0.issues = [issue(String(repeating: "ü", count: 1 << 20))]
      $0.cases = (0..<100_000).map { TestCaseResult(name: "\($0)", verdict: .failed) }
    }
    let text = JUnitReport.render(run.state, logText: { _ in nil })
    _ = try StrictXML.parse(text)
    #expect(text.utf8.count < 80 * 1024)
  }
}
