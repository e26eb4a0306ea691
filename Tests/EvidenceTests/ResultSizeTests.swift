import RunModel
import Testing

@testable import Evidence

/// Whatever a test says, what is written can be read.
@Suite struct ResultSizeTests {
  /// Control characters: JSON takes six bytes for each.
  private static func worst(_ bytes: Int) -> String { String(repeating: "\u{1}", count: bytes) }

  /// A result that is as large as one can be.
  private static func largest(messages: Int) -> AttemptResult {
    let limits = ResultLimits.standard
    let location = SourceLocation(file: worst(1 << 20), line: .max, column: .max)
    let issue = TestIssue(message: worst(messages), location: location, caseName: worst(1 << 20))
    let warning = TestIssue(message: worst(messages), severity: .warning)
    let leak = LeakedProcess(pid: .max, command: worst(128))
    let name = worst(limits.caseBytes / limits.cases)
    return AttemptResult(
      test: TestID(product: "P", library: .testing, name: worst(4096)), attempt: .max,
      purpose: .companyCheck, batch: .max, worker: .max, verdict: .interrupted,
      reason: worst(1 << 20),
      skip: Skip(kind: .noArguments, reason: worst(1 << 20), location: location),
      issues: Array(repeating: warning, count: 5000) + [issue, issue],
      cases: Array(
        repeating: TestCaseResult(name: name, verdict: .failed, duration: 1.0 / 3), count: 5000),
      end: .signaled(9), startedAt: 1.0 / 3, duration: 1.0 / 3,
      leaks: Array(repeating: leak, count: 5000))
  }

  @Test(arguments: [1 << 20, 1000, 1])
  func theLargestResultIsReadable(messages: Int) throws {
    let result = Self.largest(messages: messages)
    let omitted = try #require(result.omitted)
    #expect(omitted.issues > 0 && omitted.cases > 0 && omitted.leaks > 0)
    let line = try encodedJSON(RunEvent(time: 1.0 / 3, .attemptFinished(result)))
    #expect(line.count < LineReader.maxLineBytes)
    let quotes = String(repeating: "\"\\", count: 50)
    let before = (0..<50_000).map {
      TestID(product: "P", library: .testing, name: "`\(quotes)\($0)`")
    }
    let manifest = BundleManifest(
      carrel: "0.1.0", runID: "r", attempt: result,
      predecessors: ResultLimits.standard.nearest(before[...]), package: "p", toolchain: "t",
      runtime: "r", hostName: "h", fixtureToken: "f", isolation: "i", timeLimit: 1)
    let bytes = try encodedJSON(manifest, pretty: true)
    #expect(bytes.count < BundleLimits().manifestBytes)
    #expect(try decodedJSON(BundleManifest.self, from: bytes) == manifest)
  }
}
