package import RunModel

/// The events of several runs as those of one.
///
/// A pure function: the result does not depend on the order of the inputs, nor on which of them
/// were merged before, nor on how often one is given. Which result counts when several runs have
/// one for the same test is ``MergeRank``; docs/run-record.md has the rules.
package struct RunMerge: Sendable {
  /// Everything that one run contributes.
  private struct Contribution {
    var source: RunSource
    /// The input that it is taken from.
    var input: Int
    /// Its events, without those that say what the run is.
    var events: [RunEvent]
  }

  /// The runs, by ID.
  package var sources: [RunSource] { contributions.map(\.source) }
  /// The planned tests of all, each once.
  package private(set) var tests: [TestDescriptor] = []
  /// The runs that count for each test.
  private(set) var winners: [TestID: String] = [:]
  /// The inputs that the files of each test are in.
  private var inputs: [TestID: Int] = [:]
  /// Results that do not count, by test and run.
  package private(set) var setAside: [SetAsideResult] = []
  private var contributions: [Contribution] = []
  private var owners: [TestID: String] = [:]
  private var plannedAt: [TestID: Double] = [:]
  /// Each once.
  private(set) var problems: [RunEvent] = []
  /// The numbers of batches and workers.
  private(set) var renumbering = Renumbering([])
  /// What counts of each run, in the order of the runs; batches and workers have numbers of their
  /// own.
  private(set) var countingEvents: [RunEvent] = []

  /// - Parameter logs: The events of each run, also of one that was killed, or was merged itself.
  /// - Throws: ``OrchestrationError`` with the code `not-mergeable`: a log does not begin with the
  ///   start of a run, or two different runs have one ID.
  package init(_ logs: [[RunEvent]]) throws(OrchestrationError) {
    var found: [String: Contribution] = [:]
    var planned: [(test: TestDescriptor, run: String, time: Double)] = []
    var known: Set<SetAsideResult> = []
    for (input, events) in logs.enumerated() {
      let parts = try Self.split(events, input: input)
      for part in parts.contributions {
        try Self.take(part, into: &found)
      }
      planned += parts.planned
      known.formUnion(parts.setAside)
    }
    contributions = found.values.sorted { $0.source.runID < $1.source.runID }
    plan(planned)
    choose(known)
    collectProblems()
    renumbering = Renumbering(contributions.map { ($0.source.runID, $0.events) })
    countingEvents = countingEvents(of: nil, with: renumbering)
  }

  /// - Throws: ``OrchestrationError`` when a run of the same ID is another one.
  private static func take(
    _ part: Contribution, into found: inout [String: Contribution]
  ) throws(OrchestrationError) {
    let id = part.source.runID
    guard let other = found[id] else { return found[id] = part }
    guard other.source.header == part.source.header else {
      throw OrchestrationError(
        .notMergeable,
        "two different runs have the ID \(id): on \(other.source.header.hostName) and on "
          + "\(part.source.header.hostName); they cannot be merged", context: ["run": id])
    }
    // Of two copies of a record, the one that knows more.
    func knows(_ part: Contribution) -> (Int, Double, Int) {
      (part.source.finish == nil ? 0 : 1, part.source.endedAt, part.events.count)
    }
    if knows(part) > knows(other) { found[id] = part }
  }

  private static func split(_ events: [RunEvent], input: Int) throws(OrchestrationError) -> (
    contributions: [Contribution], planned: [(test: TestDescriptor, run: String, time: Double)],
    setAside: [SetAsideResult]
  ) {
    let state = RunState(events)
    guard let header = state.header, let startedAt = state.startedAt else {
      throw OrchestrationError(
        .notMergeable, "the log does not begin with the start of a run",
        context: ["input": "\(input)"])
    }
    var parts: [String: Contribution] = [:]
    if !header.isMerge {
      let last = events.reduce(startedAt) { max($0, $1.time) }
      let source = RunSource(
        header: header, startedAt: startedAt,
        endedAt: state.finish.map { startedAt + $0.duration } ?? last, finish: state.finish)
      parts[header.runID] = Contribution(source: source, input: input, events: [])
    }
    for source in header.sources ?? [] {
      parts[source.runID] = Contribution(source: source, input: input, events: [])
    }
    var planned: [(TestDescriptor, String, Double)] = []
    var setAside: [SetAsideResult] = []
    for event in events {
      let run = event.run ?? header.runID
      switch event.kind {
      case .runStarted, .runFinished: break
      case .testPlanned(let test): planned.append((test, run, event.time))
      case .resultSetAside(let result): setAside.append(result)
      default:
        var event = event
        event.run = run
        parts[run]?.events.append(event)
      }
    }
    return (Array(parts.values), planned, setAside)
  }

  /// Lists the tests: of each run those that no run with a smaller ID has planned, in its order.
  private mutating func plan(
    _ planned: [(test: TestDescriptor, run: String, time: Double)]
  ) {
    for (test, run, _) in planned {
      owners[test.id] = min(owners[test.id] ?? run, run)
    }
    var seen: Set<TestID> = []
    let order = Dictionary(
      contributions.enumerated().map { ($1.source.runID, $0) },
      uniquingKeysWith: { first, _ in first })
    let own = planned.filter { owners[$0.test.id] == $0.run }
    let sorted = own.enumerated().sorted {
      (order[$0.element.run] ?? 0, $0.offset) < (order[$1.element.run] ?? 0, $1.offset)
    }
    for (_, (test, _, time)) in sorted where seen.insert(test.id).inserted {
      tests.append(test)
      plannedAt[test.id] = time
    }
  }

  /// Finds the run that counts for each test.
  private mutating func choose(_ known: Set<SetAsideResult>) {
    var ranks: [TestID: [MergeRank]] = [:]
    for contribution in contributions {
      var state = RunState()
      for test in tests { state.apply(RunEvent(time: 0, .testPlanned(test))) }
      for event in contribution.events { state.apply(event) }
      for test in state.tests {
        guard let rank = MergeRank(test, run: contribution.source.runID) else { continue }
        ranks[test.id, default: []].append(rank)
        if rank >= (ranks[test.id]?.max() ?? rank) {
          winners[test.id] = rank.run
          inputs[test.id] = contribution.input
        }
      }
    }
    var losers = known
    for (test, ranks) in ranks {
      for rank in ranks where rank.saysSomething && rank.run != winners[test] {
        losers.insert(SetAsideResult(test: test, run: rank.run, verdict: rank.verdict))
      }
    }
    let positions = Dictionary(
      tests.enumerated().map { ($1.id, $0) }, uniquingKeysWith: { first, _ in first })
    setAside = losers.filter { winners[$0.test] != $0.run }.sorted {
      (positions[$0.test] ?? 0, $0.run, $0.verdict.rawValue)
        < (positions[$1.test] ?? 0, $1.run, $1.verdict.rawValue)
    }
  }

  /// Problems that several runs have word by word are told once.
  private mutating func collectProblems() {
    var seen: Set<RunProblem> = []
    for contribution in contributions {
      for event in contribution.events {
        guard case .problem(let problem) = event.kind, seen.insert(problem).inserted else {
          continue
        }
        problems.append(event)
      }
    }
  }

  // MARK: Results

  /// The files that events refer to, with the input that they are in.
  package var files: [(input: Int, path: String)] {
    countingEvents.flatMap { event -> [(Int, String)] in
      switch event.kind {
      case .attemptFinished(let attempt):
        let logs = [attempt.stdout, attempt.stderr].compactMap { $0 } + attempt.apps.map(\.log)
        let input = inputs[attempt.test] ?? 0
        return logs.map { (input, $0.path) }
      case .bundleWritten(let bundle): return [(inputs[bundle.test] ?? 0, bundle.path)]
      default: return []
      }
    }
  }

  /// The input that each run was taken from.
  package var inputOfRun: [String: Int] {
    Dictionary(
      contributions.map { ($0.source.runID, $0.input) }, uniquingKeysWith: { first, _ in first })
  }

  /// The events of the merged run without its end.
  package func events(_ header: RunHeader) -> [RunEvent] {
    let startedAt = sources.map(\.startedAt).min() ?? 0
    var events = [RunEvent(time: startedAt, .runStarted(header))] + problems
    events += warnings.map { RunEvent(time: startedAt, .problem($0)) }
    events += tests.map {
      RunEvent(time: plannedAt[$0.id] ?? startedAt, .testPlanned($0), run: owners[$0.id])
    }
    events += countingEvents
    events += setAside.map { RunEvent(time: startedAt, .resultSetAside($0)) }
    return events
  }

  /// Seconds from the first start to the last end.
  package var duration: Double {
    (sources.map(\.endedAt).max() ?? 0) - (sources.map(\.startedAt).min() ?? 0)
  }

  /// What counts of each run, in the order of the runs.
  ///
  /// - Parameters:
  ///   - tests: The tests whose attempts and results are wanted; `nil` for all.
  ///   - renumbering: Gives batches and workers their numbers.
  func countingEvents(of tests: Set<TestID>?, with renumbering: Renumbering) -> [RunEvent] {
    func counts(_ test: TestID, _ run: String) -> Bool {
      winners[test] == run && tests?.contains(test) ?? true
    }
    return contributions.flatMap { contribution in
      let run = contribution.source.runID
      return contribution.events.compactMap { event -> RunEvent? in
        switch event.kind {
        case .attemptStarted(let start) where !counts(start.test, run): nil
        case .attemptFinished(let attempt) where !counts(attempt.test, run): nil
        case .bundleWritten(let bundle) where !counts(bundle.test, run): nil
        case .testFinished(let result) where !counts(result.test, run): nil
        case .problem: nil
        default: renumbering.renumbered(event)
        }
      }
    }
  }
}
