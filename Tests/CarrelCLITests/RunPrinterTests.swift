import Evidence
import FoundationEssentials
import Glibc
import Reporting
import RunModel
import SystemFiles
import TestSupport
import Testing
import Workers

@testable import CarrelCLI

/// What is printed when.
@Suite struct RunPrinterTests {
  /// A printer that prints into files, and the run that it prints.
  final class Fixture {
    let printer: RunPrinter
    private(set) var state = RunState()
    let folder: TemporaryFolder
    private let descriptors: [Int32]
    private var taken = [0, 0]

    init(isQuiet: Bool = false, retries: Int = 0) throws {
      let folder = try TemporaryFolder()
      self.folder = folder
      descriptors = ["output", "errors"].map {
        open(folder.path(of: $0), O_WRONLY | O_CREAT | O_APPEND, 0o600)
      }
      printer = RunPrinter(
        CommandContext(
          output: Terminal(descriptor: descriptors[0]),
          errors: Terminal(descriptor: descriptors[1]),
          environment: [:]),
        isQuiet: isQuiet, leaksFail: true, packagePath: "/p", recordPath: folder.path)
      send(
        .runStarted(
          RunHeader(
            runID: "r", carrel: "0", packagePath: "/p", arguments: [], workers: 1, batch: "auto",
            retries: retries, timeLimit: nil, leaksFail: true, isolation: "directories", seed: "1",
            toolchain: "t", hostName: "h", passedVariables: [])))
    }

    deinit { for descriptor in descriptors { close(descriptor) } }

    func send(_ kind: RunEvent.Kind) {
      let event = RunEvent(time: 0, kind)
      state.apply(event)
      printer.runDid(event, state: state)
    }

    /// Lets an attempt end that was planned.
    func end(
      _ name: String, _ verdict: Verdict, attempt: Int = 1, purpose: AttemptPurpose = .planned,
      change: (inout AttemptResult) -> Void = { _ in }
    ) {
      if state.test(id(name)) == nil { send(.testPlanned(TestDescriptor(id: id(name)))) }
      var result = AttemptResult(
        test: id(name), attempt: attempt, purpose: purpose, batch: 1, worker: 1, verdict: verdict,
        issues: verdict == .failed ? [TestIssue(message: "message of \(name)")] : [], startedAt: 0,
        duration: 0.5)
      change(&result)
      send(.attemptFinished(result))
    }

    func bundle(_ name: String, attempt: Int = 1) {
      send(
        .bundleWritten(
          BundleReference(
            test: id(name), attempt: attempt, path: "bundles/\(name)-\(attempt).tar", bytes: 1)))
    }

    func finish(_ name: String, _ verdict: Verdict, company: CompanyFinding? = nil) {
      send(
        .testFinished(TestResult(test: id(name), verdict: verdict, attempts: 1, company: company)))
    }

    func id(_ name: String) -> TestID {
      TestID(product: "P", library: .xctest, name: "M.C/\(name)")
    }

    /// The lines that were printed since this was asked last.
    var news: [String] { lines("output", 0) }
    var errors: [String] { lines("errors", 1) }

    private func lines(_ name: String, _ index: Int) -> [String] {
      let bytes = readSmallFile(folder.path(of: name)) ?? []
      defer { taken[index] = bytes.count }
      return String(decoding: bytes[taken[index]...], as: UTF8.self).split(separator: "\n")
        .map { String($0) }
    }

    /// The first words of the lines that were printed since this was asked last, without details.
    var labels: [String] {
      news.filter { !$0.hasPrefix(" ") }.map { String($0.prefix { $0 != " " }) }
    }
  }

  @Test(arguments: [Verdict.passed, .skipped, .knownIssue])
  func successIsPrintedAtOnceUnlessQuiet(verdict: Verdict) throws {
    let fixture = try Fixture()
    fixture.end("testA", verdict)
    let lines = fixture.news
    #expect(lines.count == 1 && lines[0].contains("M.C/testA"), "\(lines)")
    let quiet = try Fixture(isQuiet: true)
    quiet.end("testA", verdict)
    #expect(quiet.news == [])
  }

  @Test(arguments: [false, true]) func aFailureIsPrintedAtOnceAndItsBundleLater(
    isQuiet: Bool
  ) throws {
    let fixture = try Fixture(isQuiet: isQuiet)
    try makeFolders(fixture.folder.path(of: "logs"))
    try writeSmallFile(fixture.folder.path(of: "logs/a.log"), Array("last words\n".utf8))
    fixture.end("testA", .failed) {
      $0.stdout = LogReference(path: "logs/a.log", bytes: 11, isTruncated: false)
    }
    let lines = fixture.news
    #expect(lines[0].hasPrefix("FAIL") && lines[0].contains("M.C/testA"), "\(lines)")
    for part in ["message of testA", "last words"] {
      #expect(lines.count { $0.contains(part) } == 1, "\(part) in \(lines)")
    }
    #expect(!lines.contains { $0.contains("reproduce:") })
    fixture.bundle("testA")
    let bundle = fixture.news
    #expect(bundle[0] == "BUNDLE  M.C/testA")
    #expect(bundle.contains { $0.hasSuffix("bundle: \(fixture.folder.path)/bundles/testA-1.tar") })
    #expect(bundle.contains { $0.contains("reproduce: carrel repro") && $0.hasSuffix(" /p") })
    fixture.finish("testA", .failed)
    #expect(fixture.news == [])
  }

  @Test func theEndOfTheProcessMaySayMore() throws {
    let fixture = try Fixture()
    fixture.end("testA", .failed)
    fixture.end("testA", .crashed) { $0.reason = "died later" }
    let lines = fixture.news
    #expect(lines.filter { !$0.hasPrefix(" ") }.map { $0.prefix(5) } == ["FAIL ", "CRASH"])
    #expect(lines.contains { $0.contains("died later") })
  }

  @Test func theSameSuccessIsPrintedOnce() throws {
    let fixture = try Fixture()
    fixture.end("testA", .skipped)
    fixture.end("testA", .skipped) { $0.leaks = [LeakedProcess(pid: 1, command: "sleep")] }
    #expect(fixture.labels == ["SKIP"])
    // Another verdict is news.
    fixture.end("testB", .passed)
    fixture.end("testB", .leaked)
    let lines = fixture.news
    #expect(lines.filter { !$0.hasPrefix(" ") }.map { $0.prefix(4) } == ["PASS", "LEAK"])
    #expect(lines.contains { $0.contains("before its process had ended") })
  }

  @Test func theSummaryNamesWhatFailedAndTheFiles() throws {
    let fixture = try Fixture()
    fixture.end("testA", .failed)
    fixture.end("testC", .passed)
    _ = fixture.news
    fixture.printer.finish(fixture.state, junitPath: "/r/junit.xml")
    let lines = fixture.news
    #expect(lines[0].hasPrefix("Did not succeed:"))
    #expect(lines.contains { $0.contains("testA") } && !lines.contains { $0.contains("testC") })
    #expect(lines.contains { $0.contains("/r/junit.xml") })
    #expect(lines.contains { $0.contains(fixture.folder.path) })
  }

  @Test func aCheckIsOneLineAndANoteFollowsIt() throws {
    let fixture = try Fixture()
    fixture.end("testA", .failed)
    _ = fixture.news
    fixture.end("testA", .failed, attempt: 2, purpose: .aloneCheck)
    fixture.bundle("testA", attempt: 2)
    fixture.finish("testA", .failed, company: .alsoAlone)
    let lines = fixture.news
    #expect(lines.count == 2)
    #expect(lines[0].hasPrefix("FAIL") && lines[0].contains("does not count"))
    #expect(lines[1].hasPrefix("NOTE") && lines[1].contains("also alone"))
  }

  @Test func quietStillTellsOfRetriesAndChecks() throws {
    let fixture = try Fixture(isQuiet: true, retries: 1)
    fixture.end("testA", .failed)
    fixture.end("testA", .passed, attempt: 2, purpose: .retry)
    #expect(fixture.labels == ["FAIL", "FLAKY"])
    fixture.end("testB", .passed)
    fixture.end("testB", .passed, attempt: 2, purpose: .companyCheck)
    #expect(fixture.labels == ["PASS"])
  }

  @Test(arguments: [false, true]) func theBuildGoesToTheErrors(isQuiet: Bool) throws {
    let fixture = try Fixture(isQuiet: isQuiet)
    Array("compiling\n".utf8).withUnsafeBytes { fixture.printer.buildDidPrint($0) }
    #expect(fixture.errors == (isQuiet ? [] : ["compiling"]))
    #expect(fixture.news == [])
  }

  @Test func slowTestsAreTold() throws {
    let fixture = try Fixture(isQuiet: true)
    fixture.printer.testIsSlow(fixture.id("testA"), seconds: 61)
    let lines = fixture.news
    #expect(lines.count == 1 && lines[0].hasPrefix("SLOW") && lines[0].contains("testA"))
    #expect(lines[0].contains("61"))
  }

  @Test func onlyListingsThatFailAreToldAtOnce() throws {
    let fixture = try Fixture()
    for (severity, code) in [
      (RunProblem.Severity.error, RunProblem.Code.listingFailed), (.warning, .inheritedTests),
      (.error, .init(rawValue: "build-failed")),
    ] {
      fixture.send(
        .problem(
          RunProblem(severity: severity, code: code, message: "m of \(code)", output: "its output"))
      )
    }
    let errors = fixture.errors
    #expect(errors.count == 2 && errors[0].contains("m of listing-failed"), "\(errors)")
    #expect(errors[1].contains("its output"))
    #expect(fixture.news == [])
  }
}

@Suite struct LogTextTests {
  private let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
    try makeFolders(folder.path(of: "logs"))
  }

  private func end(_ name: String, bytes: Int) -> LogEnd? {
    let log = LogReference(path: "logs/\(name)", bytes: 0, isTruncated: false)
    return LogText.end(of: log, in: RunRecord(path: folder.path), bytes: bytes)
  }

  @Test(arguments: [(1, ""), (3, "€"), (4, "c€"), (6, "abc€"), (100, "abc€")])
  func theEndOfALogIsRead(bytes: Int, text: String) throws {
    try writeSmallFile(folder.path(of: "logs/log"), Array("abc€".utf8))
    let found = end("log", bytes: bytes)
    // What a cut leaves of a character is left out.
    #expect(found?.text == text)
    #expect(found?.bytes == text.utf8.count)
  }

  @Test func whatCannotBeReadIsNothing() throws {
    #expect(end("missing", bytes: 10) == nil)
    try writeSmallFile(folder.path(of: "logs/empty"), [])
    #expect(end("empty", bytes: 10)?.text == "")
  }
}
