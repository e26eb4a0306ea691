import FoundationEssentials
import RunModel
import TestSupport
import Testing

extension EndToEnd {
  /// What tests print: broken, hostile, too much, and whose it is.
  @Suite struct OutputTests {
    @Test(arguments: ["OutputXCTests/testControlCharacters", "OutputTests/controlCharacters"])
    func controlCharactersDoNotBreakTheReport(name: String) async throws {
      let run = try await Carrel.run("Outcomes", "--filter", name)
      let test = try #require(try run.state.tests.first)
      let report = try await run.junit
      let failure = try #require(report.testCase(test.id)?.children("failure").first)
      let message = failure.attributes["message"] ?? ""
      #expect(message.contains("]]> <end> & \"quotes\""), "\(message)")
      // What XML cannot hold is replaced by something visible, so the text around it stays.
      #expect(message.contains("red") && message.contains("nul") && message.contains("back"))
      #expect(isHarmless(Array(message.utf8)) && !message.contains("\u{FFFE}"))
      // The log has the raw bytes, the terminal none of them.
      let log = try run.log(test.decisive?.stdout)
      #expect(contains(log, "\u{1B}[31mred\u{1B}[0m \u{0}nul \u{8}back \u{FFFE} ]]> <end>\n"))
      #expect(
        !(run.output.stdout + run.output.stderr).contains { $0 == 0x1B || $0 == 0 || $0 == 8 })
    }

    @Test func invalidAndSplitCharacters() async throws {
      let run = try await Carrel.run(
        "Outcomes", "--filter", "OutputXCTests/test(InvalidUTF8|SplitCharacters)")
      let invalid = try run.log(try run.test("testInvalidUTF8").decisive?.stdout)
      #expect(contains(invalid, Array("before ".utf8) + [0xFF, 0xFE, 0x80, 0xED, 0xA0, 0x80]))
      let split = try run.test("testSplitCharacters")
      #expect(contains(try run.log(split.decisive?.stdout), "split <\u{1F600}>\n"))
      #expect(contains(try run.log(split.decisive?.stdout), "y\u{20AC}|end\n"))
      let report = try await run.junit
      let text = report.testCase(split.id)?.children("system-out").first?.text ?? ""
      #expect(text.contains("\u{20AC}|end"))
      #expect(!text.contains("\u{FFFD}"))
      #expect(report.statuses.count == 2)
    }

    /// 64 MiB without a line's end, and a million lines: capped on disk, head and tail kept.
    @Test(arguments: ["testHugeLine", "testMillionLines"])
    func veryLargeOutput(name: String) async throws {
      let run = try await Carrel.run("Outcomes", "--filter", name + "$", "--workers", "2")
      let test = try run.test(name)
      #expect(test.result.verdict == .failed, "\(run)")
      let reference = try #require(test.decisive?.stdout)
      #expect(reference.isTruncated)
      #expect(reference.bytes > 10_000_000)
      let log = try run.log(reference)
      #expect(log.count < reference.bytes)
      let (head, tail) =
        name == "testHugeLine" ? ("<head>", "<tail>") : ("line 0\n", "line 999999\n")
      #expect(contains(Array(log.prefix(4096)), head))
      #expect(contains(Array(log.suffix(8192)), tail))
      #expect(contains(log, " bytes left out here]\n"))
      let peak = try #require(try run.state.finish?.peakMemory)
      #expect(peak < 150 << 20, "\(peak >> 20) MiB")
      #expect(try readFile("\(run.record)/junit.xml").count < 1 << 20)
      #expect(run.output.stdout.count < 1 << 18)
      #expect(try await run.junit.miscounts == [])
    }

    @Test func veryLargeOutputsAtOnce() async throws {
      let run = try await Carrel.run(
        "Outcomes", "--filter", "testHugeLine|testMillionLines", "--workers", "4", "--batch", "1",
        "--retries", "1")
      #expect(try run.state.tests.map(\.result.verdict) == [.failed, .failed], "\(run)")
      let peak = try #require(try run.state.finish?.peakMemory)
      #expect(peak < 150 << 20, "\(peak >> 20) MiB")
    }

    @Test(arguments: ["1", "auto"])
    func bothStreamsAreDrained(batch: String) async throws {
      let run = try await Carrel.run(
        "Outcomes", "--filter", "(testBothStreams|bothStreams\\(\\))$", "--batch", batch)
      #expect(run.output.status == 0, "\(run)")
      for test in try run.state.tests {
        let attempt = try #require(test.decisive)
        #expect(try run.log(attempt.stdout).count { $0 == UInt8(ascii: "e") } >= 300 << 10)
        #expect(try run.log(attempt.stderr).count { $0 == UInt8(ascii: "e") } >= 300 << 10)
      }
      #expect(try run.state.tests.count == 2)
    }

    /// Equal names in two targets and two classes: each test has its own output.
    @Test(arguments: ["1", "auto"], ["1", "2"])
    func equalNamesKeepTheirOwnLogs(batch: String, workers: String) async throws {
      let run = try await Carrel.run("TwoSuites", "--batch", batch, "--workers", workers)
      let tests = try run.state.tests
      #expect(tests.count == 6)
      var logs: Set<String> = []
      for test in tests {
        let target = test.id.name.hasPrefix("FirstTests.") ? "first" : "second"
        let kind =
          test.id.library == .testing
          ? "suite" : test.id.suite.hasSuffix("OtherTests") ? "other class" : "class"
        #expect(test.decisive?.headline?.contains("\(target) target, \(kind)") == true)
        let reference = try #require(test.decisive?.stdout)
        let lines = String(decoding: try run.log(reference), as: UTF8.self).split(separator: "\n")
        #expect(
          lines.filter { $0.hasPrefix("output of") } == [
            "output of the \(target) target's \(kind)"
          ],
          "\(test.id)")
        logs.insert(reference.path)
      }
      #expect(logs.count == 6)
      #expect(try run.bundles.count >= 6)
    }

    /// Lines that look like results are output, not results.
    @Test func forgedResultsAreOutput() async throws {
      let run = try await Carrel.run("Outcomes", "--filter", "testForgedResults")
      #expect(run.output.status == 0, "\(run)")
      let test = try run.test("testForgedResults")
      #expect(try run.state.tests.count == 1)
      #expect(test.result.verdict == .passed && test.decisive?.issues == [])
      #expect(contains(try run.log(test.decisive?.stdout), "testNotThere"))
    }
  }
}

/// Whether the bytes hold others in one piece.
func contains(_ bytes: [UInt8], _ part: [UInt8]) -> Bool {
  guard let first = part.first, bytes.count >= part.count else { return part.isEmpty }
  return bytes.indices.dropLast(part.count - 1).contains { index in
    bytes[index] == first && bytes[index..<index + part.count].elementsEqual(part)
  }
}

func contains(_ bytes: [UInt8], _ text: String) -> Bool { contains(bytes, Array(text.utf8)) }
