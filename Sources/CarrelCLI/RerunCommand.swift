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
    var package = try PackageOptions.configuration(parsed, package: packagePath, context)
    let runsFolder =
      parsed.string("--output").map { context.absolute($0) }
      ?? RunRecord.runsFolder(ofPackage: package.location.package)
    let reference = words.first ?? "latest"
    var record = try RunRecord.find(reference, inRunsFolder: runsFolder)
    var state = RunState(try record.events())
    if reference == "latest", state.tests.isEmpty {
      // A mistyped filter or a build that failed is not what somebody wants to run again.
      for older in try RunRecord.list(inRunsFolder: runsFolder).sorted(by: { $0.runID > $1.runID })
      {
        let events = RunState((try? older.events()) ?? [])
        guard !events.tests.isEmpty, events.header?.arguments.first != "repro" else { continue }
        (record, state) = (older, events)
        break
      }
    }
    package = try PackageOptions.configuration(
      parsed, package: packagePath, context, asIn: state.header)
    package.passedVariables += state.header?.passedVariables ?? []
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
    let request = RunRequest(
      package: package,
      configuration: try RunOptions.configuration(parsed, commandLine: ["rerun"] + arguments),
      tests: .only(failed.map(\.test)),
      runsFolder: parsed.string("--output").map { context.absolute($0) },
      workFolder: try context.workFolder())
    let run = TestRun(
      context, request, junitPath: parsed.string("--junit"), isQuiet: parsed.has("--quiet"))
    return try run.perform()
  }
}
