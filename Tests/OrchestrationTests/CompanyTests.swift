import RunModel
import Testing

@testable import Orchestration

/// What is found out about tests that fail only with, or only without, their neighbours.
@Suite struct CompanyTests {
  private func name(_ number: Int) -> String { "Mod.Suite\(number / 20)/test\(number)" }

  @Test func aTestThatFailsInCompanyIsTriedAlone() {
    let run = ScriptedRun(listing(6), SchedulerOptions(workers: 1)) { test, _, before in
      switch test {
      case name(2): .failed
      case name(4): before.isEmpty ? .passed : .failed
      default: .passed
      }
    }
    #expect(run[name(2)]?.company == .alsoAlone)
    #expect(run[name(4)]?.company == .onlyAfter((0..<4).map { id(name($0)) }))
    for test in [2, 4] {
      #expect(run[name(test)]?.verdict == .failed)
      #expect(run[name(test)]?.isFlaky == false)
      #expect(run[name(test)]?.attempts == 2)
    }
    let checks = run.specs.filter { $0.purpose == .aloneCheck }
    #expect(checks.map(\.tests) == [[id(name(2))], [id(name(4))]])
    #expect(checks.allSatisfy { $0.attempts.values.elementsEqual([2]) })
  }

  /// Thousands of tests that fail in company would name thousands each.
  @Test func onlyTheNearestPredecessorsAreNamed() {
    let options = SchedulerOptions(workers: 1, batch: .fixed(300))
    let run = ScriptedRun(listing(300), options) { test, _, before in
      test == name(299) && !before.isEmpty ? .failed : .passed
    }
    let result = run[name(299)]
    #expect(result?.company == .onlyAfter((199..<299).map { id(name($0)) }))
    #expect(result?.unnamed == 199)
    #expect(run[name(298)]?.unnamed == nil)
  }

  @Test func predecessorsAreThoseOfTheSameProcess() {
    let run = ScriptedRun(listing(6), SchedulerOptions(workers: 1)) { test, _, before in
      switch test {
      case name(1): .crashed
      case name(4): before.isEmpty ? .passed : .failed
      default: .passed
      }
    }
    #expect(run[name(4)]?.company == .onlyAfter([id(name(2)), id(name(3))]))
  }

  @Test func theFirstRetryIsTheCheck() {
    let options = SchedulerOptions(workers: 1, retries: 2)
    let run = ScriptedRun(listing(6), options) { test, attempt, before in
      switch test {
      case name(2): .failed
      case name(3): attempt == 3 ? .passed : .failed
      case name(4): before.isEmpty ? .passed : .failed
      default: .passed
      }
    }
    #expect(run[name(2)]?.company == .alsoAlone)
    #expect(run[name(3)]?.company == .alsoAlone)
    #expect(run[name(3)]?.isFlaky == true)
    #expect(run[name(4)]?.company == .onlyAfter((0..<4).map { id(name($0)) }))
    #expect(run[name(4)]?.verdict == .passed)
    #expect(run[name(4)]?.attempts == 2)
    #expect(!run.specs.contains { $0.purpose == .aloneCheck })
  }

  @Test func aTestThatFailsAloneIsTriedInCompany() {
    let options = SchedulerOptions(workers: 1, batch: .fixed(1))
    let run = ScriptedRun(listing(30), options) { test, _, before in
      switch test {
      case name(5): before.isEmpty ? .failed : .passed
      case name(9): .failed
      case name(11): .crashed
      case name(20): .failed
      default: .passed
      }
    }
    #expect(run[name(5)]?.company == .onlyAlone(passesAfter: (0..<5).map { id(name($0)) }))
    #expect(run[name(5)]?.verdict == .failed)
    #expect(run[name(9)]?.company == .alsoInCompany)
    #expect(run[name(11)]?.company == .alsoInCompany)
    // The first of its suite has no neighbours before it.
    #expect(run[name(20)]?.company == nil)
    #expect(run[name(20)]?.attempts == 1)
    let check = run.specs.first { $0.purpose == .companyCheck }
    #expect(check?.tests == (0..<6).map { id(name($0)) })
    #expect(check?.attempts == [id(name(5)): 2])
  }

  @Test func neighboursThatEndTheProcessAreLeftOut() {
    let options = SchedulerOptions(workers: 1, batch: .fixed(1))
    let run = ScriptedRun(listing(10), options) { test, _, before in
      switch test {
      case name(1): .crashed
      case name(2): .timedOut
      case name(5): before.isEmpty ? .failed : .passed
      default: .passed
      }
    }
    let neighbours = [0, 3, 4].map { id(name($0)) }
    #expect(run[name(5)]?.company == .onlyAlone(passesAfter: neighbours))
  }

  @Test func timeoutsAreCheckedAloneButNotInCompany() {
    func hang(_ test: String, _: Int, _: [String]) -> Verdict {
      test == name(5) ? .timedOut : .passed
    }
    let alone = ScriptedRun(
      listing(10), SchedulerOptions(workers: 1, batch: .fixed(1)), script: hang)
    #expect(alone[name(5)]?.attempts == 1)
    let inCompany = ScriptedRun(listing(10), SchedulerOptions(workers: 1), script: hang)
    #expect(inCompany[name(5)]?.company == .alsoAlone)
  }

  @Test(arguments: [Verdict.environment, .interrupted, .skipped])
  func aCheckThatSaysNothingLeavesNoFinding(verdict: Verdict) {
    for batch in [BatchPolicy.fixed(1), .fixed(10)] {
      let options = SchedulerOptions(workers: 1, batch: batch)
      let run = ScriptedRun(listing(10), options) { test, attempt, _ in
        test == name(5) ? (attempt == 1 ? .failed : verdict) : .passed
      }
      #expect(
        run[name(5)] == TestResult(test: id(name(5)), verdict: .failed, attempts: 2))
    }
  }

  @Test func nothingIsCheckedWhenChecksAreOff() {
    for batch in [BatchPolicy.fixed(1), .fixed(10)] {
      let options = SchedulerOptions(workers: 1, batch: batch, checksCompany: false)
      let run = ScriptedRun(listing(10), options) { _, _, _ in .failed }
      #expect(run.specs.allSatisfy { $0.purpose == .planned })
    }
  }

  @Test func plannedTestsComeBeforeChecks() {
    let run = ScriptedRun(listing(40), SchedulerOptions(workers: 2, batch: .fixed(4))) {
      test, _, _ in test.hasSuffix("3") ? .failed : .passed
    }
    let purposes = run.specs.map(\.purpose)
    #expect(purposes == purposes.filter { $0 == .planned } + purposes.filter { $0 != .planned })
    #expect(purposes.filter { $0 == .aloneCheck }.count == 4)
  }

  @Test func checksInCompanyAreLimitedInNumberAndNeighbours() {
    let tests = (0..<400).map { TestDescriptor(id: id("M.S/t\($0)")) }
    let run = ScriptedRun(
      tests, SchedulerOptions(workers: 2, batch: .fixed(1), companyCheckLimit: 7)
    ) { _, _, _ in .failed }
    let checks = run.specs.filter { $0.purpose == .companyCheck }
    #expect(checks.count == 7)
    #expect(run.results.values.filter { $0.company != nil }.count == 7)
    let wide = ScriptedRun(tests, SchedulerOptions(workers: 2, batch: .fixed(1))) {
      test, _, _ in test == "M.S/t399" ? .failed : .passed
    }
    #expect(wide.specs.last?.tests.map(\.name) == (299..<400).map { "M.S/t\($0)" })
  }

  /// Ends every batch, planned ones with the tests in reverse order.
  private func reversed(_ verdict: (TestID, BatchSpec) -> Verdict) -> [TestResult] {
    var scheduler = Scheduler(plan: Plan(listing(4)), options: SchedulerOptions(workers: 1))
    var open = scheduler.start().batches
    var finished: [TestResult] = []
    while let spec = open.popLast() {
      let results = spec.tests.reversed().enumerated().map { index, test in
        result(test, spec, verdict(test, spec), hadCompany: index > 0)
      }
      let commands = scheduler.handle(
        .batchEnded(
          batch: spec.batch, results: results, startCost: nil, duration: 1))
      open += commands.batches
      finished += commands.finished
    }
    return finished
  }

  @Test func predecessorsComeInTheOrderTheyStarted() {
    let finished = reversed { test, spec in
      test == id(name(2)) && spec.purpose == .planned ? .failed : .passed
    }
    #expect(finished.last?.company == .onlyAfter([id(name(3))]))
    let first = reversed { test, spec in
      test == id(name(0)) && spec.purpose == .planned ? .failed : .passed
    }
    #expect(first.last?.company == .onlyAfter([3, 2, 1].map { id(name($0)) }))
  }

  @Test func aCheckInCompanyWithoutCompanySaysNothing() {
    var scheduler = Scheduler(
      plan: Plan(listing(2)), options: SchedulerOptions(workers: 1, batch: .fixed(1)))
    var open = scheduler.start().batches
    var finished: [TestResult] = []
    while let spec = open.popLast() {
      let verdict: Verdict = spec.batch == 2 ? .failed : .passed
      let commands = scheduler.handle(
        .batchEnded(
          batch: spec.batch, results: spec.attempts.keys.map { result($0, spec, verdict) },
          startCost: nil, duration: 1))
      open += commands.batches
      finished += commands.finished
    }
    #expect(finished.last == TestResult(test: id(name(1)), verdict: .failed, attempts: 2))
  }

  @Test func neighboursOfACheckTogetherTakeLimitedTime() {
    var scheduler = Scheduler(
      plan: Plan(listing(10)), options: SchedulerOptions(workers: 1, batch: .fixed(1)))
    var open = scheduler.start().batches
    var specs = open
    while let spec = open.popLast() {
      let verdict: Verdict = spec.tests.last == id(name(9)) ? .failed : .passed
      open +=
        scheduler.handle(
          .batchEnded(
            batch: spec.batch,
            results: spec.attempts.keys.map { result($0, spec, verdict, duration: 4) },
            startCost: nil, duration: 4)
        ).batches
      specs += open
    }
    #expect(specs.last?.purpose == .companyCheck)
    #expect(specs.last?.tests == [7, 8, 9].map { id(name($0)) })
  }
}
