import Evidence
import Glibc
import RunModel
import SystemFiles

/// `carrel report`.
enum ReportCommand {
  static let spec = CommandSpec(
    name: "report", summary: "make the reports of a recorded run again",
    positionals: ["[RUN]", "[PACKAGE]"],
    options: [
      OptionSpec(
        "--junit", value: "PATH",
        help: "write the JUnit XML report there, and make the folders that are missing"),
      OptionSpec("--quiet", "-q", help: "print no summary"),
      OptionSpec(
        "--run-status", help: "end with the status that the run ended with, not with 0"),
      RunReference.outputSpec,
    ],
    discussion: """
      RUN is a run's ID, the beginning of one, the path of its record, or 'latest' (default), also
      one that was killed: each planned test has one verdict, and those that have no result are lost
      when they were running and not run otherwise. While a run goes on, its report says which tests
      are running or waiting. The record is only read.
      Exit status: 0 when the reports were made, 2 no such run, 7 something could not be written, 8
      the record cannot be read; with --run-status that of the run.
      """)

  static func run(_ parsed: ParsedArguments, _ context: CommandContext) throws -> ExitCode {
    let (reference, package) = RunReference.split(parsed.positionals, context)
    let record = try RunRecord.find(
      reference,
      inRunsFolder: RunReference.runsFolder(parsed, package: package, context))
    let (events, damage) = try record.checkedEvents()
    let isBeingWritten = record.isBeingWritten
    var state = RunState(events)
    state.goesOn = isBeingWritten
    let reports = RunReports(record: record, state: state)
    if isBeingWritten, state.finish == nil {
      context.complain(
        "warning: run \(record.runID) is being written; the report is of what is known by now")
    }
    if let damage, !isBeingWritten { context.complain("warning: \(damage)") }
    if state.finish == nil, !isBeingWritten {
      let advice = state.tests.isEmpty ? "" : "; resume it with 'carrel resume'"
      context.complain("warning: run \(record.runID) did not come to its end" + advice)
    }
    var junitPath = ownReport(of: record)
    if let path = parsed.string("--junit").map({ context.absolute($0) }) {
      try ReportFile.write(
        reports.junit(inRecord: path == "\(record.path)/junit.xml"), to: path,
        outputs: [context.output, context.errors])
      junitPath = path
    }
    if !parsed.has("--quiet") {
      if let obstacle = state.obstacle { context.complain(obstacle.message) }
      reports.printSummary(context, junitPath: junitPath)
    }
    return parsed.has("--run-status") ? state.exitCode : .success
  }

  /// The report that the run itself left in its record.
  private static func ownReport(of record: RunRecord) -> String? {
    let path = "\(record.path)/junit.xml"
    var status = stat()
    return lstat(path, &status) == 0 && status.isRegular ? path : nil
  }
}
