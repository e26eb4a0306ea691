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
  private var winners: [TestID: String] = [:]
  /// The inputs that the files of each test are in.
  private var inputs: [TestID: Int] = [:]
  /// Results that do not count, by test and run.
  package private(set) var setAside: [SetAsideResult] = []
  private var contributions: [Contribution] = []
  private var owners: [TestID: String] = [:]
  private var plannedAt: [TestID: Double] = [:]
  private(set) var problems: [RunEvent] = []

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

  /// The header of a log with all of this.
  ///
  /// What the runs do not agree in is that of the run with the smallest ID, except: the weakest
  /// level of isolation, the sum of the workers, and the strictest word on leaks.
  ///
  /// - Parameters:
  ///   - runID: The ID of the merged run.
  ///   - carrel: The version of Carrel.
  ///   - arguments: The command line.
  package func header(runID: String, carrel: String, arguments: [String]) -> RunHeader {
    let headers = sources.map(\.header)
    var header = headers[0]
    func common<T: Equatable>(_ value: (RunHeader) -> T) -> T? {
      let first = value(headers[0])
      return headers.allSatisfy { value($0) == first } ? first : nil
    }
    header.format = eventLogFormat
    header.runID = runID
    header.carrel = carrel
    header.arguments = arguments
    header.workers = headers.reduce(0) { $0 + $1.workers }
    header.batch = common(\.batch) ?? "auto"
    header.retries = headers.map(\.retries).max() ?? 0
    header.timeLimit =
      headers.contains { $0.timeLimit == nil } ? nil : headers.compactMap(\.timeLimit).max()
    header.leaksFail = headers.contains(where: \.leaksFail)
    if common(\.isolation) == nil {
      let levels = ["directories", "processes", "sandbox"]
      let weakest = headers.map { levels.firstIndex(of: $0.isolation) ?? 0 }.min() ?? 0
      header.isolation = levels[weakest]
      header.isolationReason = "the weakest of the merged runs"
      header.network = nil
      header.writable = nil
    } else {
      let writable = Set(headers.flatMap { $0.writable ?? [] }).sorted()
      header.writable = writable.isEmpty ? nil : writable
    }
    header.hostName = Set(headers.map(\.hostName)).sorted().joined(separator: ", ")
    header.passedVariables = Set(headers.flatMap(\.passedVariables)).sorted()
    header.limits = common(\.limits) ?? nil
    header.sources = sources
    header.continues = nil
    header.folder = nil
    header.products = nil
    return header
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

  /// What counts of each run, in the order of the runs; batches and workers have numbers of their
  /// own.
  var countingEvents: [RunEvent] {
    countingEvents(of: nil, with: renumbering)
  }

  /// The numbers of batches and workers.
  var renumbering: Renumbering {
    Renumbering(contributions.map { ($0.source.runID, $0.events) })
  }

  /// - Parameter tests: The tests whose attempts and results are wanted; `nil` for all.
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

  /// What a person should know about the merge.
  private var warnings: [RunProblem] {
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

/// Numbers for batches and workers that several runs have numbered from 1.
struct Renumbering {
  private struct Key: Hashable {
    var run: String
    var number: Int
  }

  private var batches: [Key: Int] = [:]
  private var workers: [Key: Int] = [:]
  /// Whether workers have the numbers that their run gave them.
  var keepsWorkers = false

  /// - Parameter runs: In the order in which they get their numbers.
  init(_ runs: [(id: String, events: [RunEvent])]) {
    for (id, events) in runs {
      var batches: Set<Int> = []
      var workers: Set<Int> = []
      for event in events {
        guard let (batch, worker) = event.place else { continue }
        batches.insert(batch)
        workers.insert(worker)
      }
      for batch in batches.sorted() {
        self.batches[Key(run: id, number: batch)] = self.batches.count + 1
      }
      for worker in workers.sorted() {
        self.workers[Key(run: id, number: worker)] = self.workers.count + 1
      }
    }
  }

  /// Number of batches of all runs.
  var batchCount: Int { batches.count }

  func renumbered(_ event: RunEvent) -> RunEvent {
    guard let run = event.run, let (batch, worker) = event.place,
      let newBatch = batches[Key(run: run, number: batch)],
      let newWorker = keepsWorkers ? worker : workers[Key(run: run, number: worker)]
    else { return event }
    var event = event
    switch event.kind {
    case .batchStarted(var start):
      (start.batch, start.worker) = (newBatch, newWorker)
      event.kind = .batchStarted(start)
    case .attemptStarted(var start):
      (start.batch, start.worker) = (newBatch, newWorker)
      event.kind = .attemptStarted(start)
    case .attemptFinished(var result):
      (result.batch, result.worker) = (newBatch, newWorker)
      event.kind = .attemptFinished(result)
    case .batchFinished(var finish):
      (finish.batch, finish.worker) = (newBatch, newWorker)
      event.kind = .batchFinished(finish)
    default: break
    }
    return event
  }
}

extension RunEvent {
  /// The batch and the worker that it tells of.
  var place: (batch: Int, worker: Int)? {
    switch kind {
    case .batchStarted(let start): (start.batch, start.worker)
    case .attemptStarted(let start): (start.batch, start.worker)
    case .attemptFinished(let result): (result.batch, result.worker)
    case .batchFinished(let finish): (finish.batch, finish.worker)
    default: nil
    }
  }
}
