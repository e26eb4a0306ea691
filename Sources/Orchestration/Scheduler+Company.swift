import RunModel

extension Scheduler {
  /// Most neighbours in a check in company.
  static let maxNeighbours = 100
  /// Most seconds that the neighbours of a check took together when they were run before.
  static let maxNeighbourSeconds = 10.0

  /// The check that can say more about a test that finally failed; `nil` for none.
  mutating func check(for position: Int) -> Check? {
    let test = tests[position]
    guard options.checksCompany, let verdict = test.verdict, isFailure(verdict),
      !plan.groups[plan.group(at: position)].isSolitary
    else { return nil }
    if test.ran != nil {
      // With retries the first one was the check.
      guard verdict != .timedOut || options.checksTimeouts else { return nil }
      return test.attempts == 1 ? .alone(position) : nil
    }
    guard verdict != .timedOut, companyChecksLeft > 0, !neighbours(of: position).isEmpty
    else { return nil }
    companyChecksLeft -= 1
    return .company(position)
  }

  /// What an attempt alone says of a test that failed in company; `nil` when it says nothing.
  func aloneFinding(_ position: Int, _ verdict: Verdict) -> CompanyFinding? {
    guard let ran = tests[position].ran else { return nil }
    if isFailure(verdict) { return .alsoAlone }
    guard isPass(verdict), ran.count > 0 else { return nil }
    // The nearest: each of thousands of tests could name thousands.
    return .onlyAfter(ran.positions.suffix(Self.maxNeighbours).map { plan.tests[$0].id })
  }

  /// What an attempt in company says of a test that failed alone; `nil` when it says nothing.
  func companyFinding(
    _ result: AttemptResult, outcome: Outcome, of ended: RunningBatch
  ) -> CompanyFinding? {
    guard result.hadCompany else { return nil }
    if isFailure(result.verdict) { return .alsoInCompany }
    guard isPass(result.verdict) else { return nil }
    let seen = outcome.order.prefix { plan.tests[$0].id != result.test }
    let before = seen.isEmpty ? ended.neighbours[...] : seen
    return .onlyAlone(passesAfter: before.map { plan.tests[$0].id })
  }

  /// The nearest tests of the same suite before a test, without those that would end the process
  /// before the test is reached, within the limits of number and time.
  mutating func neighbours(of position: Int) -> [Int] {
    let suites = knownSuites()
    let key = suiteKey(position)
    let members = suites[key] ?? []
    // The first member at or after the position; members ascend.
    var low = 0
    var high = members.count
    while low < high {
      let middle = (low + high) / 2
      if members[middle] < position { low = middle + 1 } else { high = middle }
    }
    var chosen: [Int] = []
    var seconds = 0.0
    for member in members[..<low].reversed() {
      if chosen.count == Self.maxNeighbours { break }
      switch tests[member].verdict {
      case .crashed, .timedOut, .lost, .interrupted, .notRun: continue
      default: break
      }
      seconds += tests[member].duration ?? 0
      if seconds > Self.maxNeighbourSeconds { break }
      chosen.append(member)
    }
    return chosen.reversed()
  }

  private func suiteKey(_ position: Int) -> SuiteKey {
    SuiteKey(group: plan.group(at: position), suite: ExactText(plan.tests[position].id.suite))
  }

  private mutating func knownSuites() -> [SuiteKey: [Int]] {
    if let suites { return suites }
    var made: [SuiteKey: [Int]] = [:]
    for position in plan.tests.indices { made[suiteKey(position), default: []].append(position) }
    suites = made
    return made
  }
}
