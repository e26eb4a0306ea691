import Evidence
import Orchestration
import RunEngine
import RunModel
import SwiftTests

/// `carrel rerun`.
enum RerunCommand {
  static let spec = CommandSpec(
    name: "rerun", summary: "run what failed or did not run in an earlier run",
    positionals: ["[RUN]", "[PACKAGE]"],
    options: [ArchiveOptions.spec] + RunOptions.specs + IsolationOptions.specs
      + PackageOptions.specs,
    rest: "flags for 'swift build'",
    discussion: """
      RUN is a run's ID, the beginning of one, the path of its record, or 'latest' (default). When
      the newest run planned no tests, the newest one that did is taken. With nothing to run
      again the status is that of the run asked for; 4 when it planned no tests and was no failure.
      """)

  static func run(_ parsed: ParsedArguments, _ context: CommandContext) throws -> ExitCode {
    let (reference, packagePath) = RunReference.split(parsed.positionals, context)
    var package = try PackageOptions.configuration(parsed, package: packagePath, context)
    let runsFolder =
      ArchiveOptions.runsFolder(parsed, package, context)
      ?? RunRecord.runsFolder(ofPackage: package.location.package)
    let earlier = try EarlierRun.find(reference, inRunsFolder: runsFolder)
    if let warning = earlier.warning { context.complain(warning) }
    if let damage = earlier.damage { context.complain("warning: \(damage)") }
    let (record, state) = (earlier.record, earlier.state)
    package = try PackageOptions.configuration(
      parsed, package: packagePath, context, asIn: state.header,
      archive: packagePath == nil ? state.header?.archive?.path : nil)
    package.passedVariables += state.header?.passedVariables ?? []
    let leaksFail = state.header?.leaksFail ?? true
    if state.goesOn, state.finish == nil {
      context.complain(
        "warning: run \(record.runID) is being written; only what has failed by now is run again")
    }
    let failed = state.decided.map(\.result).filter { !$0.verdict.isSuccess(leaksFail: leaksFail) }
    let isQuiet = parsed.has("--quiet")
    guard !failed.isEmpty else {
      let code = earlier.statusWithoutFailures
      let text = earlier.nothingToRun
      if code == .success { context.output.print(text) } else { context.complain(text) }
      return code
    }
    if !isQuiet {
      context.output.print(
        "running \(failed.count) of \(state.tests.count) tests of run \(record.runID)")
    }
    var configuration = try RunOptions.configuration(parsed, commandLine: parsed.commandLine)
    try ConfigurationFile.read(
      into: &configuration, &package, parsed, context)
    try IsolationOptions.take(parsed, into: &configuration, of: package, context)
    configuration.folder = context.absolute(".")
    // What failed with some data is run with the same data.
    if let seed = state.header?.seed, !parsed.has("--seed") { configuration.seed = seed }
    var request = RunRequest(
      package: package, configuration: configuration,
      tests: .only(failed.map(\.test)),
      runsFolder: ArchiveOptions.runsFolder(parsed, package, context),
      workFolder: try context.workFolder())
    if package.archive != nil, !parsed.has("--archive"), let archive = state.header?.archive {
      request.sameArchive = (record.runID, archive)
    }
    let run = TestRun(
      context, request, junitPath: parsed.string("--junit"), isQuiet: isQuiet)
    return try run.perform()
  }
}
