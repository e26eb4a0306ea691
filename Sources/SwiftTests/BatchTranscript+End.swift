package import RunModel
package import Workers

extension BatchTranscript {
  /// Why the supervisor ended the process.
  package enum Intervention: Sendable, Hashable {
    /// A test, or the process outside of any test, took longer than the limit in seconds.
    case timeLimit(Double)
    /// The run ends for this reason: `the run was interrupted by SIGINT`.
    case interruption(String)
    /// Nothing was heard of the test for so many seconds.
    case silence(Double)
    /// A limit that Carrel watches was exceeded: `the disk limit of 1 GiB was exceeded: …`.
    case limit(String)
  }

  /// A crash report that the batch's own process wrote.
  package struct CrashReport: Sendable, Hashable {
    /// The test that was running.
    package var test: TestID?
    /// What happened, in the report's words.
    package var description: String
    /// What the process said of it, for example `Fatal error: Index out of range`.
    package var message: String?
    /// The function of the package in which it happened, and its place.
    package var function: String?
    package var location: SourceLocation?

    package init(
      test: TestID?, description: String, message: String? = nil, function: String? = nil,
      location: SourceLocation? = nil
    ) {
      self.test = test
      self.description = description
      self.message = message
      self.function = function
      self.location = location
    }

    /// The crash as an issue of its test.
    var issue: TestIssue {
      let place = function.map { " (in \($0))" } ?? ""
      return TestIssue(
        message: (message ?? "crashed: \(description)") + place, location: location, isCrash: true)
    }
  }

  /// What is left to say when the process and all it started are gone.
  package struct Conclusion: Sendable {
    /// Events that follow from the end; results of the same test replace earlier ones.
    package var events: [Event]
    /// Tests of the batch that were not started, in order.
    package var unstarted: [TestID]
    /// The process ended as it should.
    package var isClean: Bool
  }

  /// Draws the conclusion.
  ///
  /// - A test that was running is blamed for the end of the process.
  /// - When a suite was being prepared, its first test is.
  /// - When neither was the case, an end that is not explained by the results (a signal, a status
  ///   other than 0 without failures and 1 with failures, no closing record) is charged to the test
  ///   that finished last.
  /// - A crash report makes the test that ran when it was written `crashed`.
  /// - When nothing was started and the batch has one test only, that test gets the blame; with
  ///   more tests nobody can tell, and all of them count as not started.
  ///
  /// - Parameter cause: What ended the process, when that is proven; `nil` when only its end is
  ///   known.
  package mutating func conclude(
    end: ProcessEnd, intervention: Intervention?, leaks: [Leak],
    crashReports: [CrashReport] = [], cause: String? = nil
  ) -> Conclusion {
    endCause = cause
    flush()
    let isExpected = isClosed && intervention == nil && agrees(end) && current == nil
    let isClean = isExpected && strayIssues.isEmpty
    var unstarted = tests.filter { state[$0] == nil }
    if let current {
      blame(current, end: end, intervention: intervention, whileRunning: true)
    } else if !isClean, !isClosed, let upcoming {
      blameUnstarted(upcoming, end: end, intervention: intervention)
      unstarted.removeAll { $0 == upcoming }
    } else if !isClean {
      if let last = lastFinished {
        blame(last, end: end, intervention: intervention, whileRunning: false)
      } else if let only = unstarted.first, unstarted.count == 1, tests.count == 1 {
        blameUnstarted(only, end: end, intervention: intervention)
        unstarted = []
      }
    }
    if isExpected {
      // The library is through and did not run them: trying again would not change that.
      let why = damage.map { "no result of the test was received: \($0)" }
      for test in unstarted {
        report(
          .finished(
            test,
            TestOutcome(
              verdict: .lost,
              reason: why ?? "the test was selected, but the library did not run it")))
      }
      unstarted = []
    }
    for report in crashReports { charge(report) }
    charge(leaks)
    return Conclusion(events: takeEvents(), unstarted: unstarted, isClean: isClean)
  }

  private mutating func blame(
    _ test: TestID, end: ProcessEnd, intervention: Intervention?, whileRunning: Bool
  ) {
    guard let progress = state[test] else { return }
    var outcome = progress.outcome ?? judged(progress, in: test, duration: 0)
    outcome.add(strayIssues)
    if !whileRunning { attachStrayOutput(to: test) }
    switch intervention {
    case .timeLimit(let seconds):
      outcome.verdict = .timedOut
      outcome.reason =
        whileRunning
        ? "the test exceeded its limit of \(seconds.formattedSeconds)"
        : "the process did not end within \(seconds.formattedSeconds) after the test"
    case .interruption(let reason):
      if whileRunning {
        outcome.verdict = .interrupted
        outcome.reason = "\(reason) while the test was running"
      }
    case .silence(let seconds):
      outcome.verdict = .timedOut
      outcome.reason =
        "no output for \(seconds.formattedSeconds)"
        + (whileRunning ? "" : "; the test ended while its process was being ended")
    case .limit(let reason):
      outcome.verdict = .crashed
      outcome.reason = "killed: \(reason)"
    case nil:
      if !strayIssues.isEmpty, end == .exited(1), isClosed {
        outcome.verdict = .failed
        outcome.reason = "an issue was recorded outside of any test, after this one had finished"
      } else if whileRunning, !progress.findings.isEmpty, end == .exited(Self.observerStatus) {
        outcome.verdict = .failed
        outcome.reason = nil
      } else if whileRunning {
        outcome.verdict = .crashed
        outcome.reason =
          (endCause ?? "the process ended with \(end) before the test reported a result")
          + (progress.damage.map { "; \($0)" } ?? "")
      } else {
        outcome.verdict = .crashed
        outcome.reason =
          (endCause.map { "\($0), after the test had finished" }
            ?? "the process ended with \(end) after the test had finished")
          + (isClosed ? "" : ", before the library's closing record")
      }
    }
    state[test]?.outcome = outcome
    report(.finished(test, outcome))
  }

  /// The status with which the observer ends a process that cannot go on (`EX_SOFTWARE`,
  /// sysexits.h).
  static let observerStatus: Int32 = 70

  private mutating func blameUnstarted(
    _ test: TestID, end: ProcessEnd, intervention: Intervention?
  ) {
    let outcome = neverStarted(test, end: end, intervention: intervention)
    state[test] = Progress(outcome: outcome)
    attachStrayOutput(to: test)
    report(.finished(test, outcome))
  }

  /// What was written outside of any test may say why the process ended.
  private mutating func attachStrayOutput(to test: TestID) {
    output.append(strayFrom: strayStart, to: test)
    passOutput()
  }

  private func neverStarted(
    _ test: TestID, end: ProcessEnd, intervention: Intervention?
  ) -> TestOutcome {
    switch intervention {
    case .timeLimit(let seconds):
      return TestOutcome(
        verdict: .timedOut,
        reason: "the process did not start the test within \(seconds.formattedSeconds)")
    case .interruption(let reason):
      return TestOutcome(verdict: .interrupted, reason: "\(reason) before the test started")
    case .silence(let seconds):
      return TestOutcome(
        verdict: .timedOut, reason: "no output for \(seconds.formattedSeconds)")
    case .limit(let reason):
      return TestOutcome(verdict: .crashed, reason: "killed: \(reason)")
    case nil: break
    }
    let errors = output.strayErrors(from: 0)
    if end == .exited(127), errors.contains("error while loading shared libraries") {
      return TestOutcome(
        verdict: .environment, reason: "the test executable could not be loaded: \(errors)")
    }
    var outcome = TestOutcome(
      verdict: .lost,
      reason: endCause ?? "the process ended with \(end) before the test started")
    if upcoming == test {
      outcome.verdict = .crashed
      outcome.reason =
        endCause
        ?? "the process ended with \(end) in the set-up of the test's suite, before the test "
        + "started"
    } else if case .signaled = end {
      outcome.verdict = .crashed
    }
    outcome.add(strayIssues)
    return outcome
  }

  /// A process that reported a crash did not pass its test, even if it went on: after a signal that
  /// it sent to itself, Swift's backtracer writes its report and lets the process run.
  private mutating func charge(_ crash: CrashReport) {
    guard let test = crash.test, var outcome = state[test]?.outcome else { return }
    if outcome.verdict.isSuccess(leaksFail: true) {
      outcome.verdict = .crashed
      outcome.reason =
        "the process reported a crash (\(crash.description)) while the test was running, and went "
        + "on"
    }
    guard outcome.verdict == .crashed else { return }
    outcome.add(decisive: crash.issue)
    state[test]?.outcome = outcome
    report(.finished(test, outcome))
  }

  /// Names leaked processes in the results of the tests that started them.
  private mutating func charge(_ leaks: [Leak]) {
    var byTest: [TestID: [LeakedProcess]] = [:]
    for leak in leaks {
      let sequence =
        leak.sequence == 0 ? children[leak.insidePID] ?? 0 : leak.sequence
      guard
        let test = output.owner(ofSequence: sequence) ?? preparations[sequence] ?? startOrder.last
          ?? tests.first
      else { continue }
      byTest[test, default: []].append(leak.process)
    }
    for (test, leaks) in byTest.sorted(by: { $0.key < $1.key }) {
      guard var outcome = state[test]?.outcome else { continue }
      outcome.charge(leaks: leaks, by: "the test")
      state[test]?.outcome = outcome
      report(.finished(test, outcome))
    }
  }
}
