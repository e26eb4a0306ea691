import Evidence
import Glibc
import Orchestration
import RunEngine
import RunModel
import SwiftTests

/// `carrel resume`.
enum ResumeCommand {
  static let spec = CommandSpec(
    name: "resume", summary: "resume a run that was killed or interrupted",
    positionals: ["[RUN]", "[PACKAGE]"],
    options: [
      OptionSpec("--force", help: "resume it although the tests were built anew since"),
      OptionSpec("--skip-build", help: "use what was built last, also when the run did not"),
      OptionSpec(
        "--junit", value: "PATH",
        help: "write a JUnit XML report there (default: where the run was to write it)"),
      OptionSpec(
        "--quiet", "-q",
        help: "print no line at the start and for tests that succeed, and no build output"),
      RunReference.outputSpec,
    ],
    discussion: """
      RUN is as for 'carrel report'; when the newest run planned no tests, the newest one that did
      is taken. Tests with a final result are not run again; those that ran when the run ended are.
      Plan, order, options and seed are those of the run. The result is a new record beside the old
      one, with all tests and results; the old one stays as it is.
      Exit status: as of 'carrel run'; of a run that came to its end its own status, 2 when it
      cannot be resumed, 6 when the tests were built anew.
      """)

  static func run(_ parsed: ParsedArguments, _ context: CommandContext) throws -> ExitCode {
    let (reference, packagePath) = RunReference.split(parsed.positionals, context)
    let earlier = try EarlierRun.find(
      reference,
      inRunsFolder: RunReference.runsFolder(parsed, package: packagePath, context))
    if let warning = earlier.warning { context.complain(warning) }
    let (record, state) = (earlier.record, earlier.state)
    guard !record.isBeingWritten else {
      throw CommandError(
        .usage, "run \(record.runID) is being written; let it come to its end, or end it first")
    }
    if let finish = state.finish, finish.interruptedBy == nil {
      let text =
        "run \(record.runID) came to its end; there is nothing to resume ('carrel rerun' runs "
        + "what failed)"
      let code = state.exitCode
      if code == .success { context.output.print(text) } else { context.complain(text) }
      return code
    }
    // A last line that was cut off is what a killed run leaves.
    if let damage = earlier.damage { context.complain("warning: \(damage)") }
    let resumable: ResumableRun
    do throws(OrchestrationError) {
      resumable = try ResumableRun(try events(of: record))
    } catch {
      throw CommandError(
        .usage, "run \(record.runID) cannot be resumed: \(error)", code: error.code.rawValue)
    }
    let original = try options(of: resumable, context)
    let request = try request(
      resumable, of: record, as: original, package: packagePath, parsed, context)
    let isQuiet = parsed.has("--quiet") || original.parsed.has("--quiet")
    if !isQuiet {
      let done = resumable.tests.count - resumable.rest.count
      context.output.print(
        "resuming run \(record.runID): \(done) of \(resumable.tests.count) tests have a "
          + "result"
      )
    }
    let junit =
      parsed.string("--junit").map { context.absolute($0) }
      ?? original.parsed.string("--junit").map { original.context.absolute($0) }
    return try TestRun(context, request, junitPath: junit, isQuiet: isQuiet).perform()
  }

  private static func events(of record: RunRecord) throws(OrchestrationError) -> [RunEvent] {
    do {
      return try record.events()
    } catch {
      throw OrchestrationError(.notResumable, "its event log cannot be read", cause: error)
    }
  }

  /// The options that a run was started with, and the folder that paths in them start from.
  private typealias OriginalOptions = (parsed: ParsedArguments, context: CommandContext)

  private static func options(
    of resumable: ResumableRun, _ context: CommandContext
  ) throws -> OriginalOptions {
    let specs = [RunCommand.spec, RerunCommand.spec]
    let arguments = resumable.origin.arguments
    guard let spec = specs.first(where: { $0.name == arguments.first }) else {
      throw CommandError(
        .usage,
        "run \(resumable.header.runID) is not of 'carrel run' or 'carrel rerun', but of "
          + "'carrel \(arguments.first ?? "")'; give that command again")
    }
    var original = context
    original.folder = resumable.origin.folder
    do throws(UsageError) {
      // The text of the configuration is in the record.
      let parsed = try ParsedArguments(arguments.dropFirst(), spec: spec).without("--config")
      return (parsed, original)
    } catch {
      throw CommandError(
        .usage,
        "the options of run \(resumable.header.runID) are not those of this version of Carrel: "
          + error.message)
    }
  }

  private static func request(
    _ resumable: ResumableRun, of record: RunRecord, as options: OriginalOptions,
    package given: String?, _ parsed: ParsedArguments, _ context: CommandContext
  ) throws -> RunRequest {
    let (original, originalContext) = options
    let header = resumable.header
    var package = try PackageOptions.configuration(
      original,
      package: header.archive == nil
        ? given.map { context.absolute($0) } ?? header.packagePath : nil, originalContext,
      asIn: header, archive: header.archive?.path)
    package.passedVariables += header.passedVariables
    if parsed.has("--skip-build") { package.skipsBuild = true }
    var configuration = try RunOptions.configuration(original, commandLine: parsed.commandLine)
    configuration.limits = header.limits?.limits ?? configuration.limits
    try ConfigurationFile.read(
      into: &configuration, &package, original, recorded: .some(header.configuration),
      originalContext)
    try IsolationOptions.take(original, into: &configuration, of: package, originalContext)
    configuration.seed = header.seed
    configuration.scheduling.workers = header.workers
    configuration.folder = context.absolute(".")
    if let most = configuration.scheduling.maxFailures {
      configuration.scheduling.maxFailures = max(1, most - resumable.failures)
    }
    var request = RunRequest(
      package: package, configuration: configuration, tests: .only(resumable.rest),
      order: resumable.rest, allowsEmpty: true,
      runsFolder: parsed.string("--output").map { context.absolute($0) }
        ?? folder(ofRecord: record),
      workFolder: try context.workFolder())
    request.resume = ResumeRequest(
      record: record, resumable: resumable, acceptsChanges: parsed.has("--force"))
    return request
  }

  /// The folder that a record lies in.
  private static func folder(ofRecord record: RunRecord) -> String {
    String(record.path.dropLast(record.runID.utf8.count + 1))
  }
}
