import RunModel
import Testing

@testable import Orchestration

/// What is left of a run that broke off.
@Suite struct ResumableRunTests {
  private let names = ["M.A/one", "M.A/two", "M.A/three", "M.A/four", "M.A/five"]

  /// The log of a run; each test is alone in its batch.
  ///
  /// - Parameters:
  ///   - results: A verdict for each test that has a final result.
  ///   - open: Tests that were started only.
  private func log(
    _ results: [Int: Verdict], open: [Int] = [], hasBundles: Bool = true,
    finish: RunFinish? = nil, change: (inout RunHeader) -> Void = { _ in }
  ) -> [RunEvent] {
    var header = RunHeader(
      runID: "a", carrel: "0", packagePath: "/p", arguments: ["run"], workers: 2, batch: "1",
      retries: 0, timeLimit: nil, leaksFail: true, isolation: "directories", seed: "1",
      toolchain: "Swift", hostName: "h", passedVariables: [])
    change(&header)
    var kinds: [RunEvent.Kind] = [.runStarted(header)]
    kinds += names.map { .testPlanned(TestDescriptor(id: id($0))) }
    for (index, verdict) in results.sorted(by: { $0.key < $1.key }) {
      let test = id(names[index])
      let (batch, worker) = (index + 10, index % 2 + 1)
      kinds += [
        .batchStarted(BatchStart(batch: batch, worker: worker, purpose: .planned, tests: [test])),
        .attemptStarted(AttemptStart(test: test, attempt: 1, batch: batch, worker: worker)),
        .attemptFinished(
          AttemptResult(
            test: test, attempt: 1, batch: batch, worker: worker, verdict: verdict, startedAt: 1,
            duration: 1)),
      ]
      if verdict.needsBundle, hasBundles {
        kinds.append(
          .bundleWritten(BundleReference(test: test, attempt: 1, path: "bundles/x", bytes: 1)))
      }
      kinds.append(.testFinished(TestResult(test: test, verdict: verdict, attempts: 1)))
    }
    for index in open {
      let test = id(names[index])
      kinds += [
        .batchStarted(BatchStart(batch: 90, worker: 1, purpose: .planned, tests: [test])),
        .attemptStarted(AttemptStart(test: test, attempt: 1, batch: 90, worker: 1)),
      ]
    }
    if let finish { kinds.append(.runFinished(finish)) }
    return kinds.enumerated().map { RunEvent(time: Double($0), $1) }
  }

  @Test func finalResultsStay() throws {
    let resumable = try ResumableRun(log([0: .passed, 2: .failed], open: [1]))
    #expect(resumable.tests.map(\.id.name) == names)
    #expect(resumable.rest.map(\.name) == ["M.A/two", "M.A/four", "M.A/five"])
    #expect(resumable.sources.map(\.runID) == ["a"] && resumable.failures == 1)
    let state = RunState(
      resumable.tests.map { RunEvent(time: 0, .testPlanned($0)) } + resumable.events)
    #expect(
      state.tests.map(\.result.verdict) == [.passed, .notRun, .failed, .notRun, .notRun])
    #expect(state.tests[1].open == nil && state.tests[2].bundles.count == 1)
    #expect(resumable.events.allSatisfy { $0.run == "a" })
    let batches = Set(resumable.events.compactMap { $0.place?.batch })
    #expect(batches == [1, 2, 3] && resumable.lastBatch == 3)
  }

  /// The end of a run has a part in these.
  @Test(arguments: [Verdict.interrupted, .notRun])
  func whatTheEndDecidedIsRunAgain(verdict: Verdict) throws {
    let log = log(
      [0: .passed, 1: verdict],
      finish: RunFinish(exitCode: 130, duration: 1, interruptedBy: "SIGINT"))
    #expect(try ResumableRun(log).rest.map(\.name) == Array(names.dropFirst()))
  }

  @Test func aFailureWithoutItsBundleIsRunAgain() throws {
    let resumable = try ResumableRun(log([0: .passed, 1: .crashed], hasBundles: false))
    #expect(resumable.rest.first?.name == "M.A/two" && resumable.failures == 0)
    #expect(
      !resumable.events.contains {
        if case .testFinished(let result) = $0.kind {
          result.test.name == "M.A/two"
        } else {
          false
        }
      })
  }

  @Test func refusalsSayWhy() {
    func message(_ log: [RunEvent]) -> String? {
      #expect(throws: OrchestrationError.self) { try ResumableRun(log) }?.message
    }
    #expect(message([]) == "it has no first event; 'carrel run' begins anew")
    #expect(message(log([:])) == "it did not come to its first test; 'carrel run' begins anew")
    let second = log([:]) { $0.continues = "z" }
    #expect(message(second)?.contains("'carrel resume z' resumes") == true)
    let over = log([0: .passed], finish: RunFinish(exitCode: 0, duration: 1))
    #expect(message(over) == "it came to its end")
    let merged = log([0: .passed]) { $0.sources = [] }
    #expect(message(merged)?.hasPrefix("it was merged") == true)
  }

  /// The command line with all options is that of the first run.
  @Test func theOriginIsFound() throws {
    let first = try ResumableRun(log([0: .passed], open: [1]))
    let second = log([2: .passed]) {
      $0.runID = "b"
      $0.arguments = ["resume"]
      $0.continues = "a"
      $0.sources = first.sources
    }
    let resumable = try ResumableRun(second)
    #expect(resumable.origin.arguments == ["run"] && resumable.header.runID == "b")
    #expect(resumable.sources.map(\.runID) == ["a", "b"])
  }
}
