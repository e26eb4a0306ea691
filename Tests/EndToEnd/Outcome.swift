import RunModel

/// What must come out of one test of a fixture package.
struct Outcome: Sendable {
  /// A failed expectation or another issue that the test must have recorded.
  struct Issue: Sendable {
    /// A part of its message.
    var text: String
    /// The key of the marked line that it points to; `nil` when it is not compared.
    var key: String?
  }

  var library: TestLibrary
  /// The name without its module.
  var name: String
  var verdict: Verdict
  var issues: [Issue] = []
  var skip: SkipKind?
  /// A part of the skip's reason, or of the sentence that explains the verdict.
  var reason: String?
  var end: ProcessEnd?
  /// A part of the name of each case that must be known, and its verdict.
  var cases: [(text: String, verdict: Verdict)] = []

  static func passed(_ library: TestLibrary, _ name: String) -> Outcome {
    Outcome(library: library, name: name, verdict: .passed)
  }

  /// Fails with these issues; a key is given after `@`: `message @Key`.
  static func failed(_ library: TestLibrary, _ name: String, _ issues: String...) -> Outcome {
    Outcome(library: library, name: name, verdict: .failed, issues: issues.map(Issue.init))
  }

  static func skipped(
    _ library: TestLibrary, _ name: String, _ kind: SkipKind, _ reason: String? = nil
  ) -> Outcome {
    Outcome(library: library, name: name, verdict: .skipped, skip: kind, reason: reason)
  }

  static func crashed(_ library: TestLibrary, _ name: String, _ end: ProcessEnd) -> Outcome {
    Outcome(library: library, name: name, verdict: .crashed, end: end)
  }

  static func leaked(_ library: TestLibrary, _ name: String) -> Outcome {
    Outcome(library: library, name: name, verdict: .leaked)
  }

  func with(cases: (text: String, verdict: Verdict)...) -> Outcome {
    var copy = self
    copy.cases = cases
    return copy
  }
}

extension Outcome.Issue {
  init(_ text: String) {
    let parts = text.split(separator: " @", maxSplits: 1)
    self.init(text: String(parts[0]), key: parts.count > 1 ? String(parts[1]) : nil)
  }
}

extension Outcome {
  /// The differences between what came out and what must come out, one sentence each.
  func differences(from test: RunState.Test, in package: String) throws -> [String] {
    guard let attempt = test.decisive, test.result.verdict == verdict else {
      let headline = test.decisive?.headline ?? test.result.reason ?? "no reason"
      return ["\(name): \(test.result.verdict) instead of \(verdict): \(headline)"]
    }
    var differences: [String] = []
    func check(_ holds: Bool, _ sentence: @autoclosure () -> String) {
      if !holds { differences.append("\(name): \(sentence())") }
    }
    check(
      test.result.attempts == test.attempts.count,
      "\(test.result.attempts) attempts are said, \(test.attempts.count) were seen")
    for issue in issues {
      let found = attempt.issues.first { $0.message.contains(issue.text) && $0.isFailure }
      check(
        found != nil, "no issue says \"\(issue.text)\" but \(attempt.issues.map(\.message))")
      guard let key = issue.key, let found else { continue }
      let expected = try FixturePackage.line(of: key, in: package)
      let place = found.location.map(\.description) ?? "nowhere"
      check(
        found.location?.file.hasSuffix("/" + expected.file) == true
          && found.location?.line == expected.line,
        "the issue is at \(place) instead of \(expected)")
    }
    if verdict == .failed {
      let failures = attempt.issues.count { $0.isFailure }
      check(failures > 0, "failed without an issue")
    }
    // A set-up that throws fails the test and skips its body.
    check(
      attempt.skip?.kind == skip || verdict == .failed,
      "the skip is \(String(describing: attempt.skip))")
    if let reason {
      let texts = [attempt.skip?.reason, attempt.reason].compactMap { $0 }
      check(texts.contains { $0.contains(reason) }, "the reasons are \(texts)")
    }
    if let end { check(attempt.end == end, "ended by \(String(describing: attempt.end))") }
    if verdict == .crashed { check(attempt.headline != nil, "crashed without an explanation") }
    if verdict == .leaked { check(!attempt.leaks.isEmpty, "no leaked process is named") }
    for (text, verdict) in cases {
      let found = attempt.cases.filter { $0.name.contains(text) }
      check(
        found.map(\.verdict) == [verdict],
        "the case \(text) is \(found.map(\.verdict)) of \(attempt.cases.map(\.name))")
    }
    return differences
  }
}

extension CarrelRun {
  /// The differences between this run and a table; planned tests and table must be the same set.
  ///
  /// - Parameter module: That of the table's names; `nil` when they have their modules.
  func differences(from table: [Outcome], module: String? = nil) throws -> [String] {
    let prefix = module.map { "\($0)." } ?? ""
    var byName: [String: Outcome] = [:]
    for outcome in table { byName["\(outcome.library):\(prefix)\(outcome.name)"] = outcome }
    var differences: [String] = []
    for test in try state.tests {
      let key = "\(test.id.library):\(test.id.name)"
      if let outcome = byName.removeValue(forKey: key) {
        differences += try outcome.differences(from: test, in: package.name)
      } else {
        differences.append("\(key): is not in the table")
      }
    }
    return differences + byName.keys.sorted().map { "\($0): was not planned" }
  }
}
