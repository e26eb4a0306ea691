/// Decides how many tests the next batch takes; the rules are in `docs/scheduling.md`.
///
/// Sizes come in rounds of one batch a worker (factoring, Hummel, Schonberg and Flynn, 1992): each
/// round hands out a part of the expected work in equal shares, the last round all of it.
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
  /// A round hands out a quarter of the work instead of half of it while a worker's share is at
  /// least this many of the shortest batches.
  static let cautionFrom = 8.0
  /// Waiting tests for each measured one up to which the measured mean is trusted.
  static let extrapolation = 16.0
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

  /// Batches of equal expected time, one a worker.
  private struct Round {
    /// Batches still to hand out.
    var left = 0
    var seconds = 0.0
    var maxTests = 0
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
  private var round = Round()

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

  /// Seconds that the tests of a batch may take together as far as they are known to be slow.
  var slowSeconds: Double { min(max(round.seconds, 0.1), Self.maxSeconds) }

  /// Seconds a test and start cost of a group, with the weight of the measurement in tests; `nil`
  /// until both were measured.
  func measurement(group: Int) -> (secondsPerTest: Double, startCost: Double, tests: Double)? {
    guard let mean = groups[group].mean, groups[group].isStartMeasured else { return nil }
    return (mean, groups[group].startCost, groups[group].tests)
  }

  /// The number of tests for the next batch.
  ///
  /// - Parameters:
  ///   - group: The batch's group.
  ///   - available: Tests of the group that may share the batch, from 1.
  /// - Returns: From 1 to `available`.
  mutating func nextSize(group: Int, available: Int) -> Int {
    switch policy {
    case .fixed(let size):
      return min(max(1, size), available)
    case .auto:
      let size = groups[group].mean.map { measuredSize(group, mean: $0) } ?? probe(group)
      // A small rest is taken along when plenty of other work can still even out the workers.
      let takesAll = available <= size + size / 2 && available <= queuedTests / workers
      return min(takesAll ? available : size, available, Self.maxTests)
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
    if round.left <= 0 { startRound(group, mean: mean) }
    round.left -= 1
    let tests = min(min(round.seconds, Self.maxSeconds) / mean, Double(Self.maxTests))
    // Up, except for what is a rounding error.
    return min(max(1, Int(tests + 1 - 1e-6)), round.maxTests)
  }

  private mutating func startRound(_ group: Int, mean: Double) {
    let overallMean = overall.tests > 0 ? overall.seconds / overall.tests : mean
    let work = max(0, measuredWork) + Double(unmeasuredTests) * overallMean
    let share = work / Double(workers)
    let least = groups[group].startCost * Self.startsPerBatch
    // The tests to come may be slower than those that were measured: in number, too, no batch takes
    // more than its share, and only half of it while little is known.
    let isGuess = Double(queuedTests) > groups[group].tests * Self.extrapolation
    let mostTests = divide(queuedTests, by: isGuess && workers > 1 ? 2 * workers : workers)
    if workers == 1 || share <= least {
      round = Round(left: workers, seconds: share, maxTests: mostTests)
      return
    }
    // When processes cost next to nothing against the work, caution costs nothing either.
    let parts = share >= Self.cautionFrom * least ? 4 : 2
    let leastTests = Int(min(least / mean, Double(Self.maxTests))) + 1
    round = Round(
      left: workers, seconds: max(share / Double(parts), least),
      maxTests: min(mostTests, max(divide(queuedTests, by: parts * workers), leastTests)))
  }

  private func divide(_ count: Int, by parts: Int) -> Int { max(1, (count + parts - 1) / parts) }
}
