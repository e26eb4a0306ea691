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
    let root = try StrictXML.parse(JUnitReport.render(run.state, logText: { _ in output }))
    let testCase = try #require(root.all("testsuite").first?.all("testcase").first)
    let text = try #require(testCase.all("system-out").first?.text)
    #expect(text.utf8.count < 66 * 1024)
    #expect(text.hasSuffix("line 19999\n"))
    let mark = text.split(separator: "\n")[1]
    #expect(mark.hasPrefix("[shortened: the last "))
    #expect(mark.hasSuffix(" of 67108864 bytes; log: logs/out]"))
    #expect(text.split(separator: "\n")[2].hasPrefix("line "))
  }

  @Test func longLineIsCutBetweenCharacters() throws {
    let output = String(repeating: "🦊", count: 40_000) + "x"
    let run = failing(1, bytes: output.utf8.count)
    let text = JUnitReport.render(run.state, logText: { _ in output })
    _ = try StrictXML.parse(text)
    #expect(!text.contains("\u{FFFD}"))
    #expect(text.utf8.count < 140 * 1024)
  }

  @Test func manyFailuresShareTheReport() throws {
    let output = String(repeating: "x", count: 200_000)
    let run = failing(300, bytes: output.utf8.count)
    var options = JUnitReport.Options()
    options.reportLimit = 1 << 20
    let text = JUnitReport.render(run.state, options: options, logText: { _ in output })
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
