import FoundationEssentials
import RunModel
import TestSupport
import Testing
import Workers

@testable import SwiftTests

/// What is kept of tests that say very much.
@Suite struct TranscriptLimitTests {
  private static let test = TestID(product: "P", library: .testing, name: "M.f(_:)")
  private let limits = ResultLimits.standard

  private struct Event: Encodable {
    struct Payload: Encodable {
      struct Message: Encodable { var text: String }
      struct Issue: Encodable { var isKnown = false }
      struct Case: Encodable { var displayName: String }
      var kind: String
      var testID: String? = "M.f(_:)"
      var messages: [Message]?
      var issue: Issue?
      var _testCase: Case?
    }
    var kind = "event"
    var payload: Payload
  }

  /// Feeds events in pieces of a size that hits every place sooner or later.
  private func outcome(_ payloads: [Event.Payload], piece: Int = 65_521) throws -> TestOutcome? {
    var transcript = BatchTranscript(tests: [TestDescriptor(id: Self.test)], nonce: "n")
    let begin = Event.Payload(kind: "testStarted")
    let end = [Event.Payload(kind: "testEnded"), Event.Payload(kind: "runEnded", testID: nil)]
    var bytes: [UInt8] = []
    for payload in [begin] + payloads + end {
      bytes += Array(try JSONEncoder().encode(Event(payload: payload))) + [10]
    }
    bytes.withUnsafeBytes { all in
      for start in stride(from: 0, to: all.count, by: piece) {
        let end = min(start + piece, all.count)
        _ = transcript.feed(.channel, UnsafeRawBufferPointer(rebasing: all[start..<end]))
      }
    }
    let conclusion = transcript.conclude(end: .exited(1), intervention: nil, leaks: [])
    return conclusion.events.lazy.compactMap {
      if case .finished(_, let outcome) = $0 { outcome } else { nil }
    }.first
  }

  private func issue(_ messages: String..., name: String? = nil) -> Event.Payload {
    Event.Payload(
      kind: "issueRecorded", messages: messages.map { .init(text: $0) }, issue: .init(),
      _testCase: name.map { .init(displayName: $0) })
  }

  @Test(arguments: ["x", "\u{1}\"\\/\n", "é🦊"])
  func aHugeMessageKeepsBothEnds(unit: String) throws {
    let huge = "START" + String(repeating: unit, count: (3 << 20) / unit.utf8.count) + "END"
    let outcome = try #require(try outcome([issue(huge, "a comment")]))
    #expect(outcome.verdict == .failed)
    let message = try #require(outcome.issues.first?.message)
    #expect(message.utf8.count <= limits.messageBytes)
    #expect(message.hasPrefix("START" + unit) && message.hasSuffix(unit + "END\na comment"))
    let mark = try #require(message.firstMatch(of: #/\n\[carrel: (\d+) bytes left out here\]\n/#))
    let kept = message.utf8.count - mark.output.0.utf8.count
    #expect(Int(mark.output.1) == huge.utf8.count + "\na comment".utf8.count - kept)
    #expect(!message.contains("\u{FFFD}"))
  }

  @Test func issuesAndCasesAreCounted() throws {
    var payloads: [Event.Payload] = []
    for number in 0..<2500 {
      let name = "case \(number)"
      payloads.append(
        Event.Payload(kind: "testCaseStarted", _testCase: .init(displayName: name)))
      if number >= 1000 { payloads.append(issue("wrong", name: name)) }
      payloads.append(Event.Payload(kind: "testCaseEnded", _testCase: .init(displayName: name)))
    }
    let outcome = try #require(try outcome(payloads))
    #expect(outcome.issues.count == limits.issues)
    #expect(outcome.cases.count == 2 * limits.cases)
    #expect(outcome.omitted == OmittedCounts(issues: 500, cases: 500, failedCases: 500))
  }

  /// Two cases can have one name; only the one that recorded the issue fails.
  @Test func aCaseIsChargedWithItsOwnIssues() throws {
    let started = Event.Payload(kind: "testCaseStarted", _testCase: .init(displayName: "1"))
    let ended = Event.Payload(kind: "testCaseEnded", _testCase: .init(displayName: "1"))
    let outcome = try outcome([started, issue("wrong", name: "1"), ended, started, ended])
    #expect(outcome?.cases.map(\.verdict) == [.failed, .passed])
  }

  /// Names that are canonically equivalent are names of two tests.
  @Test func equivalentNamesAreTwoTests() throws {
    let tests = ["M.caf\u{E9}()", "M.cafe\u{301}()"].map {
      TestID(product: "P", library: .testing, name: $0)
    }
    var transcript = BatchTranscript(tests: tests.map { TestDescriptor(id: $0) }, nonce: "n")
    var events: [BatchTranscript.Event] = []
    for (test, kinds) in [
      (tests[0], ["testStarted", "issueRecorded", "testEnded"]),
      (tests[1], ["testStarted", "testEnded", "runEnded"]),
    ] {
      for kind in kinds {
        let issue = kind == "issueRecorded" ? Event.Payload.Issue() : nil
        let event = Event(payload: Event.Payload(kind: kind, testID: test.name, issue: issue))
        let line = Array(try JSONEncoder().encode(event)) + [10]
        events += line.withUnsafeBytes { transcript.feed(.channel, $0) }
      }
    }
    let end = transcript.conclude(end: .exited(1), intervention: nil, leaks: [])
    var verdicts: [TestID: Verdict] = [:]
    for case .finished(let test, let outcome) in events + end.events {
      verdicts[test] = outcome.verdict
    }
    #expect(verdicts == [tests[0]: .failed, tests[1]: .passed])
    #expect(end.isClean)
  }

  /// The strings of a long line that are not too long come through as they are.
  @Test(arguments: 0..<50 as Range<UInt64>)
  func longLinesMeanTheSame(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let characters = ["\"", "\\", "\n", "\u{1}", "/", "é", "🦊", "a", "\u{7F}", "\u{2028}", "{"]
    var value = ["filler": String(repeating: "x", count: ChannelLines.plainLimit)]
    for number in 0..<10 {
      let length = Int.random(in: 0..<200, using: &random)
      value["key\(number)\""] = (0..<length).map { _ in
        characters[Int.random(in: 0..<characters.count, using: &random)]
      }.joined()
    }
    let line = Array(try JSONEncoder().encode(value)) + [10]
    let piece = Int.random(in: 1..<100_000, using: &random)
    var lines = ChannelLines()
    var found: [[UInt8]] = []
    (Array("first\n".utf8) + line + Array("last\n".utf8)).withUnsafeBytes { all in
      for start in stride(from: 0, to: all.count, by: piece) {
        let end = min(start + piece, all.count)
        lines.feed(UnsafeRawBufferPointer(rebasing: all[start..<end])) { line in
          found.append(line.map { Array($0) } ?? [])
        }
      }
    }
    try #require(found.count == 3)
    #expect(found[0] == Array("first".utf8) && found[2] == Array("last".utf8))
    var decoded = try JSONDecoder().decode([String: String].self, from: Data(found[1]))
    let filler = decoded.removeValue(forKey: "filler") ?? ""
    value["filler"] = nil
    #expect(decoded == value)
    #expect(filler.utf8.count < limits.messageBytes + 64)
  }
}
