import Evidence
import Glibc
import Reporting
import RunModel
import SystemFiles
import Workers

/// `carrel runs`.
enum RunsCommand {
  static let spec = CommandSpec(
    name: "runs", summary: "list, show or remove recorded runs",
    positionals: ["list|show|prune", "[RUN]"],
    options: [
      OptionSpec("--format", value: "text|json", help: "form of the output (default: text)"),
      OptionSpec(
        "--keep", value: "COUNT", help: "prune: keep this many of the newest runs, from 1"),
      OptionSpec(
        "--max-size", value: "SIZE",
        help: "prune: remove the oldest runs until all take no more than this, like 2GiB"),
      OptionSpec(
        "--older-than", value: "AGE",
        help: "prune: remove runs that started longer ago than this, like 90m, 12h, 30d or 4w"),
      OptionSpec("--dry-run", help: "prune: only say what would be removed"),
      RunReference.packageSpec, RunReference.outputSpec,
    ],
    discussion: """
      list        all runs, the newest first; a star marks the one that 'latest' leads to
      show RUN    what a run was and how it ended; RUN is as for 'carrel report'
      prune       remove the runs that at least one of --keep, --max-size, --older-than names

      'prune' never removes the newest run, the one that 'latest' leads to, one that is being
      written, or anything that it does not know as the record of a run.
      Exit status: 0, 2 no such run, 7 a record could not be removed, 8 the record cannot be read.
      """)

  static let counts = 1...1_000_000
  private static let maxSizes = 1...(1 << 50)

  static func run(_ parsed: ParsedArguments, _ context: CommandContext) throws -> ExitCode {
    let isJSON = try parsed.choice("--format", of: ["text", "json"]) == "json"
    let policy = try policy(parsed)
    let words = parsed.positionals
    guard let action = words.first else {
      throw UsageError(message: "what shall be done? carrel runs list|show|prune")
    }
    guard ["list", "show", "prune"].contains(action) else {
      throw UsageError(
        message: "there is no 'carrel runs \(action)'; there are list, show and prune")
    }
    if action != "show", words.count > 1 {
      throw UsageError(
        message: "unexpected argument '\(words[1])': 'carrel runs \(action)' takes none")
    }
    for name in ["--keep", "--max-size", "--older-than", "--dry-run"]
    where parsed.has(name) && action != "prune" {
      throw UsageError(message: "\(name) is for 'carrel runs prune'")
    }
    let folder = RunReference.runsFolder(
      parsed, package: parsed.string("--package"), context)
    switch action {
    case "list": return try list(folder, isJSON, context)
    case "show": return try show(words.count > 1 ? words[1] : "latest", folder, isJSON, context)
    default:
      guard let policy else {
        throw UsageError(
          message: "which runs? carrel runs prune --keep COUNT, --max-size SIZE or --older-than AGE"
        )
      }
      return try prune(folder, policy, isDry: parsed.has("--dry-run"), isJSON, context)
    }
  }

  /// What the options say is to be kept; `nil` when they say nothing.
  static func policy(_ parsed: ParsedArguments) throws(UsageError) -> Pruning.Policy? {
    var policy = Pruning.Policy(keep: try parsed.integer("--keep", in: counts))
    if let text = parsed.string("--max-size") {
      guard let bytes = ByteSize.parse(text), maxSizes.contains(bytes) else {
        throw UsageError(
          message: "--max-size needs a size like \"512MiB\" or \"2GiB\" (units: B, KiB, MiB, GiB, "
            + "TiB), not '\(text)'")
      }
      policy.maxBytes = bytes
    }
    if let text = parsed.string("--older-than") {
      guard let seconds = seconds(ofAge: text) else {
        throw UsageError(
          message: "--older-than needs a whole number with a unit, like 90m, 12h, 30d or 4w, not "
            + "'\(text)'")
      }
      policy.oldest = wallClockSeconds() - seconds
    }
    return policy.keep == nil && policy.maxBytes == nil && policy.oldest == nil ? nil : policy
  }

  /// The seconds of an age like `90m`; `nil` when it is none, or more than a thousand years.
  static func seconds(ofAge text: String) -> Double? {
    let units: [Character: Double] = [
      "s": 1, "m": 60, "h": 3600, "d": 86_400, "w": 604_800,
    ]
    guard let unit = text.last.flatMap({ units[$0] }), let number = Int(text.dropLast()),
      number >= 0, text.first?.isNumber == true, Double(number) * unit < 3.2e10
    else { return nil }
    return Double(number) * unit
  }

  private static func list(
    _ folder: String, _ isJSON: Bool, _ context: CommandContext
  ) throws -> ExitCode {
    let latest = latest(in: folder)
    let runs = try RunRecord.list(inRunsFolder: folder).reversed().map {
      RunPage($0.overview(), isLatest: $0 == latest)
    }
    if isJSON {
      try context.printJSON(RunPage.List(runs: runs))
    } else if runs.isEmpty {
      context.errors.print("there is no run in '\(ByteName(folder).displayName)'")
    } else {
      for line in RunPage.table(runs) { context.output.print(line) }
    }
    return .success
  }

  private static func show(
    _ reference: String, _ folder: String, _ isJSON: Bool, _ context: CommandContext
  ) throws -> ExitCode {
    let record = try RunRecord.find(reference, inRunsFolder: folder)
    let overview = record.overview()
    if let error = overview.error { throw error }
    let page = RunPage(overview, isLatest: record == latest(in: folder))
    if isJSON {
      try context.printJSON(RunPage.Single(run: page))
    } else {
      for line in page.lines { context.output.print(line) }
    }
    return .success
  }

  private static func prune(
    _ folder: String, _ policy: Pruning.Policy, isDry: Bool, _ isJSON: Bool,
    _ context: CommandContext
  ) throws -> ExitCode {
    let pruning = Pruning(
      try RunRecord.list(inRunsFolder: folder).map { $0.overview() }, latest: latest(in: folder),
      policy: policy)
    var pruned = PrunedRuns(isDry: isDry)
    for (record, obstacle) in pruning.left { pruned.leave(record, obstacle, context) }
    for candidate in pruning.removed {
      let record = candidate.overview.record
      do throws(RunRecord.RemovalObstacle) {
        if !isDry { try candidate.overview.remove() }
        pruned.removed.append(PrunedRuns.Run(id: record.runID, bytes: candidate.freed))
      } catch {
        pruned.leave(record, error, context)
      }
    }
    if isJSON {
      try context.printJSON(pruned)
    } else {
      for line in pruned.lines { context.output.print(line) }
    }
    return pruned.hasFailed ? .notWritten : .success
  }

  private static func latest(in folder: String) -> RunRecord? {
    try? RunRecord.find("latest", inRunsFolder: folder)
  }
}
