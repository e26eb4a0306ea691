import RunModel

@testable import Orchestration

func id(_ name: String, product: String = "P", _ library: TestLibrary = .xctest) -> TestID {
  TestID(product: product, library: library, name: name)
}

/// `count` tests in suites of 20.
func listing(_ count: Int, product: String = "P", _ library: TestLibrary = .xctest)
  -> [TestDescriptor]
{
  (0..<count).map {
    TestDescriptor(id: id("Mod.Suite\($0 / 20)/test\($0)", product: product, library))
  }
}

func result(
  _ test: TestID, _ spec: BatchSpec, _ verdict: Verdict, hadCompany: Bool = false,
  duration: Double = 0.001
) -> AttemptResult {
  AttemptResult(
    test: test, attempt: spec.attempts[test] ?? 1, purpose: spec.purpose, batch: spec.batch,
    worker: spec.worker, verdict: verdict, startedAt: 0, duration: duration,
    hadCompany: hadCompany)
}

extension [SchedulerCommand] {
  var batches: [BatchSpec] {
    compactMap { if case .startBatch(let spec) = $0 { spec } else { nil } }
  }
  var finished: [TestResult] {
    compactMap { if case .finishTest(let result) = $0 { result } else { nil } }
  }
}

/// Runs a plan with a function that says how each test ends in a process; for example-based tests.
///
/// A test that crashes, hangs or is lost ends its process.
struct ScriptedRun {
  /// The end of a test, given the tests that ran before it in the same process.
  typealias Script = (_ test: String, _ attempt: Int, _ before: [String]) -> Verdict

  private(set) var specs: [BatchSpec] = []
  private(set) var results: [String: TestResult] = [:]
  /// Names of the tests in the order they were finished.
  private(set) var order: [String] = []

  init(
    _ listing: [TestDescriptor], _ options: SchedulerOptions, stopAfterBatches: Int = 100_000,
    script: Script
  ) {
    var scheduler = Scheduler(plan: Plan(listing), options: options)
    var open: [BatchSpec] = []
    func take(_ commands: [SchedulerCommand], _ run: inout ScriptedRun) {
      for finished in commands.finished {
        run.results[finished.test.name] = finished
        run.order.append(finished.test.name)
      }
      run.specs += commands.batches
      open += commands.batches
    }
    take(scheduler.start(), &self)
    while !open.isEmpty, specs.count < stopAfterBatches {
      let spec = open.removeFirst()
      var before: [String] = []
      var results: [AttemptResult] = []
      for test in spec.tests {
        let verdict = script(test.name, spec.attempts[test] ?? 0, before)
        if spec.attempts[test] != nil {
          results.append(result(test, spec, verdict, hadCompany: !before.isEmpty))
        }
        before.append(test.name)
        if [.crashed, .timedOut, .lost].contains(verdict) { break }
      }
      take(
        scheduler.handle(
          .batchEnded(
            batch: spec.batch, results: results,
            startCost: 0.02, duration: 0.02 + 0.001 * Double(results.count))), &self)
    }
  }

  subscript(_ name: String) -> TestResult? { results[name] }
}
