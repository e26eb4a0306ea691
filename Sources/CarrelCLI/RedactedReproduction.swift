import Evidence
import FoundationEssentials
import RunModel

/// What a reproduction lacks because it was taken out of the bundle.
struct RedactedReproduction {
  /// Variables of which the bundle does not have the values.
  let variables: Set<String>
  private let report: RedactionReport?
  private let context: CommandContext

  /// - Throws: ``EvidenceError`` when the bundle does not say what was taken out in a form that can
  ///   be read.
  init(_ bundle: BundleReader, _ context: CommandContext) throws {
    report = try bundle.redactions()
    self.context = context
    variables = Set(report?.variables ?? [])
  }

  /// What makes a new failure comparable with that of the bundle: the same is taken out of it, and
  /// what is in the place of secrets is the same whatever they were.
  ///
  /// - Parameters:
  ///   - options: Those of the bundle's run.
  ///   - environment: Variables that the test had.
  func comparison(
    _ options: RedactionOptions, environment: [String: String]
  ) -> (AttemptResult) -> AttemptResult {
    guard let report, report.isEnabled, report.total > 0,
      let search = try? SecretSearch(options, environment: environment)
    else { return { $0 } }
    return { attempt in
      guard let json = try? encodedJSON(attempt) else { return attempt }
      let text = String(decoding: search.redacted(json).bytes, as: UTF8.self)
        .replacing(#/(?:\[redacted: [^\]"\\]+\]\**|\*{4,})/#, with: "[redacted]")
      return (try? JSONDecoder().decode(AttemptResult.self, from: Data(text.utf8))) ?? attempt
    }
  }

  /// More entries are counted, not named.
  private static let namedEntries = 5

  /// - Parameter environment: The caller's environment.
  func warn(restoresContainer: Bool, environment: [String: String]) {
    let missing = variables.filter { environment[$0] == nil }.sorted()
    if !missing.isEmpty {
      context.complain(
        "warning: the values of variables were taken out of the bundle; set them to pass them to "
          + "the test: " + missing.map { ByteName($0).displayName }.joined(separator: ", "))
    }
    guard restoresContainer, let report else { return }
    let changed = report.entries.filter {
      let path = $0.path ?? $0.pathBytes ?? ""
      return path.hasPrefix(BundlePaths.container + "/") || path == BundlePaths.index
    }
    guard !changed.isEmpty else { return }
    let count = changed.reduce(0) { $0 + $1.rules.values.reduce(0, +) }
    let names = changed.prefix(Self.namedEntries).map {
      ByteName($0.path ?? $0.pathBytes ?? "").displayName
    }
    let rest = changed.count - names.count
    context.complain(
      "warning: \(count == 1 ? "1 secret was" : "\(count) secrets were") taken out of files that "
        + "the test finds in its container: \(names.joined(separator: ", "))"
        + (rest > 0 ? " and \(rest) more" : ""))
  }
}
