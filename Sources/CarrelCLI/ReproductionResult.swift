import Evidence
import RunEngine
import RunModel

/// What came of a reproduction; `--format json` prints it.
struct ReproductionResult: Encodable {
  /// How an attempt ended, compared with the bundle's.
  enum Comparison: String, Encodable {
    case reproduced
    case passed
    case failedDifferently = "failed-differently"
  }

  /// One attempt at the test.
  struct Attempt: Encodable {
    /// From 1.
    var number: Int
    var result: Comparison
    var verdict: Verdict
    /// As it is compared; empty when there is none.
    var message: String
    /// In seconds.
    var duration: Double
    /// Absolute path of the run's record; that of a repetition which ended like others is removed.
    var record: String?
    fileprivate var text: String

    private enum CodingKeys: String, CodingKey {
      case number, result, verdict, message, duration, record
    }
  }

  /// What is compared.
  struct Failure: Encodable {
    var verdict: Verdict
    var message: String
  }

  /// ID of the test.
  let test: TestID
  /// Path of the bundle.
  let bundle: String
  let original: Failure
  /// Repetitions that were asked for.
  let asked: Int?
  /// Attempts that ended as in the bundle.
  private(set) var matches = 0
  private(set) var attempts: [Attempt] = []
  var differences: [ReproductionFact] = []
  var exitCode: Int32 = 0
  private let wanted: FailureSignature
  private let name: String
  private let predecessors: Int

  private enum CodingKeys: String, CodingKey {
    case test, bundle, original, asked, matches, attempts, differences, exitCode
  }

  init(_ failure: OriginalFailure, _ signature: FailureSignature, asked: Int?) {
    self.init(
      of: failure.manifest.test, signature, bundle: failure.bundle.path,
      predecessors: failure.manifest.predecessors.count, asked: asked)
  }

  /// - Parameters:
  ///   - wanted: What the failure is known by.
  ///   - predecessors: Number of tests that ran before in the process.
  init(
    of test: TestID, _ wanted: FailureSignature, bundle: String, predecessors: Int, asked: Int?
  ) {
    self.wanted = wanted
    self.test = test
    self.bundle = bundle
    self.predecessors = predecessors
    name = test.printableName
    original = Failure(verdict: wanted.verdict, message: wanted.message)
    self.asked = asked
  }

  /// Compares an attempt with the bundle's.
  ///
  /// - Returns: Whether it is the same failure.
  mutating func add(
    _ attempt: AttemptResult, of run: TestRun, package: String, number: Int
  ) -> Bool {
    add(
      attempt, container: run.outcome?.containerPath, package: package,
      record: run.outcome?.session.record.path, number: number)
  }

  mutating func add(
    _ attempt: AttemptResult, container: String?, package: String? = nil, record: String?,
    number: Int
  ) -> Bool {
    let found = FailureSignature(attempt, container: container, package: package)
    let comparison: Comparison =
      found == wanted
      ? .reproduced : attempt.verdict.isSuccess(leaksFail: true) ? .passed : .failedDifferently
    if comparison == .reproduced { matches += 1 }
    for index in attempts.indices.dropFirst() { attempts[index].record = nil }
    attempts.append(
      Attempt(
        number: number, result: comparison, verdict: found.verdict, message: found.message,
        duration: attempt.duration, record: record, text: found.safeText))
    return comparison == .reproduced
  }

  /// What is said of an attempt among several.
  func line(_ number: Int) -> String {
    guard let attempt = attempts.last else { return "" }
    let what =
      switch attempt.result {
      case .reproduced: "the same failure"
      case .passed: "passed (\(attempt.verdict.rawValue))"
      case .failedDifferently: "failed differently"
      }
    return "  attempt \(number) of \(asked ?? 1): \(what)"
  }

  /// The result for people.
  ///
  /// - Parameters:
  ///   - hasPredecessors: Whether those that ran before in the process ran again.
  ///   - laterTests: Tests that ran after it in the container whose files it found; 0 when it found
  ///     none of theirs.
  func conclusion(hasPredecessors: Bool, laterTests: Int = 0) -> [String] {
    guard let last = attempts.last else { return [] }
    let hint =
      laterTests == 0
      ? []
      : [
        "  its container had the files of tests that ran after it, too (\(laterTests)); "
          + "--container fresh starts with an empty one"
      ]
    let same = wanted.verdict == .failed ? "failed" : "ended as \(wanted.verdict.rawValue)"
    let count = asked.map { _ in " \(matches) of \(attempts.count)" } ?? ""
    switch last.result {
    case .reproduced:
      return ["REPRODUCED\(count): \(name) \(same) with the same message"]
    case .passed:
      let head =
        asked == nil
        ? "PASSED: \(name) did not fail this time (\(last.verdict.rawValue))"
        : "REPRODUCED\(count): \(name); attempt \(last.number) passed (\(last.verdict.rawValue))"
      guard predecessors > 0, !hasPredecessors else { return [head] + hint }
      return [
        head,
        "  it failed after other tests in the same process (\(predecessors)); "
          + "--with-predecessors runs them first",
      ] + hint
    case .failedDifferently:
      let head =
        asked == nil
        ? "FAILED DIFFERENTLY: \(name)"
        : "REPRODUCED\(count): \(name); attempt \(last.number) failed differently"
      return [head, "  then: \(wanted.safeText)", "  now:  \(last.text)"] + hint
    }
  }
}
