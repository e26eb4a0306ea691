import RunModel

/// Tests that did not run, all for the same reason.
struct AlikeTests {
  var verdict: Verdict
  var reason: String
  var tests: [TestID]
  /// That of the first test.
  var bundle: BundleReference?

  private struct Key: Hashable {
    var verdict: Verdict
    var reason: ExactText
  }

  /// Takes the tests that did not run for one reason together.
  ///
  /// - Returns: Groups of at least two, in the order of their first tests, and all other tests.
  static func groups(
    of failed: [(RunState.Test, TestResult)]
  ) -> (alike: [AlikeTests], single: [(RunState.Test, TestResult)]) {
    var groups: [Key: AlikeTests] = [:]
    var order: [Key] = []
    let keys = failed.map { key(of: $0.0, $0.1) }
    for (entry, key) in zip(failed, keys) {
      guard let key else { continue }
      if groups[key] == nil {
        order.append(key)
        groups[key] = AlikeTests(
          verdict: key.verdict, reason: key.reason.text, tests: [],
          bundle: entry.0.main(for: entry.1).flatMap { entry.0.bundles[$0.attempt] })
      }
      groups[key]?.tests.append(entry.0.id)
    }
    let alike = order.compactMap { groups[$0] }.filter { $0.tests.count > 1 }
    let single = zip(failed, keys).filter { _, key in
      key.map { groups[$0]?.tests.count == 1 } ?? true
    }
    return (alike, single.map(\.0))
  }

  private static func key(of test: RunState.Test, _ result: TestResult) -> Key? {
    switch result.verdict {
    case .notRun where test.attempts.isEmpty:
      Key(
        verdict: .notRun, reason: ExactText(result.reason ?? Sentences.fallback(.notRun)))
    case .environment:
      test.main(for: result).map {
        Key(verdict: .environment, reason: ExactText($0.explanation))
      }
    default: nil
    }
  }
}
