import RunModel
import Testing
import Workers

@testable import SwiftTests

/// A part of the channel is unreadable, or the records do not fit together.
@Suite struct DoubtTests {
  static let issue = ",\"issue\":{\"isKnown\":false,\"severity\":\"error\"}"

  /// The record of a failure is lost, and another test's failure explains the status.
  @Test(arguments: ["garbage\n", "{\"k\":\"start\"}\n", "[1]\n", "\u{0}\n"])
  func unreadableLineTakesTheSuccessFromTheRunningTest(line: String) {
    var script = Script(testing: "M.a()", "M.b()", "M.c()")
    script.stream("testStarted", "M.a()")
    script.send(.channel, line)
    script.stream("testEnded", "M.a()", symbol: "pass")
    script.stream("testStarted", "M.b()")
    script.stream("issueRecorded", "M.b()", Self.issue)
    script.stream("testEnded", "M.b()", symbol: "fail")
    script.stream("testStarted", "M.c()")
    script.stream("testEnded", "M.c()", symbol: "pass")
    script.stream("runEnded", nil)
    let result = script.conclude(.exited(1))
    #expect(
      result.outcomes.mapValues(\.verdict) == [
        "M.a()": .lost, "M.b()": .failed, "M.c()": .passed,
      ])
    #expect(result.outcomes["M.a()"]?.reason?.contains("no record") == true)
  }

  @Test func failureThatWasTooLongIsAFailure() {
    var script = Script(testing: "M.a()", "M.b()", lineLimit: 1000)
    script.stream("testStarted", "M.a()")
    script.stream(
      "issueRecorded", "M.a()",
      Self.issue + ",\"x\":\"" + String(repeating: "x", count: 3000) + "\"")
    script.stream("testEnded", "M.a()", symbol: "fail")
    script.stream("testStarted", "M.b()")
    script.stream("testEnded", "M.b()", symbol: "pass")
    script.stream("runEnded", nil)
    let result = script.conclude(.exited(1))
    #expect(result.outcomes.mapValues(\.verdict) == ["M.a()": .failed, "M.b()": .passed])
    #expect(result.outcomes["M.a()"]?.issues.first?.message.contains("dropped") == true)
    #expect(result.isClean)
  }

  @Test(arguments: [("fail", Verdict.failed), ("passWithKnownIssue", .lost), ("skip", .lost)])
  func theLibrarysOwnWordCounts(symbol: String, verdict: Verdict) {
    var script = Script(testing: "M.a()")
    script.stream("testStarted", "M.a()")
    script.stream("testEnded", "M.a()", symbol: symbol)
    script.stream("runEnded", nil)
    let result = script.conclude(.exited(symbol == "fail" ? 1 : 0))
    #expect(result.outcomes["M.a()"]?.verdict == verdict)
    #expect(result.outcomes["M.a()"]?.issues.isEmpty == (verdict != .failed))
  }

  @Test func failureOfXCTestWithoutAnIssueIsAFailure() {
    var script = Script(xctest: "M.C/a")
    script.start("M.C/a")
    script.end("M.C/a", ok: false)
    script.close()
    let outcome = script.conclude(.exited(1)).outcomes["M.C/a"]
    #expect(outcome?.verdict == .failed)
    #expect(outcome?.issues.first?.message.contains("XCTest says that the test failed") == true)
  }

  /// Garbage without a line's end swallows the record of the test's end.
  @Test func testWhoseEndWasLostIsReported() {
    var script = Script(xctest: "M.C/a", "M.C/b")
    script.start("M.C/a")
    script.send(.channel, "garbage")
    script.end("M.C/a")
    script.start("M.C/b")
    script.end("M.C/b")
    script.close()
    let result = script.conclude()
    #expect(result.outcomes.mapValues(\.verdict) == ["M.C/a": .lost, "M.C/b": .passed])
  }

  @Test func testWhoseStartWasLostIsReported() {
    var script = Script(xctest: "M.C/a", "M.C/b")
    script.start("M.C/a")
    script.end("M.C/a")
    script.send(.channel, "garbage")
    script.start("M.C/b")
    script.end("M.C/b")
    script.close()
    let result = script.conclude()
    #expect(result.outcomes.mapValues(\.verdict) == ["M.C/a": .lost, "M.C/b": .lost])
    #expect(result.outcomes["M.C/b"]?.reason?.contains("no record") == true)
  }

  @Test func garbageBeforeTheFirstTestIsChargedToIt() {
    var script = Script(xctest: "M.C/a", "M.C/b")
    script.send(.channel, "garbage\n")
    for name in ["M.C/a", "M.C/b"] {
      script.start(name)
      script.end(name)
    }
    script.close()
    let result = script.conclude()
    #expect(result.outcomes.mapValues(\.verdict) == ["M.C/a": .lost, "M.C/b": .passed])
  }

  @Test func lastRecordThatIsCutOffIsNoticed() {
    var script = Script(xctest: "M.C/a")
    script.start("M.C/a")
    script.end("M.C/a")
    script.close()
    script.send(.channel, "{\"k\":\"iss")
    #expect(script.conclude().outcomes["M.C/a"]?.verdict == .lost)
  }

  /// A newer library may send more than is known here.
  @Test func unknownRecordsAndEmptyLinesAreSkipped() {
    var script = Script(testing: "M.a()")
    script.stream("testStarted", "M.a()")
    script.send(.channel, "\n{\"version\":0,\"kind\":\"metadata\",\"payload\":[1]}\n")
    script.send(
      .channel,
      "{\"version\":0,\"kind\":\"event\",\"payload\":{\"kind\":\"valueAttached\",\"issue\":7}}\n")
    script.stream("testEnded", "M.a()", symbol: "pass")
    script.stream("runEnded", nil)
    #expect(script.conclude().outcomes["M.a()"]?.verdict == .passed)
  }

  /// What the observer finds is no failure for the library, so its status stays 0.
  @Test func findingOfTheObserverFailsTheTest() {
    var script = Script(xctest: "M.C/a", "M.C/b")
    script.start("M.C/a")
    script.send(.channel, "{\"k\":\"finding\",\"m\":\"it removed its folder\"}\n")
    script.end("M.C/a")
    script.start("M.C/b")
    script.end("M.C/b")
    script.close()
    let result = script.conclude(.exited(0))
    #expect(result.outcomes.mapValues(\.verdict) == ["M.C/a": .failed, "M.C/b": .passed])
    #expect(result.isClean)
  }

  /// A line that cannot be read may have been that of a test.
  @Test(arguments: [
    "garbage\n", "{\"k\":\"test\"}\n", "{\"k\":\"iss", String(repeating: "x", count: 2000) + "\n",
  ])
  func listingIsNotBelieved(line: String) throws {
    var listing = Listing(
      product: TestProduct(name: "P", executable: "/p"), library: .xctest, lineLimit: 1000)
    let records = "{\"k\":\"hello\"}\n{\"k\":\"closed\",\"executed\":0}\n"
    for text in [records, line] {
      Array(text.utf8).withUnsafeBytes { listing.feed(.channel, $0) }
    }
    #expect(throws: SwiftTestsError.self) { try listing.result(end: .exited(0)) }
  }

  /// A list that somebody wrote can have a name twice, with different bodies.
  @Test(arguments: [true, false]) func testThatRunsTwiceHasOneVerdict(failsFirst: Bool) {
    var script = Script(xctest: "M.C/a", "M.C/b")
    for (name, isFailure) in [("M.C/a", failsFirst), ("M.C/b", false), ("M.C/a", !failsFirst)] {
      script.start(name)
      if isFailure { script.send(.channel, "{\"k\":\"issue\",\"n\":\"M.C/a\",\"m\":\"x\"}\n") }
      script.end(name, ok: !isFailure)
    }
    script.close()
    let result = script.conclude(.exited(1))
    #expect(result.outcomes.mapValues(\.verdict) == ["M.C/a": .failed, "M.C/b": .passed])
    #expect(result.outcomes["M.C/a"]?.issues.map(\.message) == ["x"])
    #expect(result.outcomes["M.C/a"]?.duration == 1)
    #expect(result.isClean)
  }

  /// Crash reports are charged by the process's own clock: what it says can be read much later.
  @Test func startsAreToldByTheProcessesClock() {
    var xctest = Script(xctest: "M.C/a", "M.C/b")
    xctest.send(.channel, "{\"k\":\"suite\",\"n\":\"M.C/a\",\"s\":1,\"w\":9.5}\n")
    xctest.send(.channel, "{\"k\":\"start\",\"n\":\"M.C/a\",\"s\":2,\"w\":10.25}\n")
    xctest.send(.channel, "{\"k\":\"start\",\"n\":\"M.C/b\",\"s\":3}\n")
    let clock = xctest.transcript.startClock.map { ($0.key.name, $0.value) }
    #expect(clock.count == 1 && clock.first?.0 == "M.C/a" && clock.first?.1 == 10.25)
    #expect(xctest.transcript.suiteClock.map(\.value) == [9.5])
    for more in ["", ",\"x\":\"\\u0041\""] {
      var testing = Script(testing: "M.a()")
      testing.send(
        .channel,
        "{\"kind\":\"event\",\"payload\":{\"instant\":{\"absolute\":5,\"since1970\":77.5},"
          + "\"kind\":\"testStarted\",\"messages\":[],\"testID\":\"M.a()/F.swift:1:1\"\(more)},"
          + "\"version\":0}\n")
      #expect(testing.transcript.startClock.map(\.value) == [77.5])
    }
  }
}
