import Comparison
import Evidence
import RunModel

/// `carrel bundle diff`.
struct BundleDiffCommand {
  static let options = [
    OptionSpec(
      "--part", value: BundlePart.allCases.map(\.rawValue).joined(separator: "|"),
      isRepeatable: true, help: "diff: compare only this part (default: all)"),
    OptionSpec("--stat", help: "diff: print the summary only"),
    OptionSpec(
      "--all", help: "diff: print every line (default: the first 100 of each list or text)"),
    OptionSpec(
      "--exact",
      help: "diff: replace no names of runs, count what differs in each attempt, and times of files"
    ),
    OptionSpec("--force", help: "diff: compare what can be read of a bundle that is not whole"),
  ]

  private let arguments: ParsedArguments
  private let context: CommandContext

  init(_ arguments: ParsedArguments, _ context: CommandContext) {
    self.arguments = arguments
    self.context = context
  }

  /// Prints what two bundles do not have in common.
  ///
  /// - Returns: `success` when no part that is compared differs, else `bundlesDiffer`; `badBundle`
  ///   when something could not be compared, unless that was accepted.
  /// - Throws: ``CommandError`` or ``EvidenceError`` when a bundle cannot be read.
  func run(_ paths: (String, String), asJSON isJSON: Bool) throws -> ExitCode {
    let names = BundlePart.allCases.map(\.rawValue)
    for name in arguments.all("--part") where !names.contains(name) {
      throw UsageError(
        message: "--part needs one of \(names.map { "'\($0)'" }.joined(separator: ", ")), not "
          + "'\(name)'")
    }
    var request = BundleComparer.Request(isExact: arguments.has("--exact"))
    if arguments.has("--part") {
      request.parts = Set(arguments.all("--part").compactMap { BundlePart(rawValue: $0) })
    }
    let (a, b) = (BundleReader(path: paths.0), BundleReader(path: paths.1))
    let (first, second) = (try inventory(of: a), try inventory(of: b))
    guard let left = first.check.manifest, let right = second.check.manifest else {
      throw CommandError(.badBundle, "a bundle has no manifest")
    }
    let diff = try BundleComparer((a, b), (first, second), (left, right), request).compare()
    if isJSON {
      try context.printJSON(diff)
    } else {
      let report = DiffReport(
        diff,
        style: DiffReport.Style(
          isColored: context.output.wantsColor(context.environment),
          lines: arguments.has("--all") ? nil : DiffReport.Style.standardLines,
          isSummary: arguments.has("--stat")))
      report.write { context.output.print($0) }
    }
    if !diff.sameTest { context.complain("warning: the bundles are of different tests") }
    let unread = diff.parts.filter { $0.state == .unreadable }
    for part in unread {
      context.complain(
        "the part '\(part.part.rawValue)' cannot be compared: "
          + part.notes.joined(separator: "; "))
    }
    if !unread.isEmpty, !arguments.has("--force") { return .badBundle }
    return diff.isDifferent ? .bundlesDiffer : .success
  }

  /// Goes through a bundle, which must be whole unless that was waived.
  private func inventory(of reader: BundleReader) throws -> BundleInventory {
    let inventory = try BundleInventory(reader)
    if let path = inventory.repeated {
      context.complain(
        "warning: '\(path.displayName)' is more than once in "
          + "'\(ByteName(reader.path).displayName)'; the first counts")
    }
    let check = inventory.check
    guard !check.isWhole else { return inventory }
    let damage = BundleCommand.damage(reader, check)
    guard arguments.has("--force"), check.manifest != nil else {
      let hint = check.manifest == nil ? "" : "; --force compares what can be read"
      throw CommandError(.badBundle, damage + hint)
    }
    context.complain("warning: \(damage)")
    return inventory
  }
}
