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
  /// An attempt out of which nothing can be taken stays as it is, and a warning says so.
  ///
  /// - Parameters:
  ///   - options: Those of the bundle's run.
  ///   - environment: Variables that the test had.
  /// - Throws: ``EvidenceError`` with the code `invalid-pattern`.
  func comparison(
    _ options: RedactionOptions, environment: [String: String]
  ) throws(EvidenceError) -> (AttemptResult) -> AttemptResult {
    guard let report, report.isEnabled, report.total > 0 else { return { $0 } }
    let search = try SecretSearch(options, environment: environment)
    let context = context
    return { attempt in
      do {
        return try Self.redacted(attempt, search)
      } catch {
        context.complain(
          "warning: secrets cannot be taken out of an attempt, so it is compared as it is, and may "
            + "look like another failure: \(error)")
        return attempt
      }
    }
  }

  static func redacted(
    _ attempt: AttemptResult, _ search: SecretSearch
  ) throws -> AttemptResult {
    let json = try search.redacted(try encodedJSON(attempt)).bytes
    let text = String(decoding: json, as: UTF8.self)
      .replacing(#/(?:\[redacted: [^\]"\\]+\]\**|\*{4,})/#, with: "[redacted]")
    return try JSONDecoder().decode(AttemptResult.self, from: Data(text.utf8))
  }

  /// More entries are counted, not named.
  private static let namedEntries = 5

  /// What a person should know of it.
  ///
  /// - Parameter environment: The caller's environment.
  func warnings(restoresContainer: Bool, environment: [String: String]) -> [String] {
    var warnings: [String] = []
    let missing = variables.filter { environment[$0] == nil }.sorted()
    if !missing.isEmpty {
      warnings.append(
        "warning: the values of variables were taken out of the bundle; set them to pass them to "
          + "the test: " + missing.map { ByteName($0).displayName }.joined(separator: ", "))
    }
    guard restoresContainer, let report else { return warnings }
    let changed = report.entries.filter {
      let path = $0.path ?? $0.pathBytes ?? ""
      return path.hasPrefix(BundlePaths.container + "/") || path == BundlePaths.index
    }
    guard !changed.isEmpty else { return warnings }
    let count = changed.reduce(0) { $0 + $1.rules.values.reduce(0, +) }
    let names = changed.prefix(Self.namedEntries).map {
      ByteName($0.path ?? $0.pathBytes ?? "").displayName
    }
    let rest = changed.count - names.count
    warnings.append(
      "warning: \(count == 1 ? "1 secret was" : "\(count) secrets were") taken out of files that "
        + "the test finds in its container: \(names.joined(separator: ", "))"
        + (rest > 0 ? " and \(rest) more" : ""))
    return warnings
  }
}
