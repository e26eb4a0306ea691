import RunModel

extension RunMerge {
  /// What a person should know about the merge.
  var warnings: [RunProblem] {
    var warnings: [RunProblem] = []
    func warn(_ code: RunProblem.Code, _ message: String) {
      warnings.append(RunProblem(severity: .warning, code: code, message: message))
    }
    func compare(_ name: String, _ value: (RunHeader) -> String) {
      var runs: [String: [String]] = [:]
      for source in sources { runs[value(source.header), default: []].append(source.runID) }
      guard runs.count > 1 else { return }
      let parts = runs.sorted { ($0.value[0], $0.key) < ($1.value[0], $1.key) }.map {
        "\($0.isEmpty ? "none" : $0) (\($1.joined(separator: ", ")))"
      }
      warn(.mergeDifference, "the merged runs differ in \(name): " + parts.joined(separator: "; "))
    }
    compare("their package") { $0.packagePath }
    compare("their toolchain") { $0.toolchain }
    compare("their isolation") { $0.isolation }
    // Without a sandbox there is nothing to be said of the network.
    if sources.map(\.header).common(\.isolation) != nil {
      compare("their network") { $0.network ?? "not said" }
    }
    compare("the build configuration") { $0.buildConfiguration ?? "" }
    compare("the flags of their build") { ($0.buildFlags ?? []).joined(separator: " ") }
    compare("what leaks count as") { $0.leaksFail ? "failures" : "passes" }
    for source in sources where source.finish == nil {
      warn(.mergeCutOff, "run \(source.runID) did not come to its end")
    }
    if let conflicts { warn(.mergeConflict, conflicts) }
    return warnings
  }

  /// Most tests that a warning names.
  private static let namedConflicts = 10

  /// A sentence about tests that several runs have a result for; `nil` when there are none.
  private var conflicts: String? {
    var verdicts: [TestID: [SetAsideResult]] = [:]
    for result in setAside { verdicts[result.test, default: []].append(result) }
    guard !verdicts.isEmpty else { return nil }
    var state = RunState()
    for test in tests { state.apply(RunEvent(time: 0, .testPlanned(test))) }
    for event in countingEvents { state.apply(event) }
    let entries = state.tests.compactMap { test -> (text: String, differs: Bool)? in
      guard let others = verdicts[test.id] else { return nil }
      let verdict = test.result.verdict
      let rest = others.map { "\($0.verdict.rawValue) in \($0.run)" }
      let text =
        "\(test.id.printableName): \(verdict.rawValue) in \(winners[test.id] ?? "") counts, not "
        + rest.joined(separator: ", ")
      return (text, others.contains { $0.verdict != verdict })
    }
    let differing = entries.count { $0.differs }
    let shown = entries.sorted { $0.differs && !$1.differs }.prefix(Self.namedConflicts)
    let more = entries.count - shown.count
    let count = entries.count == 1 ? "1 test was" : "\(entries.count) tests were"
    return "\(count) run in several of the merged runs, \(differing) with different verdicts: "
      + shown.map(\.text).joined(separator: "; ") + (more > 0 ? "; and \(more) more" : "")
  }
}
