import RunModel
import Testing
import Workers

@testable import SwiftTests

/// What the end of a process for a limit means for its tests.
@Suite struct LimitTranscriptTests {
  @Test func silenceIsATimeOut() {
    var script = Script(xctest: "M.C/a", "M.C/b", "M.C/c")
    script.start("M.C/a")
    script.end("M.C/a")
    script.start("M.C/b")
    let result = script.conclude(.signaled(15), .silence(30))
    #expect(result.outcomes["M.C/a"]?.verdict == .passed)
    #expect(result.outcomes["M.C/b"]?.verdict == .timedOut)
    #expect(result.outcomes["M.C/b"]?.reason == "no output for 30 s")
    #expect(result.unstarted == ["M.C/c"])
  }

  /// A test that reports its result while its process is being ended has been silent all the same.
  @Test func resultAfterTheDecisionComesTooLate() {
    var script = Script(xctest: "M.C/a")
    script.start("M.C/a")
    script.end("M.C/a")
    let outcome = script.conclude(.signaled(15), .silence(1.5)).outcomes["M.C/a"]
    #expect(outcome?.verdict == .timedOut)
    #expect(outcome?.reason?.hasPrefix("no output for 1.5 s; the test ended while") == true)
  }

  @Test func watchedLimitIsNamed() {
    var script = Script(xctest: "M.C/a")
    script.start("M.C/a")
    let outcome = script.conclude(.signaled(15), .limit("too much")).outcomes["M.C/a"]
    #expect(outcome?.verdict == .crashed && outcome?.reason == "killed: too much")
    var other = Script(xctest: "M.C/a")
    let unstarted = other.conclude(.signaled(15), .limit("too much")).outcomes["M.C/a"]
    #expect(unstarted?.verdict == .crashed && unstarted?.reason == "killed: too much")
  }

  /// What is proven stands in the place of the end's name, and only there.
  @Test func provenCauseIsTheReason() {
    let cause = "killed: the memory limit of 1 GiB was exceeded (cgroup)"
    var script = Script(xctest: "M.C/a", "M.C/b")
    script.start("M.C/a")
    script.end("M.C/a", ok: false)
    script.start("M.C/b")
    let result = script.conclude(.signaled(9), cause: cause)
    #expect(result.outcomes["M.C/a"]?.verdict == .failed)
    #expect(result.outcomes["M.C/a"]?.reason?.contains("memory") != true)
    #expect(result.outcomes["M.C/b"]?.verdict == .crashed)
    #expect(result.outcomes["M.C/b"]?.reason == cause)

    var after = Script(xctest: "M.C/a")
    after.start("M.C/a")
    after.end("M.C/a")
    let late = after.conclude(.signaled(9), cause: cause).outcomes["M.C/a"]
    #expect(
      late?.verdict == .crashed && late?.reason?.hasPrefix("\(cause), after the test") == true)

    var before = Script(xctest: "M.C/a")
    let early = before.conclude(.signaled(9), cause: cause).outcomes["M.C/a"]
    #expect(early?.verdict == .crashed && early?.reason == cause)
  }
}
