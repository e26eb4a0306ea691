import Evidence
import RunModel
import SystemFiles

/// `carrel bundle`.
enum BundleCommand {
  static let spec = CommandSpec(
    name: "bundle", summary: "list, show, compare, extract or verify failure bundles",
    positionals: ["list|show|index|diff|extract|verify", "[BUNDLE]...", "[FOLDER]"],
    options: [
      OptionSpec("--format", value: "text|json", help: "form of the output (default: text)"),
      OptionSpec(
        "--keep-links", help: "extract: make symbolic links that lead out of the folder, too"),
      OptionSpec(
        "--package", value: "PATH", help: "list without a bundle: the package (default: .)"),
    ] + BundleDiffCommand.options,
    discussion: """
      list                      the bundles of the newest run that planned tests
      list BUNDLE               the entries of a bundle
      show BUNDLE               what failed, how, where, and the end of its output
      index BUNDLE              the entries of the search index, as JSON
      diff BUNDLE BUNDLE        what two bundles do not have in common, the most telling first
      extract BUNDLE [FOLDER]   all files, into a new folder (default: the bundle's name)
      verify BUNDLE...          whether every byte is what was packed; the status is the highest

      A bundle is read with limits on its size, entries and depth (docs/limits.md); nothing is ever
      written outside of FOLDER. Exit status: 0, or 8 when the bundle is damaged, cut off or of a
      newer format; of diff 1 when the bundles differ.
      """)

  static func run(_ parsed: ParsedArguments, _ context: CommandContext) throws -> ExitCode {
    let isJSON = try parsed.choice("--format", of: ["text", "json"]) == "json"
    let words = parsed.positionals
    guard let action = words.first else {
      throw UsageError(
        message: "what shall be done? carrel bundle list|show|index|diff|extract|verify")
    }
    guard ["list", "show", "index", "diff", "extract", "verify"].contains(action) else {
      throw UsageError(
        message: "there is no 'carrel bundle \(action)'; there are list, show, index, diff, "
          + "extract and verify")
    }
    guard words.count > 1 else {
      if action == "list" { return try listRun(parsed, isJSON, context) }
      throw UsageError(message: "which bundle? carrel bundle \(action) BUNDLE")
    }
    if action == "diff", words.count < 3 {
      throw UsageError(message: "which other bundle? carrel bundle diff BUNDLE BUNDLE")
    }
    let limit = ["verify": Int.max, "extract": 3, "diff": 3][action] ?? 2
    guard words.count <= limit else {
      throw UsageError(
        message: "unexpected argument '\(words[limit])': 'carrel bundle \(action)' takes "
          + (action == "diff"
            ? "two bundles"
            : "one bundle"
              + (action == "extract" ? " and one folder" : "; 'verify' takes several")))
    }
    let reader = BundleReader(path: words[1])
    switch action {
    case "list": return try BundleListing(reader, context).print(asJSON: isJSON)
    case "show": return try BundlePage(reader, context).print(asJSON: isJSON)
    case "index": return try BundleIndex(reader, context).print()
    case "diff":
      return try BundleDiffCommand(parsed, context).run((words[1], words[2]), asJSON: isJSON)
    case "verify": return verify(words.dropFirst(), context)
    default:
      return try extract(
        reader, to: words.count > 2 ? words[2] : defaultFolder(words[1]),
        links: parsed.has("--keep-links") ? .keepAll : .refuseOutside, context)
    }
  }

  /// The bundles of the newest run.
  private static func listRun(
    _ parsed: ParsedArguments, _ isJSON: Bool, _ context: CommandContext
  ) throws -> ExitCode {
    let package =
      parsed.string("--package").map { context.absolute($0) } ?? context.enclosingPackage()
    let run = try EarlierRun.find(
      "latest", inRunsFolder: RunRecord.runsFolder(ofPackage: package))
    if let warning = run.warning { context.complain(warning) }
    let record = run.record
    let bundles = try record.bundleIndex()
    if isJSON {
      struct Listed: Encodable {
        var path: String
        var test: TestID
        var attempt: Int
        var bytes: Int
      }
      let listed = bundles.map {
        Listed(
          path: "\(record.path)/\($0.path)", test: $0.test, attempt: $0.attempt, bytes: $0.bytes)
      }
      try context.printJSON(listed)
    } else {
      for bundle in bundles {
        let attempt = run.state.test(bundle.test)?.attempts.first { $0.attempt == bundle.attempt }
        let verdict = attempt.map { "\($0.verdict.rawValue), \($0.purpose.rawValue), " } ?? ""
        let path = ByteName(context.shown("\(record.path)/\(bundle.path)")).displayName
        context.output.print(
          "\(path)  \(bundle.test.printableName) (\(verdict)attempt \(bundle.attempt))")
      }
      if bundles.isEmpty { context.errors.print("run \(record.runID) has no bundles") }
    }
    return .success
  }

  /// - Returns: The highest of the bundles' statuses.
  private static func verify(_ paths: ArraySlice<String>, _ context: CommandContext) -> ExitCode {
    let codes = paths.map {
      verify(BundleReader(path: $0), isNamed: paths.count > 1, context)
    }
    return codes.max { $0.rawValue < $1.rawValue } ?? .success
  }

  /// - Parameter isNamed: Whether each line begins with the bundle's name.
  private static func verify(
    _ reader: BundleReader, isNamed: Bool, _ context: CommandContext
  ) -> ExitCode {
    let name = isNamed ? "\(ByteName(reader.path).displayName): " : ""
    do {
      let check = try reader.verify()
      guard !check.isWhole else {
        context.output.print(
          "\(name)whole: \(check.completeEntries) entries, \(check.completeBytes) bytes of files")
        for note in check.notes { context.output.print("\(name)note: \(text(note))") }
        return .success
      }
      return conclude(reader, check, context, name: name)
    } catch {
      let error = CommandError(error)
      context.complain("\(error.message)")
      return error.exitCode
    }
  }

  /// Tells what is wrong with a bundle.
  ///
  /// - Parameter name: What the line of each problem begins with.
  static func conclude(
    _ reader: BundleReader, _ check: BundleCheck, _ context: CommandContext, name: String = ""
  ) -> ExitCode {
    guard !check.isWhole else { return .success }
    if check.problems.first?.code != .noManifest {
      for problem in check.problems { context.complain("\(name)\(problem)") }
    }
    context.complain("\(damage(reader, check))")
    return .badBundle
  }

  /// One sentence about a bundle that is not whole.
  static func damage(_ reader: BundleReader, _ check: BundleCheck) -> String {
    let name = ByteName(reader.path).displayName
    if let problem = check.problems.first, problem.code == .noManifest {
      return "'\(name)' is not a failure bundle (\(problem))"
    }
    let damaged = check.problems.filter { $0.code == .different }
    if damaged.count == check.problems.count, let first = damaged.first?.entry {
      let more = damaged.count > 1 ? " and \(damaged.count - 1) more" : ""
      return
        "'\(name)' is damaged: '\(first.displayName)'\(more) of \(check.completeEntries) entries "
        + "are not what was packed"
    }
    let whole =
      check.lastEntry.map {
        "; there are \(check.completeEntries) entries up to '\($0.displayName)'"
      } ?? ""
    // The bundle's name is said once.
    let reason =
      check.problems.first.map { ": \($0)".replacing("'\(name)' is ", with: "it is ") } ?? ""
    return "'\(name)' is not whole\(reason)\(whole)"
  }

  static func text(_ note: ContentsNote) -> String {
    "\(note.path.displayName): \(ByteName(note.message).displayName)"
  }

  private static func extract(
    _ reader: BundleReader, to folder: String, links: ExtractionOptions.Links,
    _ context: CommandContext
  ) throws -> ExitCode {
    let report = try reader.extract(to: folder, options: ExtractionOptions(links: links))
    for refusal in report.refused { context.complain("refused: \(refusal)") }
    for problem in report.check.problems { context.complain("\(problem)") }
    context.output.print(
      "\(report.extractedEntries) entries extracted to \(ByteName(folder).displayName)")
    guard report.check.isWhole else {
      context.complain("\(damage(reader, report.check))")
      return .badBundle
    }
    return report.refused.isEmpty ? .success : .badBundle
  }

  /// The bundle's file name without its endings.
  private static func defaultFolder(_ path: String) -> String {
    var name = lastComponent(of: path)
    for ending in [".zst", ".gz", ".tar"] where name.hasSuffix(ending) {
      name.removeLast(ending.count)
    }
    return name.isEmpty ? "bundle" : name
  }
}
