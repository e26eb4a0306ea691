import Evidence
import Glibc
import RunModel
import SystemFiles
import TestSupport
import Testing

@testable import CarrelCLI

/// Which run `latest` is, and what `rerun` ends with when there is nothing to run again.
@Suite struct EarlierRunTests {
  private let folder: TemporaryFolder
  private var runs: String { folder.path(of: "runs") }

  init() throws { folder = try TemporaryFolder() }

  /// Writes the record of a run in which every planned test passed.
  ///
  /// - Parameter status: `nil` for a run that was killed.
  @discardableResult private func record(
    at time: Double, tests: Int, status: ExitCode?, command: String = "run"
  ) throws -> RunRecord {
    let record = try RunRecord.create(
      inRunsFolder: runs, at: time, becomesLatest: command != "repro")
    let log = try record.openEventLog()
    let header = RunHeader(
      runID: record.runID, carrel: "0", packagePath: folder.path, arguments: [command], workers: 1,
      batch: "auto", retries: 0, timeLimit: nil, leaksFail: true, isolation: "directories",
      seed: "1", toolchain: "t", hostName: "h", passedVariables: [])
    try log.append(RunEvent(time: time, .runStarted(header)))
    for number in 0..<tests {
      let test = TestID(product: "P", library: .xctest, name: "M.C/test\(number)")
      let result = TestResult(test: test, verdict: .passed, attempts: 1)
      try log.append(RunEvent(time: time, .testPlanned(TestDescriptor(id: test))))
      try log.append(RunEvent(time: time, .testFinished(result)))
    }
    if let status {
      let finish = RunFinish(exitCode: status.rawValue, duration: 1)
      try log.append(RunEvent(time: time, .runFinished(finish)))
    }
    return record
  }

  /// What `carrel` prints and ends with.
  private func invoke(
    _ command: (ParsedArguments, CommandContext) throws -> ExitCode, _ spec: CommandSpec,
    _ words: [String]
  ) throws -> (code: ExitCode, output: String, errors: String) {
    let names = ["output", "errors"].map { folder.path(of: $0) }
    let output = try OwnedDescriptor(opening: names[0], O_WRONLY | O_CREAT | O_TRUNC)
    let errors = try OwnedDescriptor(opening: names[1], O_WRONLY | O_CREAT | O_TRUNC)
    let context = CommandContext(
      output: Terminal(descriptor: output.number), errors: Terminal(descriptor: errors.number),
      environment: [:])
    let code = try command(try ParsedArguments(words, spec: spec), context)
    let texts = names.map { String(decoding: readSmallFile($0) ?? [], as: UTF8.self) }
    return (code, texts[0], texts[1])
  }

  private func rerun(_ words: String...) throws -> (code: ExitCode, output: String, errors: String)
  {
    try invoke(RerunCommand.run, RerunCommand.spec, words + [folder.path, "--output", runs])
  }

  @Test(arguments: [
    (ExitCode?.some(.buildFailed), ExitCode.buildFailed, " (the package's tests do not build)"),
    (.interruptedByInterrupt, .interruptedByInterrupt, " (ended early by SIGINT (Ctrl-C))"),
    (.nothingMatched, .nothingMatched, " (there is no test to run"),
    (.success, .nothingMatched, ""),
    (nil, .environment, " (it did not come to its end)"),
  ])
  func aNewestRunWithoutTestsIsPassedOverButNeverASuccess(
    status: ExitCode?, wanted: ExitCode, reason: String
  ) throws {
    let older = try record(at: 1000, tests: 2, status: .success)
    let newest = try record(at: 1000.25, tests: 0, status: status)
    // A reproduction is not what was run last.
    try record(at: 1000.5, tests: 1, status: .success, command: "repro")
    let warning = "carrel: warning: run \(newest.runID) planned no tests\(reason)"
    let (code, output, errors) = try rerun("latest")
    #expect(code == wanted)
    #expect(output.isEmpty && errors.hasPrefix(warning), "\(output)\(errors)")
    #expect(errors.contains("run \(older.runID) is taken\n"), "\(errors)")
    #expect(errors.contains("every test of run \(older.runID) succeeded (2)"), "\(errors)")
    // Asked for by its name, it is not passed over.
    let named = try rerun(newest.runID)
    #expect(named.code == wanted)
    #expect(named.errors.contains("planned no tests\(reason)"), "\(named.errors)")
  }

  @Test(arguments: [
    (ExitCode?.some(.success), ExitCode.success), (.listingFailed, .listingFailed),
    (.environment, .environment), (nil, .environment),
  ])
  func withoutFailuresTheStatusIsThatOfTheRun(status: ExitCode?, wanted: ExitCode) throws {
    let run = try record(at: 1000, tests: 1, status: status)
    let (code, output, errors) = try rerun("latest")
    #expect(code == wanted)
    let text = code == .success ? output : errors
    #expect(text.contains("every test of run \(run.runID) succeeded (1)"), "\(output)\(errors)")
    #expect(!errors.contains("warning:"))
  }

  @Test func theBundlesOfTheSameRunAreListed() throws {
    let runs = RunRecord.runsFolder(ofPackage: folder.path)
    try makeFolders(runs)
    #expect(symlink(runs, self.runs) == 0)
    let older = try record(at: 1000, tests: 1, status: .testsFailed)
    let test = TestID(product: "P", library: .xctest, name: "M.C/test0")
    try older.addToIndex(BundleReference(test: test, attempt: 1, path: "bundles/x.tar", bytes: 1))
    let newest = try record(at: 1000.25, tests: 0, status: .buildFailed)
    let (code, output, errors) = try invoke(
      BundleCommand.run, BundleCommand.spec, ["list", "--package", folder.path])
    #expect(code == .success)
    #expect(output.contains("\(older.runID)/bundles/x.tar"), "\(output)\(errors)")
    #expect(errors.contains("run \(newest.runID) planned no tests"), "\(errors)")
  }
}
