import RunModel
import Testing
import Workers

@testable import SwiftTests

/// What happens outside of tests: while suites are set up and torn down, and around all tests.
@Suite struct SuiteTests {
  /// The process ends while the second class is set up.
  @Test(arguments: [ProcessEnd.exited(0), .exited(1), .signaled(4)])
  func setUpOfAClassIsChargedToItsFirstTest(end: ProcessEnd) {
    var script = Script(xctest: "M.A/a", "M.B/b", "M.B/c")
    script.prepare("M.A/a")
    script.start("M.A/a")
    script.end("M.A/a")
    script.send(.stdout, "end of A\n")
    script.prepare("M.B/b")
    script.send(.stdout, "no database\n")
    script.send(.stderr, "Fatal error: no database")
    let result = script.conclude(end)
    #expect(result.outcomes.mapValues(\.verdict) == ["M.A/a": .passed, "M.B/b": .crashed])
    #expect(result.outcomes["M.B/b"]?.reason?.contains("set-up") == true)
    #expect(result.unstarted == ["M.B/c"])
    let mark = "[carrel: written outside of any test]\n"
    #expect(script.output(of: "M.B/b") == mark + "no database\n")
    #expect(script.output(of: "M.B/b", .stderr) == mark + "Fatal error: no database")
    #expect(script.output(of: "M.A/a") == "")
  }

  @Test func setUpOfASuiteIsChargedToItsFirstTest() {
    var script = Script(testing: "M.free()", "M.A/a()", "M.A/I/b()")
    script.stream("testStarted", "M.free()")
    script.stream("testEnded", "M.free()", symbol: "pass")
    script.stream("testStarted", "M.A", isSuite: true)
    script.stream("testStarted", "M.A/a()")
    script.stream("testEnded", "M.A/a()", symbol: "pass")
    script.stream("testStarted", "M.A/I", isSuite: true)
    let result = script.conclude(.signaled(4))
    #expect(
      result.outcomes.mapValues(\.verdict) == [
        "M.free()": .passed, "M.A/a()": .passed, "M.A/I/b()": .crashed,
      ])
    #expect(result.unstarted.isEmpty)
  }

  /// After a suite has ended without a test, nobody prepares one.
  @Test func endOfASuiteEndsItsPreparation() {
    var script = Script(testing: "M.A/a()", "M.B/b()")
    script.stream("testStarted", "M.A/a()")
    script.stream("testEnded", "M.A/a()", symbol: "pass")
    script.stream("testStarted", "M.B", isSuite: true)
    script.stream("testEnded", "M.B", isSuite: true)
    let result = script.conclude(.signaled(4))
    #expect(result.outcomes.mapValues(\.verdict) == ["M.A/a()": .crashed])
    #expect(result.unstarted == ["M.B/b()"])
  }

  @Test func hangingSetUpIsNamed() {
    var script = Script(xctest: "M.A/a", "M.B/b")
    script.start("M.A/a")
    script.end("M.A/a")
    script.prepare("M.B/b")
    let result = script.conclude(.signaled(15), .timeLimit(2))
    #expect(result.outcomes.mapValues(\.verdict) == ["M.A/a": .passed, "M.B/b": .timedOut])
    #expect(result.outcomes["M.B/b"]?.reason?.contains("did not start") == true)
  }

  /// The last test of the class has no complete proof, those before it have.
  @Test func tearDownOfAClassIsChargedToItsLastTest() {
    var script = Script(xctest: "M.A/a", "M.A/b", "M.B/c")
    script.prepare("M.A/a")
    for name in ["M.A/a", "M.A/b"] {
      script.start(name)
      script.send(.stdout, "in \(name)")
      script.end(name)
    }
    script.send(.stdout, "goodbye")
    let result = script.conclude(.signaled(4))
    #expect(result.outcomes.mapValues(\.verdict) == ["M.A/a": .passed, "M.A/b": .crashed])
    #expect(result.unstarted == ["M.B/c"])
    #expect(
      script.output(of: "M.A/b") == "in M.A/b\n[carrel: written outside of any test]\ngoodbye")
    #expect(script.output(of: "M.A/a") == "in M.A/a")
  }

  @Test func outputBeforeTheOnlyTestExplainsIt() {
    var script = Script(xctest: "M.A/a")
    script.send(.stderr, "no licence\n")
    let result = script.conclude(.exited(9))
    #expect(result.outcomes["M.A/a"]?.verdict == .lost)
    #expect(
      script.output(of: "M.A/a", .stderr) == "[carrel: written outside of any test]\nno licence\n")
  }

  @Test func outputOutsideOfTestsIsLeftOutWithoutBlame() {
    var script = Script(xctest: "M.A/a")
    script.send(.stdout, "before\n")
    script.start("M.A/a")
    script.end("M.A/a", ok: false)
    script.send(.stdout, "after\n")
    script.close()
    #expect(script.conclude(.exited(1)).outcomes["M.A/a"]?.verdict == .failed)
    #expect(script.output(of: "M.A/a") == "")
  }

  /// Only so much is kept, and it is the end.
  @Test func theEndOfMuchOutputIsKept() {
    var script = Script(xctest: "M.A/a")
    for number in 0..<10_000 { script.send(.stdout, "line \(number) of many lines\n") }
    _ = script.conclude(.exited(9))
    let output = script.output(of: "M.A/a")
    #expect(output.hasSuffix("line 9999 of many lines\n"))
    #expect((1 << 16)...(1 << 16) + 100 ~= output.utf8.count)
  }

  @Test func processStartedByASetUpIsChargedToTheFirstTest() {
    var script = Script(xctest: "M.A/a", "M.B/b")
    for name in ["M.A/a", "M.B/b"] {
      script.prepare(name)
      script.start(name)
      script.end(name)
    }
    script.close()
    let leak = LeakedProcess(pid: 42, command: "server")
    let result = script.conclude(leaks: [Leak(process: leak, sequence: 1)])
    #expect(result.outcomes.mapValues(\.verdict) == ["M.A/a": .leaked, "M.B/b": .passed])
  }
}
