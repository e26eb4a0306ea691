import Glibc
import RunModel

/// What must come out of the package `Reproduction`, test by test, when its run has the options of
/// ``options`` and the variables of ``environment``.
enum ReproductionTable {
  /// Each fails in a way of its own; the fixture says why.
  static let failing = assertions + crashes + hangs + company + surroundings + apps

  /// What runs before others, or after them.
  static let passing: [Outcome] = [
    .passed(.xctest, "FailingTests.CompanyXCTests/test1SavesADraft"),
    .passed(.xctest, "FailingTests.CompanyXCTests/test4SavesAnotherDraft"),
    .passed(.xctest, "FailingTests.CrashXCTests/test4Passes"),
    .passed(.testing, "FailingTests.CompanyTests/a_changesSettings()"),
  ]

  /// All tests of a library share a process as long as it lives, so that those which fail after
  /// others have them before them.
  static let options = [
    "--workers", "2", "--batch", "1000", "--timeout", "5", "--seed", "reproduction", "--pass-env",
    "TZ", "--pass-env", "REPRODUCTION_*",
  ]

  static let environment = ["TZ": "Pacific/Auckland", "REPRODUCTION_SEPARATOR": ","]

  /// The mask of new files that the run has, in octal.
  static let fileMask = "027"

  private static let assertions: [Outcome] = [
    .failed(
      .xctest, "FailingTests.AssertionXCTests/testSumOfCents",
      "(\"0.30000000000000004\") is not equal to (\"0.3\")"),
    .failed(.xctest, "FailingTests.AssertionXCTests/testReadsSettings", "Documents/settings.json"),
    .failed(
      .testing, "FailingTests.AssertionTests/lettersOfAWord()", "(Set(\"carrel\") → ["),
    Outcome.failed(.testing, "FailingTests.AssertionTests/hasPort(address:)", "→ nil")
      .with(
        cases: ("\"localhost:80\"", .passed), ("\"[::1]:443\"", .passed),
        ("\"example.com\"", .failed), ("\"10.0.0.1:8080\"", .passed)),
  ]

  private static let crashes: [Outcome] = [
    .crashed(
      .xctest, "FailingTests.CrashXCTests/test1UnwrapsNothing", .signaled(OutcomeTable.trapSignal)),
    .crashed(.xctest, "FailingTests.CrashXCTests/test2WritesToNull", .signaled(SIGSEGV)),
    .crashed(.xctest, "FailingTests.CrashXCTests/test3ExitsWithZero", .exited(0)),
    .crashed(
      .testing, "FailingTests.CrashTests/indexOutOfRange()", .signaled(OutcomeTable.trapSignal)),
    .crashed(.testing, "FailingTests.CrashTests/aborts()", .signaled(SIGABRT)),
    .crashed(.testing, "FailingTests.CrashTests/overflowsTheStack()", .signaled(SIGSEGV)),
  ]

  private static let hangs: [Outcome] = [
    Outcome(
      library: .xctest, name: "FailingTests.HangXCTests/testComputesWithoutEnd",
      verdict: .timedOut),
    Outcome(
      library: .testing, name: "FailingTests.HangTests/isNeverResumed()", verdict: .timedOut),
  ]

  private static let company: [Outcome] = [
    .failed(
      .xctest, "FailingTests.CompanyXCTests/test2StartsWithoutDocuments", "(\"[\"draft.txt\"]\")"),
    .failed(
      .xctest, "FailingTests.CompanyXCTests/test3StartsWithAnEmptyCache", "(\"[\"draft\": 1]\")"),
    .failed(.testing, "FailingTests.CompanyTests/b_hasTheDefaultTheme()", "→ \"dark\""),
    .failed(.testing, "FailingTests.CompanyTests/c_isInThePackage()", "\"Package.swift\""),
  ]

  private static let surroundings: [Outcome] = [
    .failed(
      .xctest, "FailingTests.EnvironmentXCTests/testPriceIsANumber",
      "(\"nil\") is not equal to (\"Optional(9.99)\")"),
    .failed(
      .xctest, "FailingTests.EnvironmentXCTests/testReportIsReadableForAll",
      "(\"640\") is not equal to (\"644\")"),
    .failed(
      .xctest, "FailingTests.EnvironmentXCTests/testSavesASnapshot",
      "Tests/FailingTests/snapshot.txt"),
    .failed(
      .xctest, "FailingTests.EnvironmentXCTests/testConverterSucceeds",
      "(\"3\") is not equal to (\"0\") - the converter failed"),
    .leaked(.xctest, "FailingTests.EnvironmentXCTests/testStopsItsServer"),
    Outcome(
      library: .xctest, name: "FailingTests.EnvironmentXCTests/testWritesAVideo",
      verdict: .crashed, reason: "the disk limit of 32 MiB", end: .signaled(SIGXFSZ)),
    .failed(.testing, "FailingTests.EnvironmentTests/noonIsOnTheSameDay()", "→ 2) == 1"),
    .failed(
      .testing, "FailingTests.EnvironmentTests/hasTheDatabaseForItself()", "of 2\") == \"1 of 1\""),
  ]

  private static let apps: [Outcome] = [
    .failed(
      .xctest, "ShelfTests.ShelfXCTests/testCountsThePagesOfNoBook",
      "Fatal error: there are no books"),
    .failed(
      .xctest, "ShelfTests.ShelfXCTests/testSynchronizes",
      "com.example.Shelf did not answer within 3 s"),
    .failed(
      .xctest, "ShelfTests.ShelfXCTests/testRenamedBookIsFound", "the index has [\"Emma\"]"),
    .failed(
      .xctest, "ShelfTests.ShelfXCTests/testDrawnBookHasFewPages",
      "(\"399264\") is not less than (\"1000\")"),
    .failed(.testing, "ShelfTests.ShelfTests/lendsABook()", "isLent(to: \"Ann\")"),
    .failed(.testing, "ShelfTests.ShelfTests/newBookIsFoundAtOnce()", "(found.count → 0) == 1"),
  ]
}
