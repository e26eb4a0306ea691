import Glibc
import RunModel

extension OutcomeTable {
  static let testing: [Outcome] = basic + parameterized + rawNames + ends + names + others

  private static let basic: [Outcome] = [
    .passed(.testing, "BasicTests/passes()"),
    .passed(.testing, "ExitTestTests/endsBySignal()"),
    .passed(.testing, "ExitTestTests/endsWithStatus()"),
    .passed(.testing, "ExitTestTests/failsPrecondition()"),
    .failed(
      .testing, "BasicTests/fails()", "(sum → 4) == 5 @BasicTests.fails", "arithmetic is off"),
    .failed(
      .testing, "BasicTests/failsTwice()", "first of two @BasicTests.failsTwice/1",
      "second of two @BasicTests.failsTwice/2"),
    .failed(
      .testing, "BasicTests/stopsAtRequirement()", "nothing → nil @BasicTests.stopsAtRequirement"),
    .failed(.testing, "BasicTests/throwsError()", "thrown on purpose"),
    .passed(.testing, "BasicTests/warns()"),
    .skipped(.testing, "BasicTests/disabled()", .disabled, "waits for the new parser"),
    .skipped(.testing, "BasicTests/disabledWithoutReason()", .disabled),
    .skipped(.testing, "BasicTests/disabledByCondition()", .disabled, "needs a larger one"),
    Outcome(library: .testing, name: "BasicTests/knownIssue()", verdict: .knownIssue),
    .failed(
      .testing, "BasicTests/knownIssueNotRecorded()",
      "Known issue was not recorded @BasicTests.knownIssueNotRecorded"),
    .failed(.testing, "BasicTests/knownAndUnknownIssue()", "unknown one"),
    .skipped(.testing, "BasicTests/cancels()", .cancelled, "there is nothing to do"),
    .passed(.testing, "BasicTests/hasDisplayName()"),
    .failed(.testing, "BasicTests/failsWithDisplayName()", "display names are not names"),
    .skipped(
      .testing, "DisabledSuiteTests/neverRuns()", .disabled, "the whole suite waits"),
    .skipped(
      .testing, "DisabledSuiteTests/Inner/neverRunsEither()", .disabled, "the whole suite waits"),
    .passed(.testing, "freeFunctionPasses()"),
    .failed(.testing, "freeFunctionFails()", "not in any suite"),
  ]

  private static let parameterized: [Outcome] = [
    .failed(.testing, "ParameterizedTests/evenOnly(number:)", "(number → 1)", "(number → 3)")
      .with(cases: ("1", .failed), ("2", .passed), ("3", .failed), ("4", .passed)),
    .passed(.testing, "ParameterizedTests/pairs(word:number:)")
      .with(
        cases: ("\"one\", 1", .passed), ("\"one\", 2", .passed), ("\"two\", 1", .passed),
        ("\"two\", 2", .passed)),
    .skipped(.testing, "ParameterizedTests/noArguments(number:)", .noArguments),
    .failed(.testing, "ParameterizedTests/awkwardArguments(text:)", "== \"fine\""),
    .passed(.testing, "ParameterizedTests/secondCancels(number:)")
      .with(cases: ("1", .passed), ("2", .skipped), ("3", .passed)),
    .crashed(.testing, "ParameterizedTests/secondCrashes(number:)", .signaled(trapSignal)),
  ]

  private static let rawNames: [Outcome] = [
    .failed(
      .testing, "RawNameTests/`and/another.one \"q\" <x> (y)`()", "raw one of the first suite"),
    .passed(.testing, "RawNameTests/another()"),
    .passed(.testing, "RawNameTests/`ends with a dot.`()"),
    .failed(.testing, "RawNameTests/`emoji 👩‍👩‍👧 and 日本語`()", "emoji failed"),
    .failed(
      .testing, "RawNameTests/`50 % off, a:b; c=d & 'e' $f *g* [h] ^i| j+ #k`()",
      "symbols failed"),
    .passed(.testing, "RawNameTests/`takes (label:)`(label:)"),
    .passed(.testing, "`Raw suite/2.0`/`and/another.one \"q\" <x> (y)`()"),
    .failed(.testing, "`Raw suite/2.0`/another()", "plain one of the second suite"),
    .passed(.testing, "`Raw suite/2.0`/Nested/another()"),
    .passed(.testing, "OverloadTests/same()"),
    .failed(
      .testing, "OverloadTests/same(number:)@RawNameTests.swift:39:4", "the one with a number"),
    .passed(.testing, "OverloadTests/same(number:)@RawNameTests.swift:41:4"),
    .passed(.testing, "OverloadTests/same(text:)"),
  ]

  private static let ends: [Outcome] = [
    .passed(.testing, "CrashTests/passes()"),
    .crashed(.testing, "CrashTests/fatal()", .signaled(trapSignal)),
    .crashed(.testing, "CrashTests/indexOutOfRange()", .signaled(trapSignal)),
    .crashed(.testing, "CrashTests/segfault()", .signaled(SIGSEGV)),
    Outcome(library: .testing, name: "CrashTests/signalsItself()", verdict: .crashed),
    .crashed(.testing, "CrashTests/killed()", .signaled(SIGKILL)),
    .passed(.testing, "CrashTests/alsoPasses()"),
    .passed(.testing, "CrashTrioTests/passesAtOnce()"),
    .failed(.testing, "CrashTrioTests/failsAtOnce()", "failed before the crash"),
    .crashed(.testing, "CrashTrioTests/trapsLater()", .signaled(trapSignal)),
    .crashed(.testing, "ExitTests/exitsZero()", .exited(0)),
    .crashed(.testing, "ExitTests/exitsThree()", .exited(3)),
    .failed(.testing, "ExitTests/fails()", "would have been lost"),
    .passed(.testing, "ExitTests/passes()"),
  ]

  private static let names: [Outcome] = [
    .failed(.testing, "NameTests/\(wideName)一()", "CJK name 1"),
    .failed(.testing, "NameTests/\(wideName)二()", "CJK name 2"),
    .failed(.testing, "NameTests/differInCase()", "camel"),
    .failed(.testing, "NameTests/differincase()", "flat"),
    .failed(.testing, "NameTests/`.. `()", "dots and a space"),
    .failed(.testing, "NameTests/`../../escape`()", "path"),
  ]

  private static let others: [Outcome] = [
    .leaked(.testing, "LeakTests/backgroundProcess()"),
    .passed(.testing, "LeakTests/passes()"),
    .leaked(.testing, "ForkTests/forks()"),
    .leaked(.testing, "ForkTests/clearsEnvironment()"),
    .passed(.testing, "ForkTests/passes()"),
    .passed(.testing, "ForkTests/alsoPasses()"),
    .passed(.testing, "DescriptorTests/passes()"),
    // libdispatch may end the process first.
    Outcome(library: .testing, name: "DescriptorTests/closesAll()", verdict: .crashed),
    .passed(.testing, "DescriptorTests/alsoPasses()"),
    .passed(.testing, "SuiteScopeTests/passes()"),
    Outcome(
      library: .testing, name: "SuiteScopeTests/Crashing/neverStarts()", verdict: .crashed,
      reason: "in the set-up", end: .signaled(trapSignal)),
    Outcome(
      library: .testing, name: "LastWordsTests/printsAndExits()", verdict: .crashed,
      end: .exited(3)),
    .passed(.testing, "HomeTests/printsHomes()"),
    .failed(.testing, "OutputTests/controlCharacters()", "]]> <end> & \"quotes\""),
    .passed(.testing, "OutputTests/bothStreams()"),
    .failed(.testing, "OutputTests/invalidUTF8()", "failed after invalid bytes"),
    .failed(.testing, "OutputTests/hostileFileNames()", "left 8 hostile names"),
  ]
}
