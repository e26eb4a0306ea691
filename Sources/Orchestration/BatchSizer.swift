/// Decides how many tests the next batch takes; the rules are in `docs/scheduling.md`.
///
/// Sizes come in rounds of one batch a worker (factoring, Hummel, Schonberg and Flynn, 1992): each
/// round hands out half of the expected work in equal shares, the last round all of it.
struct BatchSizer: Sendable {
  /// Most tests of a batch under ``BatchPolicy/auto``.
  static let maxTests = 1000
  /// Most expected seconds of a batch under ``BatchPolicy/auto``.
  static let maxSeconds = 10.0
  /// A batch's expected test time is at least this many start costs, except in the last round.
  static let startsPerBatch = 10.0
  /// Most tests of a batch of which no time is known, when there are several workers.
  static let maxProbe = 32
  /// Assumed seconds a test when nothing was measured and one worker has to run everything anyway.
  static let assumedSeconds = 0.02
  /// Weight that a measurement keeps when the next one arrives.
  private static let memory = 0.7

  private struct Group {
    var queued: Int
    /// Decaying sums; their quotient is the mean.
    var seconds = 0.0
    var tests = 0.0
    var startCost: Double
    var isStartMeasured = false
    /// The size of batches until the first measurement, once chosen.
    var probe: Int?

    /// Expected seconds a test; `nil` until measured.
    var mean: Double? { tests > 0 ? max(seconds / tests, 1e-6) : nil }
  }

  private let policy: BatchPolicy
  private let workers: Int
  private var groups: [Group]
  /// Expected seconds of all queued tests whose group was measured.
  private var measuredWork = 0.0
  /// Queued tests of groups without measurement.
  private var unmeasuredTests: Int
  private var queuedTests: Int
  private var overall = (seconds: 0.0, tests: 0.0)
  private var roundLeft = 0
  private var roundSeconds = 0.0

  init(policy: BatchPolicy, workers: Int, startCost: Double, groupSizes: [Int]) {
    self.policy = policy
    self.workers = max(1, workers)
    let guess = startCost.isFinite ? max(startCost, 0) : 0
    groups = groupSizes.map { Group(queued: $0, startCost: guess) }
    queuedTests = groupSizes.reduce(0, +)
    unmeasuredTests = queuedTests
  }

  /// Takes into account that tests of a group entered the queue, or left it.
  mutating func queueChanged(by change: Int, group: Int) {
    groups[group].queued += change
    queuedTests += change
    if let mean = groups[group].mean {
      measuredWork += Double(change) * mean
    } else {
      unmeasuredTests += change
    }
  }

  /// Learns from a batch that ended.
  ///
  /// - Parameters:
  ///   - seconds: What the tests took together, with what the library adds between them.
  ///   - tests: Number of tests that ran.
  ///   - startCost: Measured start cost in seconds, if it was measured.
  mutating func record(group: Int, seconds: Double, tests: Int, startCost: Double?) {
    if let startCost, startCost.isFinite, startCost >= 0 {
      let old = groups[group].isStartMeasured ? groups[group].startCost : startCost
      groups[group].startCost = (old + startCost) / 2
      groups[group].isStartMeasured = true
    }
    guard tests > 0, seconds.isFinite, seconds >= 0 else { return }
    let queued = groups[group].queued
    queueChanged(by: -queued, group: group)
    groups[group].seconds = groups[group].seconds * Self.memory + seconds
    groups[group].tests = groups[group].tests * Self.memory + Double(tests)
    queueChanged(by: queued, group: group)
    overall.seconds += seconds
    overall.tests += Double(tests)
  }

  /// The number of tests for the next batch of a group, from 1.
  mutating func nextSize(group: Int) -> Int {
    switch policy {
    case .fixed(let size): max(1, size)
    case .auto:
      min(groups[group].mean.map { measuredSize(group, mean: $0) } ?? probe(group), Self.maxTests)
    }
  }

  /// The size of a batch of which no time is known.
  private mutating func probe(_ group: Int) -> Int {
    if let probe = groups[group].probe { return probe }
    let probe =
      if workers == 1 {
        Int(Self.maxSeconds / Self.assumedSeconds)
      } else if queuedTests <= 8 * workers {
        divide(queuedTests, by: workers)
      } else {
        min(divide(queuedTests, by: 2 * workers), Self.maxProbe)
      }
    groups[group].probe = probe
    return probe
  }

  private mutating func measuredSize(_ group: Int, mean: Double) -> Int {
    if roundLeft <= 0 {
      let overallMean = overall.tests > 0 ? overall.seconds / overall.tests : mean
      let work = max(0, measuredWork) + Double(unmeasuredTests) * overallMean
      let share = work / Double(workers)
      let least = groups[group].startCost * Self.startsPerBatch
      roundSeconds = workers == 1 || share <= least ? share : max(share / 2, least)
      roundLeft = workers
    }
    roundLeft -= 1
    // A tiny bit less, so that rounding errors do not add a test.
    let tests = (min(roundSeconds, Self.maxSeconds) / mean - 1e-6).rounded(.up)
    return max(1, Int(min(tests, Double(Self.maxTests))))
  }

  private func divide(_ count: Int, by parts: Int) -> Int { max(1, (count + parts - 1) / parts) }
}
