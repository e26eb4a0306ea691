import RunModel

/// Why a piece of the channel says nothing.
enum Unreadable: Error, CustomStringConvertible {
  case garbage
  case tooLong
  case cut

  var description: String {
    let limit = LineSplitter.standardLimit >> 20
    return switch self {
    case .garbage: "something that is no record was written to the channel"
    case .tooLong: "a record of more than \(limit) MiB was dropped"
    case .cut: "the last record was cut off"
    }
  }
}

/// What a library's record of a test's end says of the result.
enum LibraryWord: Sendable {
  case passed, failed, knownIssue, skipped

  /// The word that Swift Testing's symbol of the end stands for; `nil` for a symbol that is not
  /// known.
  init?(symbol: String?) {
    switch symbol {
    case "pass", "passWithWarnings": self = .passed
    case "fail": self = .failed
    case "passWithKnownIssue": self = .knownIssue
    case "skip": self = .skipped
    default: return nil
    }
  }
}

extension BatchTranscript {
  /// A part of the channel could not be read: a record of the running test may have been in it, so
  /// that the test's success has no proof any more.
  mutating func doubt(_ reason: String) {
    damage = damage ?? reason
    guard let test = current ?? lastFinished, var progress = state[test] else {
      unchargedDamage = unchargedDamage ?? reason
      return
    }
    progress.damage = progress.damage ?? reason
    if let outcome = progress.outcome {
      progress.outcome = judged(progress, in: test, duration: outcome.duration)
    }
    state[test] = progress
  }

  /// The outcome of a test that has ended: what was seen of it, compared with the library's own
  /// word.
  func judged(_ progress: Progress, in test: TestID, duration: Double) -> TestOutcome {
    var outcome = weighed(progress, in: test, duration: duration)
    if !outcome.verdict.isSuccess(leaksFail: true) {
      outcome.limitSigns = progress.limitSigns
      for hint in surroundings?.hints(for: progress) ?? [] { outcome.add(hint: hint) }
    }
    return outcome
  }

  private func weighed(
    _ progress: Progress, in test: TestID, duration: Double
  ) -> TestOutcome {
    var progress = progress
    progress.issues.append(contentsOf: progress.findings)
    var outcome = TestOutcome(progress, duration: duration)
    guard outcome.verdict.isSuccess(leaksFail: true) else {
      if let damage = progress.damage { outcome.reason = damage }
      return outcome
    }
    let library = test.library.displayName
    let why = progress.damage.map { ": \($0)" } ?? ""
    if progress.word == .failed {
      outcome.verdict = .failed
      outcome.add(
        decisive: TestIssue(
          message: "\(library) says that the test failed, but no issue of it was received\(why)"))
    } else if progress.damage != nil {
      outcome.verdict = .lost
      outcome.reason = "whether the test succeeded is not certain\(why)"
    } else if progress.word == .knownIssue, outcome.verdict == .passed {
      outcome.verdict = .lost
      outcome.reason = "\(library) says that the test had known issues, but none was received"
    } else if progress.word == .skipped, outcome.verdict != .skipped {
      outcome.verdict = .lost
      outcome.reason = "\(library) says that the test was skipped, but no record says why"
    }
    return outcome
  }

  /// Whether the process ended with a status that agrees with the results of the library's tests.
  func agrees(_ end: ProcessEnd) -> Bool {
    let hasFailures =
      !strayIssues.isEmpty
      || state.values.contains { progress in
        progress.word == .failed || progress.issues.hasFailure
      }
    // A lost record may have said that a test failed.
    if damage != nil, !hasFailures { return end == .exited(0) || end == .exited(1) }
    return end == .exited(hasFailures ? 1 : 0)
  }
}
