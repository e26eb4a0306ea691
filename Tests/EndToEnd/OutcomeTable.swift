import Glibc
import RunModel

/// What must come out of the package `Outcomes`, test by test.
///
/// Left out are the tests that hang, that depend on order, on the number of the attempt or on their
/// company, that write very much, and that are a danger to others; they have tests of their own.
enum OutcomeTable {
  static let all = xctest + testing

  /// The options that select exactly the tests of the table.
  static let selection = [
    "--skip",
    "Hang|Order|Retry|testHugeLine|testMillionLines|ChannelTests|RemovesAllFolders|Suite3|"
      + "LimitXC|Silence",
  ]

  static let xctest: [Outcome] = [
    .passed(.xctest, "BasicXCTests/testPasses"),
    .failed(
      .xctest, "BasicXCTests/testFails",
      "(\"4\") is not equal to (\"5\") - arithmetic is off @BasicXCTests.testFails"),
    .failed(
      .xctest, "BasicXCTests/testFailsTwice", "first of two @BasicXCTests.testFailsTwice/1",
      "second of two @BasicXCTests.testFailsTwice/2"),
    .failed(
      .xctest, "BasicXCTests/testFailsWithManyLines",
      "line one\nline two: error: not a new failure\nTest Case 'x.y' passed (0.0 seconds)"),
    .failed(.xctest, "BasicXCTests/testThrows", "thrown on purpose"),
    .failed(.xctest, "BasicXCTests/testAsyncFails", "failed after a suspension"),
    .skipped(.xctest, "BasicXCTests/testSkips", .runtime, "needs a printer"),
    .skipped(.xctest, "BasicXCTests/testSkipsIf", .runtime, "only on weekends"),
    .skipped(.xctest, "BasicXCTests/testSkipsUnless", .runtime),

    .skipped(.xctest, "SetUpXCTests/testSkippedBySetUp", .runtime, "found no database"),
    .failed(.xctest, "SetUpXCTests/testFailedBySetUp", "the set-up broke"),
    .passed(.xctest, "SetUpXCTests/testRuns"),

    .passed(.xctest, "LockXCTests/testThreadsMeetAtALazyValue"),
    .passed(.xctest, "LockXCTests/testThreadsMeetAtAMutex"),

    // The subclasses' inherited tests cannot be listed here; a test of its own is about that.
    .passed(.xctest, "InheritedBaseXCTests/testProduct"),

    .passed(.xctest, "CrashXCTests/test1Passes"),
    .crashed(.xctest, "CrashXCTests/test2FatalError", .signaled(trapSignal)),
    .crashed(.xctest, "CrashXCTests/test3ForceUnwrap", .signaled(trapSignal)),
    .crashed(.xctest, "CrashXCTests/test4Segfault", .signaled(SIGSEGV)),
    .crashed(.xctest, "CrashXCTests/test5Killed", .signaled(SIGKILL)),
    .failed(.xctest, "CrashXCTests/test6Fails", "fails after others crashed"),
    .passed(.xctest, "CrashXCTests/test7Passes"),
    Outcome(library: .xctest, name: "CrashXCTests/test8SignalsItself", verdict: .crashed),

    .crashed(.xctest, "FailedCheckXCTests/test1Precondition", .signaled(trapSignal)),
    .crashed(.xctest, "FailedCheckXCTests/test2Assertion", .signaled(trapSignal)),
    .crashed(.xctest, "FailedCheckXCTests/test3Cast", .signaled(SIGABRT)),
    .crashed(.xctest, "ExitXCTests/test1ExitsZero", .exited(0)),
    .failed(.xctest, "ExitXCTests/test2Fails", "would have been lost"),
    .crashed(.xctest, "ExitXCTests/test3ExitsThree", .exited(3)),
    .passed(.xctest, "ExitXCTests/test4Passes"),

    .failed(.xctest, "NameXCTests/\(longName)1", "long name 1"),
    .failed(.xctest, "NameXCTests/\(longName)2", "long name 2"),
    .failed(.xctest, "NameXCTests/testCase", "upper"),
    .failed(.xctest, "NameXCTests/testcase", "lower"),

    .leaked(.xctest, "LeakXCTests/test1BackgroundProcess"),
    .leaked(.xctest, "LeakXCTests/test2Daemon"),
    .passed(.xctest, "LeakXCTests/test3Passes"),
    .failed(.xctest, "LeakXCTests/test4FailsAndLeaks", "failed with a process left behind"),

    .leaked(.xctest, "ForkXCTests/test1Forks"),
    .passed(.xctest, "ForkXCTests/test2Passes"),
    .leaked(.xctest, "ForkXCTests/test3ClearsEnvironment"),
    .passed(.xctest, "ForkXCTests/test4Passes"),

    .passed(.xctest, "DescriptorXCTests/test1Passes"),
    Outcome(
      library: .xctest, name: "DescriptorXCTests/test2ClosesAll", verdict: .crashed,
      end: .exited(70)),
    Outcome(
      library: .xctest, name: "DescriptorXCTests/test3ReplacesAll", verdict: .crashed,
      end: .exited(70)),
    .failed(
      .xctest, "DescriptorXCTests/test4RemovesItsFolder", "the test removed the folder"),
    .passed(.xctest, "DescriptorXCTests/test6Passes"),
    .passed(.xctest, "DescriptorXCTests/test7UsesHighDescriptors"),

    .passed(.xctest, "Suite1XCTests/testPasses"),
    Outcome(
      library: .xctest, name: "Suite2SetUpCrashesXCTests/test1", verdict: .crashed,
      reason: "in the set-up", end: .signaled(trapSignal)),
    Outcome(
      library: .xctest, name: "Suite2SetUpCrashesXCTests/test2", verdict: .crashed,
      reason: "in the set-up", end: .signaled(trapSignal)),
    .passed(.xctest, "Suite4XCTests/testPasses"),

    Outcome(
      library: .xctest, name: "LastWordsXCTests/test2PrintsAndCrashes", verdict: .crashed,
      end: .signaled(SIGKILL)),

    .passed(.xctest, "HomeXCTests/testPrintsHomes"),
    .passed(.xctest, "HomeXCTests/testPrintsEnvironment"),
    .passed(.xctest, "HomeXCTests/testOwnPreferences"),
    .passed(.xctest, "HomeXCTests/testBindsSockets"),

    .failed(.xctest, "OutputXCTests/testInvalidUTF8", "failed after invalid bytes"),
    .failed(.xctest, "OutputXCTests/testSplitCharacters", "failed after split characters"),
    .failed(.xctest, "OutputXCTests/testControlCharacters", "]]> <end> & \"quotes\""),
    .passed(.xctest, "OutputXCTests/testBothStreams"),
    .passed(.xctest, "OutputXCTests/testForgedResults"),
    .passed(.xctest, "OutputXCTests/testForgesItsOwnLines"),
    .passed(.xctest, "OutputXCTests/testClosesOutput"),
  ]

  /// `testWithANameOf300Characters_` and so many letters that one more makes 300.
  static let longName: String = {
    let start = "testWithANameOf300Characters_"
    return start + String(repeating: "x", count: 299 - start.count)
  }()

  /// What a failed precondition ends a process with.
  #if arch(x86_64)
    static let trapSignal = SIGILL
  #else
    static let trapSignal = SIGTRAP
  #endif

  /// 119 characters of three bytes each.
  static let wideName = String(
    String(repeating: "試験の名前がとても長いので", count: 10).prefix(119))
}
