package import RunModel

/// How many tests share a process.
package enum BatchPolicy: Equatable, Sendable {
  /// Sized by what was measured; see `docs/scheduling.md`.
  case auto
  /// This many, at least 1; the last batch of a group may be smaller.
  case fixed(Int)
}

extension BatchPolicy: LosslessStringConvertible {
  /// Parses `auto` or a whole number from 1.
  package init?(_ description: String) {
    if description == "auto" {
      self = .auto
    } else if let size = Int(description), size >= 1 {
      self = .fixed(size)
    } else {
      return nil
    }
  }

  package var description: String {
    switch self {
    case .auto: "auto"
    case .fixed(let size): "\(size)"
    }
  }
}

/// What a run has learned about the tests of one product and library; an input of the next run.
package struct GroupMeasurement: Codable, Hashable, Sendable {
  package var product: String
  package var library: TestLibrary
  /// Mean time of a test in seconds, with what the library adds between tests.
  package var secondsPerTest: Double
  /// Time of a process besides its tests, in seconds.
  package var startCost: Double
  /// Number of tests that the mean is made from, recent ones weighing more.
  package var tests: Double

  package init(
    product: String, library: TestLibrary, secondsPerTest: Double, startCost: Double, tests: Double
  ) {
    self.product = product
    self.library = library
    self.secondsPerTest = secondsPerTest
    self.startCost = startCost
    self.tests = tests
  }
}

/// What the scheduler may decide by.
package struct SchedulerOptions: Sendable {
  /// Batches that may run at once, at least 1.
  package var workers: Int
  package var batch: BatchPolicy
  /// Further attempts at a test that failed, from 0.
  package var retries: Int
  /// Whether a failed test is tried once more without, or with, its neighbours.
  package var checksCompany: Bool
  /// Whether a test that exceeded its time limit is tried alone, too; that costs the limit again.
  package var checksTimeouts = true
  /// Whether a leaked process makes a test fail.
  package var leaksFail: Bool
  /// Failed tests after which no further planned batch starts, at least 1; `nil` for no limit.
  package var maxFailures: Int?
  /// First guess of the cost to start a process, in seconds.
  package var startCost: Double
  /// Checks in company that one run may make; each may cost as much as a hundred tests.
  package var companyCheckLimit: Int
  /// What earlier runs have measured; groups that are not in it start with a probe.
  package var history: [GroupMeasurement] = []
  /// Seconds of the tests that took long in earlier runs: several of them do not share a batch when
  /// that would keep one worker busy for longer than its share.
  package var slowTests: [TestID: Double] = [:]
  /// Number of the first batch, from 1.
  package var firstBatch = 1

  package init(
    workers: Int, batch: BatchPolicy = .auto, retries: Int = 0, checksCompany: Bool = true,
    leaksFail: Bool = true, maxFailures: Int? = nil, startCost: Double = 0.03,
    companyCheckLimit: Int = 100
  ) {
    self.workers = max(1, workers)
    self.batch = batch
    self.retries = max(0, retries)
    self.checksCompany = checksCompany
    self.leaksFail = leaksFail
    self.maxFailures = maxFailures.map { max(1, $0) }
    self.startCost = startCost
    self.companyCheckLimit = companyCheckLimit
  }
}

/// A process to start and what is asked of it.
package struct BatchSpec: Equatable, Sendable {
  /// Number of the batch, from 1.
  package let batch: Int
  /// Worker slot, from 1.
  package let worker: Int
  package let purpose: AttemptPurpose
  package let product: String
  package let library: TestLibrary
  package var group: TestGroup { TestGroup(product: product, library: library) }
  /// All tests that the process is asked to run, in order.
  package let tests: [TestID]
  /// The tests whose attempts are recorded, with the number of the attempt; in a company check
  /// only the test that is checked.
  package let attempts: [TestID: Int]

  package init(
    batch: Int, worker: Int, purpose: AttemptPurpose, product: String, library: TestLibrary,
    tests: [TestID], attempts: [TestID: Int]
  ) {
    self.batch = batch
    self.worker = worker
    self.purpose = purpose
    self.product = product
    self.library = library
    self.tests = tests
    self.attempts = attempts
  }
}

/// What happened to the processes that the scheduler asked for.
package enum SchedulerEvent: Sendable {
  /// A batch's process is gone.
  ///
  /// - `results`: in the order the tests started, one for each recorded test that started.
  ///   A test that is not among them did not start.
  /// - `startCost`: seconds before the first test started and after the last one ended; `nil`
  ///   when they were not measured.
  /// - `duration`: seconds from the start of the process to the moment the worker is free.
  case batchEnded(
    batch: Int, results: [AttemptResult], startCost: Double?, duration: Double)
  /// A planned attempt at a test has failed in a batch that is still running; told so that a limit
  /// of failures need not wait for the end of the batch.
  case failedMeanwhile(TestID)
  /// No more batches shall start; running ones still report by ``batchEnded``.
  case interrupted(reason: String)
}

/// What the scheduler wants to be done.
package enum SchedulerCommand: Equatable, Sendable {
  case startBatch(BatchSpec)
  /// The test has its final result; given exactly once for each planned test.
  case finishTest(TestResult)
  /// Enough tests have failed: running batches of planned tests are to be ended for this reason.
  case endPlannedBatches(reason: String)
}
