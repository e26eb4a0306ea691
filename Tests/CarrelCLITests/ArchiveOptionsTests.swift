import Evidence
import FoundationEssentials
import Reporting
import RunModel
import TestSupport
import Testing

@testable import CarrelCLI

/// What a command line says about run archives.
@Suite struct ArchiveOptionsTests {
  private func message(_ words: [String], spec: CommandSpec = RunCommand.spec) throws -> String? {
    do {
      let parsed = try ParsedArguments(words, spec: spec)
      _ = try PackageOptions.configuration(
        parsed, package: parsed.positionals.first, CommandContext())
      return nil
    } catch let error as UsageError {
      return error.message
    }
  }

  @Test(arguments: [
    ["--archive", "a.tar", "Package"], ["--archive", "a.tar", "--skip-build"],
    ["--archive", "a.tar", "-c", "release"], ["--archive", "a.tar", "--scratch-path", "x"],
    ["--archive", "a.tar", "--", "-Xswiftc", "-DX"],
  ])
  func whatIsForABuildIsRefused(words: [String]) throws {
    #expect(try message(words)?.contains("leave out one of them") == true)
  }

  /// Options come before the file, which is not looked at.
  @Test func aFileThatIsNoneIsNamed() throws {
    let folder = try TemporaryFolder()
    let path = folder.path(of: "a.tar")
    let parsed = try ParsedArguments(["--archive", path], spec: RunCommand.spec)
    let missing = #expect(throws: EvidenceError.self) {
      try PackageOptions.configuration(parsed, package: nil, CommandContext())
    }
    #expect(
      missing?.code == .notFound && CommandError(missing ?? UsageErrorStub()).exitCode == .usage)
    try Data("text\n".utf8).write(to: URL(filePath: path))
    let error = #expect(throws: EvidenceError.self) {
      try PackageOptions.configuration(parsed, package: nil, CommandContext())
    }
    #expect(error?.message == "'\(path)' is not a run archive (it is text)")
    #expect(CommandError(error ?? UsageErrorStub()).exitCode == .badBundle)
  }

  private struct UsageErrorStub: Error {}

  @Test func packingNeedsAPlace() throws {
    func message(_ words: [String]) throws -> String? {
      let parsed = try ParsedArguments(words, spec: ArchiveCommand.spec)
      let error = #expect(throws: UsageError.self) {
        try ArchiveCommand.run(parsed, CommandContext())
      }
      return error?.message
    }
    #expect(try message([])?.hasPrefix("where shall it be written?") == true)
    #expect(try message(["a", "b"])?.hasPrefix("unexpected argument 'b'") == true)
    #expect(try message(["verify"])?.hasPrefix("which archive?") == true)
    #expect(
      try message(["verify", "a.tar", "--output", "b"])
        == "'carrel archive verify' takes no --output")
  }

  /// The command that a report shows names the archive, as it is shortest.
  @Test func reportsNameTheArchive() {
    let test = TestID(product: "P", library: .xctest, name: "M.Class/testIt")
    let folder = TemporaryPath.current
    let printer = RunPrinter(
      CommandContext(), isQuiet: true, leaksFail: true, packagePath: "/build/P",
      archivePath: "\(folder)/my tests.tar.zst", recordPath: "\(folder)/.carrel/runs/x")
    let line = printer.report.bundleLine(
      BundleReference(test: test, attempt: 1, path: "bundles/b.tar.zst", bytes: 1))
    #expect(
      line.hasSuffix(
        "carrel repro .carrel/runs/x/bundles/b.tar.zst --archive 'my tests.tar.zst'"), "\(line)")
  }

  private enum TemporaryPath {
    static let current = CommandContext().absolute(".")
  }
}
