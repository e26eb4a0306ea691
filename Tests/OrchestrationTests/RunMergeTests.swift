import RunModel
import TestSupport
import Testing

@testable import Orchestration

/// Merging of runs: what must hold for any runs, and what the rule says.
@Suite struct RunMergeTests {
  // MARK: Properties

  @Test(arguments: 0..<20) func anyOrderAndAnyGroupingGiveTheSame(block: Int) throws {
    for seed in block * 25..<(block + 1) * 25 {
      var random = SeededGenerator(seed: seed)
      let runs = (0..<3).map { RandomRun(index: $0, &random).events }
      let all = try merged(runs)
      #expect(try merged(runs.reversed()) == all, "seed \(seed)")
      #expect(try merged([merged([runs[0], runs[1]]), runs[2]]) == all, "seed \(seed)")
      #expect(try merged([runs[0], merged([runs[1], runs[2]])]) == all, "seed \(seed)")
      #expect(try merged([runs[1], merged([runs[2], runs[0]])]) == all, "seed \(seed)")
      // A run that is given twice, or was merged already, changes nothing.
      #expect(try merged([all]) == all, "seed \(seed)")
      #expect(try merged([all, runs[1], runs[1]]) == all, "seed \(seed)")
      #expect(try merged([all, merged([runs[2], runs[0]])]) == all, "seed \(seed)")
    }
  }

  @Test(arguments: 0..<20) func plannedIsReported(block: Int) throws {
    for seed in block * 25..<(block + 1) * 25 {
      var random = SeededGenerator(seed: seed)
      let runs = (0..<Int.random(in: 1...4, using: &random)).map {
        RandomRun(index: $0, &random).events
      }
      let states = runs.map { RunState($0) }
      let state = RunState(try merged(runs))
      let planned = Set(states.flatMap { $0.tests.map(\.id) })
      #expect(Set(state.tests.map(\.id)) == planned && state.tests.count == planned.count)
      #expect(state.verdicts.values.reduce(0, +) == planned.count)
      for test in state.tests {
        // The result, the attempts and the bundles are those of one run that has the test.
        let origins = states.compactMap { $0.test(test.id) }
        let isOneOfThem = origins.contains {
          $0.result == test.result && $0.attempts.map(\.verdict) == test.attempts.map(\.verdict)
            && $0.bundles == test.bundles
        }
        #expect(isOneOfThem, "seed \(seed): \(test.id)")
        // No failure that was written down is hidden.
        let hasFailed = origins.contains {
          $0.logged.map { MergeRank.order.firstIndex(of: $0.verdict)! >= 7 } ?? false
        }
        #expect(!hasFailed || !test.result.verdict.isSuccess(leaksFail: true), "seed \(seed)")
      }
    }
  }

  /// Batches and workers have one number each; a batch's events name one worker.
  @Test func placesAreToldApart() throws {
    for seed in 0..<100 {
      var random = SeededGenerator(seed: seed)
      let runs = (0..<3).map { RandomRun(index: $0, &random).events }
      let events = try merged(runs)
      let starts = events.compactMap { event -> BatchStart? in
        if case .batchStarted(let start) = event.kind { start } else { nil }
      }
      #expect(
        starts.count
          == runs.joined().count { if case .batchStarted = $0.kind { true } else { false } })
      #expect(
        Set(starts.map(\.batch))
          == Set(1...max(starts.count, 1)).subtracting(starts.isEmpty ? [1] : []))
      let workers = Dictionary(starts.map { ($0.batch, $0.worker) }) { first, _ in first }
      for event in events {
        guard let (batch, worker) = event.place else { continue }
        #expect(workers[batch] == worker, "seed \(seed)")
      }
    }
  }

  @Test func randomRunsReachWhatTheyAreMeantToTest() throws {
    var codes: Set<RunProblem.Code> = []
    var verdicts: Set<Verdict> = []
    var inferred = 0
    for seed in 0..<100 {
      var random = SeededGenerator(seed: seed)
      let state = RunState(try merged((0..<3).map { RandomRun(index: $0, &random).events }))
      codes.formUnion(state.problems.map(\.code))
      verdicts.formUnion(state.tests.map(\.result.verdict))
      inferred += state.tests.count { $0.logged == nil }
    }
    #expect(codes.isSuperset(of: [.mergeConflict, .mergeCutOff, .mergeDifference, .listingFailed]))
    #expect(verdicts == Set(Verdict.allCases) && inferred > 20)
  }

  // MARK: The rule

  @Test(arguments: [
    (Verdict.failed, Verdict.passed, Verdict.failed), (.passed, .crashed, .crashed),
    (.notRun, .passed, .passed), (.interrupted, .skipped, .skipped),
    (.environment, .passed, .passed), (.failed, .notRun, .failed),
    (.knownIssue, .passed, .knownIssue), (.leaked, .passed, .leaked),
    (.skipped, .passed, .passed), (.notRun, .interrupted, .interrupted),
  ]) func theWorseResultCounts(first: Verdict, second: Verdict, wanted: Verdict) throws {
    let logs = [run("a", first), run("b", second)]
    for logs in [logs, logs.reversed()] {
      let state = RunState(try merged(logs))
      #expect(state.tests.map(\.result.verdict) == [wanted])
    }
  }

  @Test func aConflictIsNamed() throws {
    let events = try merged([run("a", .passed), run("b", .failed)])
    let problem = RunState(events).problems.first { $0.code == .mergeConflict }
    #expect(
      problem?.message
        == "1 test was run in several of the merged runs, 1 with different verdicts: "
        + "M.C/test: failed in b counts, not passed in a")
    #expect(
      events.contains {
        $0.kind == .resultSetAside(SetAsideResult(test: id("M.C/test"), run: "a", verdict: .passed))
      })
    // What says nothing about the test is no conflict.
    for other in [Verdict.notRun, .interrupted, .environment] {
      let state = RunState(try merged([run("a", .passed), run("b", other)]))
      #expect(!state.problems.contains { $0.code == .mergeConflict })
    }
  }

  /// Killed while the test ran, and run again by another machine.
  @Test func aResultCountsMoreThanOneThatIsInferred() throws {
    var cut = run("b", .passed)
    cut.removeAll {
      switch $0.kind {
      case .testFinished, .attemptFinished, .runFinished: true
      default: false
      }
    }
    #expect(RunState(cut).tests.map(\.result.verdict) == [.lost])
    let state = RunState(try merged([cut, run("a", .passed)]))
    #expect(state.tests.map(\.result.verdict) == [.passed])
    #expect(state.problems.map(\.code) == [.mergeCutOff])
  }

  @Test func differencesAreNamed() throws {
    let state = RunState(
      try merged([
        run("a", .passed),
        run("b", .passed) {
          $0.toolchain = "Swift 7"
          $0.isolation = "sandbox"
          $0.packagePath = "/q"
          $0.hostName = "h2"
          $0.leaksFail = false
          $0.timeLimit = 10
        },
      ]))
    let messages = state.problems.filter { $0.code == .mergeDifference }.map(\.message)
    #expect(
      messages == [
        "the merged runs differ in their package: /p (a); /q (b)",
        "the merged runs differ in their toolchain: Swift (a); Swift 7 (b)",
        "the merged runs differ in their isolation: directories (a); sandbox (b)",
        "the merged runs differ in what leaks count as: failures (a); passes (b)",
      ])
    let header = state.header
    #expect(header?.isolation == "directories" && header?.hostName == "h, h2")
    #expect(header?.leaksFail == true && header?.workers == 4 && header?.timeLimit == nil)
    #expect(header?.sources?.map(\.runID) == ["a", "b"] && header?.isMerge == true)
  }

  /// The header says of isolation and clones what is true of all runs.
  @Test func theHeaderIsTrueOfAllRuns() throws {
    func sandboxed(_ header: inout RunHeader) {
      header.isolation = "sandbox"
      header.isolationReason = "it works"
      header.network = "loopback"
      header.writable = ["/w1"]
      header.scratch = ["/s1"]
      header.clone = "overlay"
      header.cloneReason = "the data is large"
      header.configuration = "{}"
    }
    let first = run("a", .passed, change: sandboxed)
    func state(_ change: (inout RunHeader) -> Void) throws -> RunState {
      RunState(
        try merged([
          first,
          run("b", .passed) {
            sandboxed(&$0)
            change(&$0)
          },
        ]))
    }
    let same = try #require(try state { _ in }.header)
    #expect(same.isolationReason == "it works" && same.network == "loopback")
    #expect(same.writable == ["/w1"] && same.scratch == ["/s1"] && same.configuration == "{}")
    #expect(same.clone == "overlay" && same.cloneReason == "the data is large")

    // The same level with other values.
    let others = try state {
      $0.isolationReason = "it was asked for"
      $0.network = "host"
      $0.writable = ["/w2"]
      $0.scratch = ["/s0"]
      $0.cloneReason = "it was asked for"
      $0.configuration = nil
    }
    let header = try #require(others.header)
    #expect(header.isolation == "sandbox" && header.isolationReason == nil)
    #expect(header.network == nil && header.configuration == nil)
    #expect(header.writable == ["/w1", "/w2"] && header.scratch == ["/s0", "/s1"])
    #expect(header.clone == "overlay" && header.cloneReason == nil)
    func differences(_ state: RunState) -> [String] {
      state.problems.filter { $0.code == .mergeDifference }.map(\.message)
    }
    #expect(
      differences(others)
        == ["the merged runs differ in their network: loopback (a); host (b)"])
    let copied = try #require(try state { $0.clone = "copy" }.header)
    #expect(copied.clone == nil && copied.cloneReason == nil)

    // Another level.
    let mixed = try state {
      $0.isolation = "processes"
      ($0.network, $0.writable, $0.scratch) = (nil, nil, nil)
      ($0.clone, $0.cloneReason) = ("copy", "there are no overlays")
    }
    let weaker = try #require(mixed.header)
    #expect(weaker.isolation == "processes")
    #expect(weaker.isolationReason == "the weakest of the merged runs")
    #expect(weaker.network == nil && weaker.writable == nil && weaker.scratch == nil)
    #expect(weaker.clone == nil && weaker.cloneReason == nil)
    #expect(
      differences(mixed)
        == ["the merged runs differ in their isolation: sandbox (a); processes (b)"])
  }

  @Test func whatIsNoRunIsRefused() {
    #expect(throws: OrchestrationError.self) { try RunMerge([[]]) }
    #expect(throws: OrchestrationError.self) {
      try RunMerge([Array(run("a", .passed).dropFirst())])
    }
    let error = #expect(throws: OrchestrationError.self) {
      try RunMerge([run("a", .passed), run("a", .passed) { $0.hostName = "other" }])
    }
    #expect(error?.message.contains("two different runs have the ID a") == true)
  }

  @Test func theRankKnowsEveryVerdict() {
    #expect(Set(MergeRank.order) == Set(Verdict.allCases))
    #expect(MergeRank.order.count == Verdict.allCases.count)
  }

  // MARK: Runs

  /// The merged events; the ID of the merged run is always the same.
  private func merged(_ logs: [[RunEvent]]) throws -> [RunEvent] {
    let merge = try RunMerge(logs)
    return merge.events(merge.header(runID: "merged", carrel: "1", arguments: ["merge"]))
  }

  /// A finished run of one test.
  private func run(
    _ runID: String, _ verdict: Verdict, change: (inout RunHeader) -> Void = { _ in }
  ) -> [RunEvent] {
    var header = RandomRun.header(runID)
    change(&header)
    let test = id("M.C/test")
    let attempt = AttemptResult(
      test: test, attempt: 1, batch: 1, worker: 1, verdict: verdict, startedAt: 1, duration: 1)
    let didRun = verdict != .notRun
    return [
      RunEvent(time: 1, .runStarted(header)),
      RunEvent(time: 1, .testPlanned(TestDescriptor(id: test))),
    ]
      + (didRun
        ? [
          RunEvent(
            time: 1, .attemptStarted(AttemptStart(test: test, attempt: 1, batch: 1, worker: 1))),
          RunEvent(time: 2, .attemptFinished(attempt)),
        ] : [])
      + [
        RunEvent(
          time: 2,
          .testFinished(TestResult(test: test, verdict: verdict, attempts: didRun ? 1 : 0))),
        RunEvent(time: 2, .runFinished(RunFinish(exitCode: 0, duration: 1))),
      ]
  }
}

/// The log of a run with random tests of a common listing, which may break off.
private struct RandomRun {
  var events: [RunEvent] = []

  static func header(_ runID: String) -> RunHeader {
    RunHeader(
      runID: runID, carrel: "0", packagePath: "/p", arguments: ["run"], workers: 2, batch: "auto",
      retries: 0, timeLimit: nil, leaksFail: true, isolation: "directories", seed: "1",
      toolchain: "Swift", hostName: "h", passedVariables: [])
  }

  init(index: Int, _ random: inout SeededGenerator) {
    var header = Self.header("r\(index)")
    if random.chance(0.3) { header.isolation = "sandbox" }
    if random.chance(0.2) { header.toolchain = "Swift \(index)" }
    header.workers = Int.random(in: 1...3, using: &random)
    let start = Double.random(in: 0...10, using: &random)
    var time = start
    func add(_ kind: RunEvent.Kind) {
      time += Double.random(in: -0.01...0.1, using: &random)
      events.append(RunEvent(time: time, kind))
    }
    add(.runStarted(header))
    if random.chance(0.3) {
      // The same in all, or one of its own.
      let text = random.chance(0.5) ? "all" : "\(index)"
      add(.problem(RunProblem(severity: .error, code: .listingFailed, message: text)))
    }
    let tests = listing(12).filter { _ in random.chance(0.6) }
    for test in tests { add(.testPlanned(test)) }
    for (number, test) in tests.enumerated() {
      guard random.chance(0.9) else { continue }
      let batch = number + 1
      let worker = number % header.workers + 1
      add(
        .batchStarted(
          BatchStart(batch: batch, worker: worker, purpose: .planned, tests: [test.id])))
      let attempts = Int.random(in: 0...2, using: &random)
      var verdict = Verdict.notRun
      for attempt in 1...max(attempts, 1) where attempts > 0 {
        add(
          .attemptStarted(
            AttemptStart(test: test.id, attempt: attempt, batch: batch, worker: worker)))
        verdict = Verdict.allCases.filter { $0 != .notRun }.randomElement(using: &random) ?? .lost
        add(
          .attemptFinished(
            AttemptResult(
              test: test.id, attempt: attempt, batch: batch, worker: worker, verdict: verdict,
              startedAt: time, duration: 0.01,
              stdout: LogReference(path: "logs/\(number).a\(attempt)", bytes: 1, isTruncated: false)
            )))
        if verdict.needsBundle {
          add(
            .bundleWritten(
              BundleReference(test: test.id, attempt: attempt, path: "bundles/\(number)", bytes: 1))
          )
        }
      }
      add(
        .testFinished(
          TestResult(
            test: test.id, verdict: verdict, isFlaky: verdict == .passed && attempts == 2,
            attempts: attempts)))
      add(.batchFinished(BatchFinish(batch: batch, worker: worker, end: .exited(0), duration: 1)))
    }
    add(.runFinished(RunFinish(exitCode: 1, duration: time - start)))
    if random.chance(0.3) {
      let planned = 1 + tests.count
      let least = min(planned + 1, events.count)
      events.removeLast(events.count - Int.random(in: least...events.count, using: &random))
    }
  }
}
