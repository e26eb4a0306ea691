package import RunModel

/// Which facts of bundles differ in each attempt anyway, and which tell most.
package enum ExpectedFields {
  private static let manifest: Set = [
    "runID", "attempt", "purpose", "startedAt", "duration", "worker", "batch", "hostName",
    "fixtureToken", "run.runID", "run.seed", "run.hostName", "run.folder", "run.products",
    "run.sources", "run.continues", "run.arguments",
  ]

  /// Variables of a batch, and those that lead the observer; see docs/environment.md.
  private static let variables: Set = [
    "CARREL_RUN_ID", "CARREL_WORKER", "CARREL_BATCH", "CARREL_SCOPE", "CARREL_TEST_SEQUENCE",
    "CARREL_FIXTURE_TOKEN", "LD_PRELOAD",
  ]

  /// Facts of the run's header that the manifest has, too.
  private static let repeated: Set = [
    "format", "carrel", "isolation", "toolchain", "toolchainDetails", "hostName",
  ]

  /// Facts of the manifest that explain most, in this order; those that it does not name come
  /// behind them.
  private static let ranks = [
    "test", "verdict", "reason", "issues", "end", "skip", "cases", "leaks", "omitted",
    "duration", "timeLimit", "isolation", "predecessors", "bundleIdentifier", "intentName",
    "toolchain", "toolchainDetails", "runtime", "run", "package",
  ]

  /// Whether a fact of the run's header, whose name begins with `run.`, is in the manifest as well.
  package static func isInManifest(_ name: String) -> Bool {
    name.hasPrefix("run.") && repeated.contains(top(name.dropFirst(4)))
  }

  /// The fields with what is expected marked, the most telling first.
  ///
  /// - Parameter isExact: Whether nothing counts as expected.
  package static func marked(
    _ fields: [FieldDifference], of part: BundlePart, isExact: Bool
  ) -> [FieldDifference] {
    let marked = fields.map { field in
      var field = field
      field.isExpected = !isExact && isExpected(field.name, part)
      return field
    }
    guard part == .manifest else { return marked }
    return marked.enumerated().sorted { (rank($0), $0.offset) < (rank($1), $1.offset) }
      .map(\.element)
  }

  private static func rank(_ item: (offset: Int, element: FieldDifference)) -> Int {
    ranks.firstIndex(of: top(item.element.name[...])) ?? ranks.count
  }

  private static func isExpected(_ name: String, _ part: BundlePart) -> Bool {
    switch part {
    case .manifest:
      let isOfRun = name.hasPrefix("run.")
      let key = isOfRun ? "run." + top(name.dropFirst(4)) : top(name[...])
      if manifest.contains(key) { return true }
      // Where a log is in the record, and how long it is: the part of the logs tells more.
      if key == "stdout" || key == "stderr" || key == "appLogs" {
        return name.hasSuffix(".path") || name.hasSuffix(".bytes")
      }
      return key == "leaks" && name.hasSuffix(".pid")
    case .command:
      let prefix = "environment."
      let variable = String(name.dropFirst(prefix.count))
      return name.hasPrefix(prefix)
        && (variables.contains(variable) || variable.hasPrefix("CARREL_OBSERVER_"))
    default: return false
    }
  }

  /// The first component of a name.
  private static func top(_ name: Substring) -> String {
    String(name.prefix { $0 != "." && $0 != "[" })
  }
}

/// Differences of toolchains as fields.
package enum ToolchainFields {
  /// The facts that differ, the most telling first.
  package static func between(
    _ a: ToolchainFacts?, _ b: ToolchainFacts?, prefix: String
  ) -> [FieldDifference] {
    let (a, b) = (a ?? ToolchainFacts(), b ?? ToolchainFacts())
    // Each side's facts that the other lacks or has otherwise; a fact that both have comes twice.
    let names = Set((b.differences(from: a) + a.differences(from: b)).map(\.fact))
    let kinds = ToolchainFactKind.allCases
    func rank(_ name: String) -> Int {
      ToolchainFactKind(of: name).flatMap { kinds.firstIndex(of: $0) } ?? kinds.count
    }
    let unknown = Set(a.unknownNames + b.unknownNames).filter { a.values[$0] != b.values[$0] }
    return (names.union(unknown)).sorted { (rank($0), $0) < (rank($1), $1) }.map { name in
      let difference = ToolchainDifference(
        fact: name, wanted: a.values[name] ?? "", found: b.values[name])
      let isError = difference.weight(.compatible) == .error
      return FieldDifference(
        prefix + name, a: a.values[name], b: b.values[name],
        note: isError ? "can change results" : nil)
    }
  }
}
