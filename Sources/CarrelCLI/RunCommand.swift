import Orchestration
import RunEngine
import SwiftTests

/// `carrel run`.
enum RunCommand {
  static let spec = CommandSpec(
    name: "run", summary: "build a package's tests and run them on isolated workers",
    positionals: ["[PACKAGE]"],
    options: [ArchiveOptions.spec] + FilterOptions.specs + RunOptions.specs + IsolationOptions.specs
      + [
        OptionSpec("--allow-empty", help: "a run without any test is a success")
      ] + PackageOptions.specs,
    rest: "flags for 'swift build'",
    discussion: """
      PACKAGE is the folder of a Swift package (default: the current folder). Each run has a record
      in PACKAGE/.carrel/runs/<run ID>, 'latest' points to the newest; with --archive it is in
      .carrel/runs of the current folder.
      Exit status: 0 every test succeeded, 1 tests failed, 2 usage, 3 build failed, 4 nothing
      matched, 5 listing failed, 6 environment, 7 something could not be written, 128+N ended by
      signal N.
      """)

  static func run(_ parsed: ParsedArguments, _ context: CommandContext) throws -> ExitCode {
    let filter = try FilterOptions.filter(parsed)
    var package = try PackageOptions.configuration(
      parsed, package: parsed.positionals.first, context)
    var configuration = try RunOptions.configuration(parsed, commandLine: parsed.commandLine)
    try ConfigurationFile.read(
      into: &configuration, &package, parsed, context)
    try IsolationOptions.take(parsed, into: &configuration, of: package, context)
    configuration.folder = context.absolute(".")
    let request = RunRequest(
      package: package, configuration: configuration,
      tests: .filter(filter), allowsEmpty: parsed.has("--allow-empty"),
      runsFolder: ArchiveOptions.runsFolder(parsed, package, context),
      workFolder: try context.workFolder())
    let run = TestRun(
      context, request, junitPath: parsed.string("--junit"), isQuiet: parsed.has("--quiet"))
    return try run.perform()
  }
}
