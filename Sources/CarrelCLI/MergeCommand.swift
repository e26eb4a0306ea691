import Evidence
import Orchestration
import RunEngine
import RunModel
import SystemFiles
import Workers

/// `carrel merge`.
enum MergeCommand {
  static let spec = CommandSpec(
    name: "merge", summary: "make one record of the runs of several shards or machines",
    positionals: ["RUN..."],
    options: [
      OptionSpec(
        "--junit", value: "PATH",
        help: "write the JUnit XML report there too, and make the folders that are missing"),
      OptionSpec("--quiet", "-q", help: "print no summary"),
      RunReference.packageSpec,
      OptionSpec(
        "--output", value: "PATH",
        help: "folder of run records that the new one is made in (default: PACKAGE/.carrel/runs)"),
    ],
    discussion: """
      RUN is as for 'carrel report'; IDs are looked up in PACKAGE/.carrel/runs. The new record has
      every planned test once, with logs and bundles, and is like that of a run: 'carrel report',
      'carrel rerun' and 'carrel repro' work with it. Of a test that several runs have, the worse
      result counts, and a warning names the others; runs that differ in package, toolchain or
      isolation are named, too.
      Exit status: 0 when the record was made, whatever is in it, 2 no such run, or not to be
      merged, 7 something could not be written, 8 a record cannot be read.
      """)

  static func run(_ parsed: ParsedArguments, _ context: CommandContext) throws -> ExitCode {
    guard !parsed.positionals.isEmpty else {
      throw UsageError(message: "which runs? carrel merge RUN RUN... --output PATH")
    }
    let package =
      parsed.string("--package").map { context.absolute($0) } ?? context.enclosingPackage()
    let inputs = try parsed.positionals.map {
      try Input($0, inRunsFolder: RunRecord.runsFolder(ofPackage: package), context)
    }
    let merge: RunMerge
    do throws(OrchestrationError) {
      merge = try RunMerge(inputs.map(\.events))
    } catch {
      let name = error.context["input"].flatMap { Int($0) }.map { inputs[$0].record.path }
      throw CommandError(
        .usage,
        (name.map { "'\(ByteName($0).displayName)' cannot be merged: " } ?? "") + error.message
          + (name == nil ? "" : "; leave it out, nothing was run there"), code: error.code.rawValue)
    }
    let runsFolder = RunReference.runsFolder(parsed, package: package, context)
    let record = try RunRecord.create(
      inRunsFolder: runsFolder, at: wallClockSeconds(), becomesLatest: false)
    let reports: RunReports
    do {
      reports = try write(merge, of: inputs, to: record, parsed, context)
    } catch {
      // Nobody shall take a part for the whole.
      removeTree(record.path)
      throw error
    }
    try record.becomeLatest()
    return try report(reports, parsed, context)
  }

  /// A record that is to be merged.
  private struct Input {
    let record: RunRecord
    let events: [RunEvent]

    init(_ reference: String, inRunsFolder folder: String, _ context: CommandContext) throws {
      record = try RunRecord.find(reference, inRunsFolder: folder)
      guard !record.isBeingWritten else {
        throw CommandError(
          .usage, "run \(record.runID) is being written; merge it when it has ended")
      }
      let (events, damage) = try record.checkedEvents()
      self.events = events
      if let damage { context.complain("warning: \(damage)") }
    }
  }

  private static func write(
    _ merge: RunMerge, of inputs: [Input], to record: RunRecord, _ parsed: ParsedArguments,
    _ context: CommandContext
  ) throws -> RunReports {
    let header = merge.header(
      runID: record.runID, carrel: carrelVersion, arguments: parsed.commandLine)
    let log = try record.openEventLog()
    try record.write(header)
    var missing: [String] = []
    for (input, path) in merge.files {
      let source = inputs[input].record
      let part: RunRecord.Part = path.hasPrefix("bundles/") ? .bundles : .logs
      if try !record.take(path, in: part, from: source) { missing.append("\(source.path)/\(path)") }
    }
    for (run, input) in merge.inputOfRun.sorted(by: { $0.key < $1.key }) {
      guard let own = RunState(inputs[input].events.prefix(1)).header else { continue }
      try record.takeJournal(of: run, from: inputs[input].record, header: own)
    }
    if let first = missing.first {
      let more = missing.count == 1 ? "" : " and \(missing.count - 1) more"
      context.complain(
        "warning: '\(ByteName(first).displayName)'\(more) cannot be taken over: no such file in "
          + "its record")
    }
    var state = RunState()
    func add(_ event: RunEvent) throws {
      try log.add(event)
      state.apply(event)
    }
    for event in merge.events(header) {
      try add(event)
      if case .bundleWritten(let bundle) = event.kind { try record.addToIndex(bundle) }
    }
    let code = ExitCode(state.conclusion(leaksFail: header.leaksFail))
    let finish = RunFinish(
      exitCode: code.rawValue, duration: merge.duration, verdicts: state.verdicts)
    let end = (state.startedAt ?? 0) + merge.duration
    try add(RunEvent(time: end, .runFinished(finish)))
    try log.flush()
    return RunReports(record: record, state: state)
  }

  private static func report(
    _ reports: RunReports, _ parsed: ParsedArguments, _ context: CommandContext
  ) throws -> ExitCode {
    var path = "\(reports.record.path)/junit.xml"
    try ReportFile.write(reports.junit(inRecord: true), to: path)
    if let other = parsed.string("--junit").map({ context.absolute($0) }) {
      try ReportFile.write(
        reports.junit(inRecord: false), to: other, outputs: [context.output, context.errors])
      path = other
    }
    if !parsed.has("--quiet") { reports.printSummary(context, junitPath: path) }
    return .success
  }
}
