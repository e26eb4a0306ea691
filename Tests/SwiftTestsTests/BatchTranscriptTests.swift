import RunModel
import SwiftTests
import Testing
import Workers

@Suite struct XCTestTranscriptTests {
  @Test func aPassNeedsFinishRecordClosingRecordAndStatus() {
    var script = Script(xctest: "M.C/a", "M.C/b")
    for name in ["M.C/a", "M.C/b"] {
      script.start(name)
      script.end(name)
    }
    script.close()
    let result = script.conclude()
    #expect(result.outcomes.mapValues(\.verdict) == ["M.C/a": .passed, "M.C/b": .passed])
    #expect(result.outcomes["M.C/a"]?.duration == 0.5)
    #expect(result.unstarted.isEmpty && result.isClean)
  }

  @Test func outputBelongsToTheTestThatRanWhateverComesFirst() {
    var script = Script(xctest: "M.C/a", "M.C/b")
    script.send(.stdout, "set-up\n")
    script.start("M.C/a")
    script.send(.stdout, "one")
    script.end("M.C/a")
    script.send(.stdout, "between")
    // The streams are ahead of the channel.
    script.send(.stdout, "\u{1E}\(Script.nonce)00000003\u{1F}two")
    script.send(.stderr, "\u{1E}\(Script.nonce)00000003\u{1F}")
    script.send(.channel, "{\"k\":\"start\",\"n\":\"M.C/b\",\"s\":3}\n")
    script.send(.stdout, "three")
    _ = script.conclude(.signaled(9))
    #expect(script.output(of: "M.C/a") == "one")
    #expect(script.output(of: "M.C/b") == "twothree")
  }

  @Test func failuresHaveMessagesAndPlaces() {
    var script = Script(xctest: "M.C/a")
    script.start("M.C/a")
    script.send(
      .channel,
      #"{"k":"issue","n":"M.C/a","m":"XCTAssertEqual failed: \"1\"","f":"/p/T.swift","l":7}"# + "\n"
    )
    script.send(
      .channel, #"{"k":"issue","n":"M.C/a","m":"threw error","f":"<EXPR>","l":0}"# + "\n")
    script.end("M.C/a", ok: false)
    script.close()
    let result = script.conclude(.exited(1))
    let outcome = result.outcomes["M.C/a"]
    #expect(outcome?.verdict == .failed && result.isClean)
    #expect(outcome?.issues.map(\.message) == ["XCTAssertEqual failed: \"1\"", "threw error"])
    #expect(outcome?.issues[0].location == SourceLocation(file: "/p/T.swift", line: 7))
    #expect(outcome?.issues[1].location == nil)
  }

  @Test func skipHasItsReason() {
    var script = Script(xctest: "M.C/a")
    script.start("M.C/a")
    script.end(
      "M.C/a", more: #","skipped":true,"reason":"needs a printer","f":"/p/T.swift","l":3"#)
    script.close()
    let outcome = script.conclude().outcomes["M.C/a"]
    #expect(outcome?.verdict == .skipped)
    #expect(
      outcome?.skip
        == Skip(
          kind: .runtime, reason: "needs a printer",
          location: SourceLocation(file: "/p/T.swift", line: 3)))
  }

  /// Ends in the middle of the second of three tests.
  @Test(arguments: [ProcessEnd.exited(0), .exited(3), .signaled(4), .signaled(9)])
  func theRunningTestIsBlamed(end: ProcessEnd) {
    var script = Script(xctest: "M.C/a", "M.C/b", "M.C/c")
    script.start("M.C/a")
    script.end("M.C/a")
    script.start("M.C/b")
    let result = script.conclude(end)
    #expect(result.outcomes.mapValues(\.verdict) == ["M.C/a": .passed, "M.C/b": .crashed])
    #expect(result.outcomes["M.C/b"]?.reason?.contains("\(end)") == true)
    #expect(result.unstarted == ["M.C/c"])
    #expect(!result.isClean)
  }

  @Test func timeLimitAndInterruptionAreNamed() {
    var script = Script(xctest: "M.C/a")
    script.start("M.C/a")
    let late = script.conclude(.signaled(15), .timeLimit(2)).outcomes["M.C/a"]
    #expect(late?.verdict == .timedOut && late?.reason == "the test exceeded its limit of 2 s")
    var other = Script(xctest: "M.C/a")
    other.start("M.C/a")
    let stopped = other.conclude(.signaled(15), .interruption("the run was interrupted by SIGINT"))
      .outcomes["M.C/a"]
    #expect(stopped?.verdict == .interrupted && stopped?.reason?.contains("SIGINT") == true)
  }

  /// All tests finished, and then something is wrong.
  @Test(arguments: [ProcessEnd.exited(1), .exited(139), .signaled(11)])
  func anUnexplainedEndIsChargedToTheLastTest(end: ProcessEnd) {
    var script = Script(xctest: "M.C/a", "M.C/b")
    for name in ["M.C/a", "M.C/b"] {
      script.start(name)
      script.end(name)
    }
    script.close()
    let result = script.conclude(end)
    #expect(result.outcomes.mapValues(\.verdict) == ["M.C/a": .passed, "M.C/b": .crashed])
  }

  @Test func statusZeroWithoutClosingRecordIsNoPass() {
    var script = Script(xctest: "M.C/a")
    script.start("M.C/a")
    script.end("M.C/a")
    let outcome = script.conclude(.exited(0)).outcomes["M.C/a"]
    #expect(outcome?.verdict == .crashed)
    #expect(outcome?.reason?.contains("closing record") == true)
  }

  @Test func batchThatStartsNothingBlamesNobodyUnlessThereIsOneTest() {
    var many = Script(xctest: "M.C/a", "M.C/b")
    let result = many.conclude(.exited(7))
    #expect(result.outcomes.isEmpty && result.unstarted == ["M.C/a", "M.C/b"])
    var one = Script(xctest: "M.C/a")
    let lost = one.conclude(.exited(7))
    #expect(lost.outcomes["M.C/a"]?.verdict == .lost && lost.unstarted.isEmpty)
    var signaled = Script(xctest: "M.C/a")
    #expect(signaled.conclude(.signaled(11)).outcomes["M.C/a"]?.verdict == .crashed)
    var loader = Script(xctest: "M.C/a")
    loader.send(.stderr, "x: error while loading shared libraries: liby.so")
    let missing = loader.conclude(.exited(127))
    #expect(missing.outcomes["M.C/a"]?.verdict == .environment)
  }

  @Test func testThatTheLibraryDidNotRunIsLost() {
    var script = Script(xctest: "M.C/a", "M.C/b")
    script.start("M.C/a")
    script.end("M.C/a")
    script.close()
    let result = script.conclude()
    #expect(result.outcomes.mapValues(\.verdict) == ["M.C/a": .passed, "M.C/b": .lost])
    #expect(result.unstarted.isEmpty)
  }

  @Test func leaksAreChargedToTheTestThatStartedThem() {
    var script = Script(xctest: "M.C/a", "M.C/b", "M.C/c")
    for name in ["M.C/a", "M.C/b", "M.C/c"] {
      script.start(name)
      script.end(name, ok: name != "M.C/c")
    }
    script.close()
    let leak = LeakedProcess(pid: 42, command: "sleep 300")
    let result = script.conclude(
      .exited(1),
      leaks: [Leak(process: leak, sequence: 3), Leak(process: leak, sequence: 5)])
    #expect(
      result.outcomes.mapValues(\.verdict)
        == ["M.C/a": .passed, "M.C/b": .leaked, "M.C/c": .failed])
    #expect(result.outcomes["M.C/b"]?.reason == "the test left process 42 (sleep 300) behind")
    #expect(result.outcomes["M.C/c"]?.leaks == [leak])
  }

  @Test func resultIsHeldBackUntilItsOutputIsWhole() {
    var script = Script(xctest: "M.C/a", "M.C/b")
    script.start("M.C/a")
    script.send(.channel, "{\"k\":\"end\",\"n\":\"M.C/a\",\"d\":0,\"ok\":true,\"s\":2}\n")
    script.send(.channel, "{\"k\":\"start\",\"n\":\"M.C/b\",\"s\":3}\n")
    let isFinished = { (event: BatchTranscript.Event) in
      if case .finished = event { true } else { false }
    }
    #expect(!script.events.contains(where: isFinished))
    script.send(.stdout, "late\u{1E}\(Script.nonce)00000002\u{1F}")
    #expect(!script.events.contains(where: isFinished))
    script.send(.stderr, "\u{1E}\(Script.nonce)00000002\u{1F}")
    #expect(script.events.contains(where: isFinished))
    #expect(script.output(of: "M.C/a") == "late")
  }

  @Test func garbageOnTheChannelIsNoResult() {
    var script = Script(xctest: "M.C/a")
    script.send(.channel, "{\"k\":\"end\",\"n\":\"M.C/a\",\"d\":0,\"ok\":true,\"s\":2}\n")
    script.send(.channel, "garbage\n{\"k\":\"start\"}\n{\"k\":\"what\"}\n\n{}\n[1]\n\u{0}\n")
    let result = script.conclude(.exited(0))
    #expect(result.outcomes["M.C/a"]?.verdict == .lost)
  }
}

@Suite struct SwiftTestingTranscriptTests {
  @Test func verdictsFollowFromIssues() {
    var script = Script(testing: "M.pass()", "M.fail()", "M.known()", "M.both()", "M.warn()")
    func issue(_ isKnown: Bool, _ severity: String = "error") -> String {
      ",\"issue\":{\"isKnown\":\(isKnown),\"severity\":\"\(severity)\","
        + "\"sourceLocation\":{\"_filePath\":\"/p/T.swift\",\"line\":3,\"column\":5}}"
    }
    let issues = [
      "M.fail()": [issue(false)], "M.known()": [issue(true)],
      "M.both()": [issue(true), issue(false)], "M.warn()": [issue(false, "warning")],
    ]
    for name in ["M.pass()", "M.fail()", "M.known()", "M.both()", "M.warn()"] {
      script.stream("testStarted", name, at: 1)
      for more in issues[name] ?? [] { script.stream("issueRecorded", name, more) }
      script.stream("testEnded", name, at: 1.25)
    }
    script.stream("runEnded", nil)
    let result = script.conclude(.exited(1))
    #expect(
      result.outcomes.mapValues(\.verdict) == [
        "M.pass()": .passed, "M.fail()": .failed, "M.known()": .knownIssue, "M.both()": .failed,
        "M.warn()": .passed,
      ])
    #expect(result.outcomes["M.pass()"]?.duration == 0.25)
    #expect(
      result.outcomes["M.fail()"]?.issues.first?.location
        == SourceLocation(file: "/p/T.swift", line: 3, column: 5))
    #expect(result.isClean)
  }

  @Test func skipsAreToldApart() {
    var script = Script(testing: "M.off()", "M.none(_:)", "M.cancel()")
    script.stream("testSkipped", "M.off()", #","_comments":["waits for the parser"]"#)
    script.stream("testSkipped", "M.none(_:)", #","_comments":["No test cases found."]"#)
    script.stream("testStarted", "M.cancel()")
    script.stream("testCancelled", "M.cancel()", #","_comments":["nothing to do"]"#)
    script.stream("testEnded", "M.cancel()")
    script.stream("runEnded", nil)
    let result = script.conclude()
    #expect(
      result.outcomes["M.off()"]?.skip == Skip(kind: .disabled, reason: "waits for the parser"))
    #expect(
      result.outcomes["M.cancel()"]?.skip == Skip(kind: .cancelled, reason: "nothing to do"))
    #expect(result.outcomes["M.none(_:)"]?.skip?.kind == .noArguments)
    #expect(result.outcomes.values.allSatisfy { $0.verdict == .skipped })
  }

  @Test func casesHaveTheirOwnVerdicts() {
    var script = Script(testing: "M.even(_:)")
    func testCase(_ name: String) -> String {
      ",\"_testCase\":{\"id\":\"x\",\"displayName\":\"\(name)\"}"
    }
    script.stream("testStarted", "M.even(_:)")
    for name in ["1", "2", "3"] {
      script.stream("testCaseStarted", "M.even(_:)", at: 1, testCase(name))
      if name == "1" {
        script.stream(
          "issueRecorded", "M.even(_:)", ",\"issue\":{\"isKnown\":false}" + testCase(name))
      }
      if name == "3" { script.stream("testCaseCancelled", "M.even(_:)", testCase(name)) }
      script.stream("testCaseEnded", "M.even(_:)", at: 1.5, testCase(name))
    }
    script.stream("testEnded", "M.even(_:)")
    script.stream("runEnded", nil)
    let outcome = script.conclude(.exited(1)).outcomes["M.even(_:)"]
    #expect(outcome?.verdict == .failed)
    #expect(
      outcome?.cases == [
        TestCaseResult(name: "1", verdict: .failed, duration: 0.5),
        TestCaseResult(name: "2", verdict: .passed, duration: 0.5),
        TestCaseResult(name: "3", verdict: .skipped, duration: 0.5),
      ])
    #expect(outcome?.issues.first?.caseName == "1")
  }

  @Test func caseInWhichTheProcessEndedHasNoResult() {
    var script = Script(testing: "M.even(_:)")
    script.stream("testStarted", "M.even(_:)")
    script.stream(
      "testCaseStarted", "M.even(_:)", ",\"_testCase\":{\"id\":\"x\",\"displayName\":\"1\"}")
    let outcome = script.conclude(.signaled(4)).outcomes["M.even(_:)"]
    #expect(outcome?.verdict == .crashed)
    #expect(outcome?.cases == [TestCaseResult(name: "1", verdict: .lost)])
  }

  @Test func issueOutsideOfAnyTestIsNoPass() {
    var script = Script(testing: "M.a()")
    script.stream("testStarted", "M.a()")
    script.stream("testEnded", "M.a()")
    script.stream("issueRecorded", nil, ",\"issue\":{\"isKnown\":false}")
    script.stream("runEnded", nil)
    let result = script.conclude(.exited(1))
    #expect(result.outcomes["M.a()"]?.verdict == .failed)
    #expect(result.outcomes["M.a()"]?.issues.count == 1)
  }

  @Test func endOfTheProcessWithoutRunEndedIsNoPass() {
    var script = Script(testing: "M.a()")
    script.stream("testStarted", "M.a()")
    script.stream("testEnded", "M.a()")
    #expect(script.conclude(.exited(0)).outcomes["M.a()"]?.verdict == .crashed)
  }
}
