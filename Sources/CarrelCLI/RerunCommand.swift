import Evidence
import Glibc
import Orchestration
import RunEngine
import RunModel
import SwiftTests

/// `carrel rerun`.
enum RerunCommand {
  static let spec = CommandSpec(
    name: "rerun", summary: "run what failed or did not run in an earlier run",
    positionals: ["[RUN]", "[PACKAGE]"],
    options: RunOptions.specs + PackageOptions.specs, rest: "flags for 'swift build'",
    discussion: """
      RUN is a run's ID, the beginning of one, the path of its record, or 'latest' (default).
      """)

  static func run(_ arguments: ArraySlice<String>, _ context: CommandContext) throws -> ExitCode {
    let parsed = try ParsedArguments(arguments, spec: spec)
    if parsed.asksForHelp {
      context.output.print(spec.help)
      return .success
    }
    var words = parsed.positionals
    // `carrel rerun PACKAGE` is what comes to mind after `carrel run PACKAGE`.
    if words.count == 1, access(words[0] + "/Package.swift", F_OK) == 0 {
      words.insert("latest", at: 0)
    }
    let packagePath = words.dropFirst().first
    let package = try PackageOptions.configuration(parsed, package: packagePath, context)
    let runsFolder =
      parsed.string("--output").map { context.absolute($0) }
      ?? RunRecord.runsFolder(ofPackage: package.location.package)
    let reference = words.first ?? "latest"
    let record = try RunRecord.find(reference, inRunsFolder: runsFolder)
    let state = RunState(try record.events())
    let leaksFail = state.header?.leaksFail ?? true
    let failed = state.tests.map(\.result).filter { !$0.verdict.isSuccess(leaksFail: leaksFail) }
    guard !failed.isEmpty else {
      let count = state.tests.count
      context.output.print(
        count == 0
          ? "run \(record.runID) planned no tests; there is nothing to run again"
          : "every test of run \(record.runID) succeeded (\(count)); there is nothing to run again")
      return count == 0 ? .nothingMatched : .success
    }
    context.output.print(
      "running \(failed.count) of \(state.tests.count) tests of run \(record.runID)")
    let run = TestRun(
      context, package: package,
      configuration: try RunOptions.configuration(parsed, commandLine: ["rerun"] + arguments),
      filter: try TestFilter(ids: failed.map { "\($0.test)" }), junitPath: parsed.string("--junit"),
      runsFolder: parsed.string("--output").map { context.absolute($0) },
      isQuiet: parsed.has("--quiet"))
    return try run.perform()
  }
}
