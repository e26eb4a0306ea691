/// What the events of a run say when taken together: the one source of every report.
///
/// Each planned test has exactly one result here, also when the log stops in the middle: a test
/// whose attempt was open is `lost`, one that was never started is `notRun`.
package struct RunState: Sendable {
  /// Everything about one planned test.
  package struct Test: Sendable {
    package var descriptor: TestDescriptor
    /// Attempts in the order they ended.
    package var attempts: [AttemptResult] = []
    /// Bundles by number of the attempt.
    package var bundles: [Int: BundleReference] = [:]
    /// The final result, once it was logged.
    package var logged: TestResult?
    /// The attempt that was started and has not ended.
    package var open: AttemptStart?

    package var id: TestID { descriptor.id }

    /// The final result; inferred when the log does not have it.
    package var result: TestResult {
      if let logged { return logged }
      if open != nil {
        return TestResult(
          test: id, verdict: .lost, attempts: attempts.count + 1,
          reason: "the run ended without a result for the attempt that was running")
      }
      if let last = attempts.last {
        return TestResult(test: id, verdict: last.verdict, attempts: attempts.count)
      }
      return TestResult(
        test: id, verdict: .notRun, attempts: 0, reason: "the run ended before the test was started"
      )
    }

    /// The attempt that the verdict is taken from: the last one that counts, else the last.
    package var decisive: AttemptResult? {
      attempts.last(where: { $0.purpose == .planned || $0.purpose == .retry }) ?? attempts.last
    }

    package init(descriptor: TestDescriptor) { self.descriptor = descriptor }
  }

  package private(set) var header: RunHeader?
  package private(set) var startedAt: Double?
  /// Planned tests in plan order.
  package private(set) var tests: [Test] = []
  package var problems: [RunProblem] = []
  package private(set) var finish: RunFinish?
  /// Whether a process still writes the log, so that more events will come: tests without a result
  /// have a ``Progress`` then, and what ``Test/result`` infers of them is not so.
  package var goesOn = false
  private var positions: [TestID: Int] = [:]

  package init() {}

  package init(_ events: some Sequence<RunEvent>) {
    for event in events { apply(event) }
  }

  /// Takes one more event into account. Events of tests that were not planned are ignored.
  package mutating func apply(_ event: RunEvent) {
    switch event.kind {
    case .runStarted(let header):
      self.header = header
      startedAt = event.time
    case .testPlanned(let descriptor):
      guard positions[descriptor.id] == nil else { return }
      positions[descriptor.id] = tests.count
      tests.append(Test(descriptor: descriptor))
    case .attemptStarted(let start):
      update(start.test) { $0.open = start }
    case .attemptFinished(let result):
      update(result.test) {
        // The end of a process can say more of an attempt than was known before.
        if let known = $0.attempts.firstIndex(where: { $0.attempt == result.attempt }) {
          $0.attempts[known] = result
        } else {
          $0.attempts.append(result)
        }
        if $0.open?.attempt == result.attempt { $0.open = nil }
      }
    case .bundleWritten(let bundle):
      update(bundle.test) { $0.bundles[bundle.attempt] = bundle }
    case .testFinished(let result):
      update(result.test) { $0.logged = result }
    case .problem(let problem):
      problems.append(problem)
    case .runFinished(let finish):
      self.finish = finish
    case .batchStarted, .batchFinished, .resultSetAside, .unknown:
      break
    }
  }

  package func test(_ id: TestID) -> Test? { positions[id].map { tests[$0] } }

  private mutating func update(_ id: TestID, _ change: (inout Test) -> Void) {
    guard let position = positions[id] else { return }
    change(&tests[position])
  }
}
