import RunModel

extension BatchTranscript {
  private mutating func begin(_ test: TestID, at start: Double?, boundary: Int?) {
    if let known = state[test] {
      if known.outcome != nil { beginAgain(test, known, boundary: boundary) }
      return
    }
    if let open = current { finishWithoutRecord(open, boundary: boundary) }
    state[test] = Progress(start: start, damage: unchargedDamage)
    unchargedDamage = nil
    startOrder.append(test)
    current = test
    lastFinished = nil
    upcoming = nil
    report(.started(test))
  }

  /// A test that is listed twice runs twice, and has one verdict: whatever failed in either counts.
  private mutating func beginAgain(_ test: TestID, _ known: Progress, boundary: Int?) {
    if let open = current { finishWithoutRecord(open, boundary: boundary) }
    var progress = known
    progress.earlierDuration = known.outcome?.duration ?? 0
    progress.outcome = nil
    state[test] = progress
    current = test
    lastFinished = nil
    upcoming = nil
  }

  private mutating func finish(
    _ test: TestID, duration: Double, boundary: Int?, word: LibraryWord? = nil
  ) {
    guard var progress = state[test], progress.outcome == nil else { return }
    // A failure of an earlier run of the same test stays one.
    if progress.word != .failed { progress.word = word }
    progress.outcome = judged(
      progress, in: test, duration: progress.earlierDuration + duration)
    state[test] = progress
    if current == test { current = nil }
    lastFinished = test
    if let boundary { strayStart = boundary }
    heldBack.append((test, boundary ?? 0))
  }

  /// Tests run one after the other: when another one starts, the record of this one's end was lost.
  private mutating func finishWithoutRecord(_ test: TestID, boundary: Int?) {
    guard var progress = state[test], progress.outcome == nil else { return }
    progress.damage =
      progress.damage ?? "the next test started, and no record of this one's end was received"
    progress.outcome = judged(progress, in: test, duration: 0)
    state[test] = progress
    damage = damage ?? progress.damage
    heldBack.append((test, boundary ?? 0))
  }

  /// The library begins a suite, and may do something before it starts the suite's first test.
  private mutating func prepare(_ test: TestID?, suite: String? = nil, boundary: Int?) {
    setOwner(boundary, nil)
    guard let test, state[test] == nil, current == nil else { return }
    upcoming = test
    preparedSuite = suite
    if let boundary {
      preparations[boundary] = test
      strayStart = boundary
    }
    report(.preparing(test))
  }

  private mutating func setOwner(_ sequence: Int?, _ test: TestID?) {
    if let sequence { output.setOwner(sequence, test) }
  }

  private mutating func record(_ issue: TestIssue, in test: TestID?) {
    if let test = test ?? current, state[test] != nil, state[test]?.outcome == nil {
      state[test]?.issues.append(issue)
      if issue.caseName == state[test]?.openCase?.result.name {
        if issue.isFailure { state[test]?.openCase?.hasFailure = true }
        if issue.isKnown { state[test]?.openCase?.hasKnown = true }
      }
    } else if issue.isFailure {
      strayIssues.append(issue)
    }
  }

  mutating func take(_ record: ObserverRecord) {
    let test = record.name.flatMap { self.test(libraryName: $0) }
    switch record.kind {
    case .hello, .test, .inherited: break
    case .homes: report(.homes(record.homes))
    case .missing: if let test { report(.missing(test)) }
    case .error:
      strayIssues.append(TestIssue(message: record.message ?? "the observer failed"))
    case .boundary: pendingBoundary = record.sequence
    case .suite:
      if let test { suiteClock[test] = record.time }
      prepare(test, boundary: record.sequence)
    case .child:
      if let pid = record.pid, let sequence = record.sequence { children[pid] = sequence }
    case .refused:
      if let current, let path = record.message { state[current]?.refusals.append(path) }
    case .unseen:
      if let current, let part = record.message, let whole = record.path {
        state[current]?.unseen.append((part, whole))
      }
    case .unreachable:
      if let current, let name = record.message { state[current]?.unreachable.append(name) }
    case .limit:
      if let current, let sign = record.message.flatMap({ LimitSign(word: $0) }) {
        state[current]?.limitSigns.insert(sign)
      }
    case .finding:
      let finding = TestIssue(message: record.message ?? "the observer found a fault")
      if let current {
        state[current]?.findings.append(finding)
      } else {
        strayIssues.append(finding)
      }
    case .start:
      setOwner(record.sequence, test)
      if let test {
        startClock[test] = record.time
        begin(test, at: nil, boundary: record.sequence)
      }
    case .issue:
      let location = record.file.flatMap { file in
        // XCTest has no place for errors thrown by a test's function.
        file.isEmpty || file == "<EXPR>" || (record.line ?? 0) <= 0
          ? nil : SourceLocation(file: file, line: record.line ?? 0)
      }
      self.record(TestIssue(message: record.message ?? "", location: location), in: test)
    case .end:
      setOwner(record.sequence, nil)
      guard let test else { break }
      if record.skipped == true {
        let reason = record.reason.flatMap { $0.isEmpty ? nil : $0 }
        let location = record.file.map { SourceLocation(file: $0, line: record.line ?? 0) }
        state[test]?.skip = Skip(kind: .runtime, reason: reason, location: location)
      }
      finish(
        test, duration: record.duration ?? 0, boundary: record.sequence,
        word: record.succeeded.map { $0 ? .passed : .failed })
    case .closed: isClosed = true
    }
  }

  mutating func take(_ record: StreamRecord) {
    guard record.kind == "event" else { return }
    let payload = record.payload
    let test = payload.testID.flatMap { self.test(libraryName: $0) }
    let time = payload.instant?.absolute
    switch payload.kind {
    case "testStarted":
      let boundary = pendingBoundary
      pendingBoundary = nil
      if let test {
        startClock[test] = payload.instant?.since1970
        setOwner(boundary, test)
        begin(test, at: time, boundary: boundary)
      } else {
        let first = payload.testID.flatMap { firstTests[ExactText($0)] }
        if let first { suiteClock[first] = payload.instant?.since1970 }
        prepare(first, suite: payload.testID, boundary: boundary)
      }
    case "testCaseStarted":
      guard let test, let name = payload._testCase?.displayName else { break }
      if let lost = state[test]?.openCase { state[test]?.cases.append(lost.result) }
      state[test]?.openCase = OpenCase(
        result: TestCaseResult(name: name, verdict: .lost), start: time)
    case "testCaseEnded":
      if let test { endCase(of: test, at: time) }
    case "testCaseCancelled":
      if let test { state[test]?.openCase?.result.verdict = .skipped }
    case "issueRecorded":
      let isWarning = (payload.issue?.severity ?? payload.issue?._severity) == "warning"
      let place = payload.issue?.sourceLocation ?? payload._sourceLocation
      self.record(
        TestIssue(
          message: Self.issueText(payload), location: place?.location,
          severity: isWarning ? .warning : .error, isKnown: payload.issue?.isKnown ?? false,
          caseName: payload._testCase?.displayName), in: test)
    case "testCancelled":
      if let test { state[test]?.skip = Skip(kind: .cancelled, reason: Self.reason(payload)) }
    case "testSkipped":
      guard let test, state[test] == nil else { break }
      begin(test, at: time, boundary: pendingBoundary)
      let text = Self.reason(payload)
      // The library's own words; they are a comment that nobody wrote in the sources.
      let isEmpty = text == "No test cases found."
      state[test]?.skip = Skip(
        kind: isEmpty ? .noArguments : .disabled, reason: isEmpty ? nil : text,
        location: payload._sourceLocation?.location)
      finish(test, duration: 0, boundary: nil)
    case "testEnded":
      let boundary = pendingBoundary
      setOwner(boundary, nil)
      pendingBoundary = nil
      guard let test else {
        // A suite may end without having started any test.
        if payload.testID == preparedSuite { upcoming = nil }
        break
      }
      let start = state[test]?.start
      finish(
        test, duration: start.flatMap { start in time.map { max($0 - start, 0) } } ?? 0,
        boundary: boundary, word: LibraryWord(symbol: payload.messages?.first?.symbol))
    case "runEnded":
      setOwner(pendingBoundary, nil)
      pendingBoundary = nil
      isClosed = true
    default: break
    }
  }

  private mutating func endCase(of test: TestID, at time: Double?) {
    guard var open = state[test]?.openCase else { return }
    state[test]?.openCase = nil
    if open.hasFailure {
      open.result.verdict = .failed
    } else if open.result.verdict != .skipped {
      open.result.verdict = open.hasKnown ? .knownIssue : .passed
    }
    if let start = open.start, let time { open.result.duration = max(time - start, 0) }
    state[test]?.cases.append(open.result)
  }

  /// The text of an issue: what failed, and below it the author's comments and the details.
  private static func issueText(_ payload: StreamRecord.Payload) -> String {
    let texts = (payload.messages ?? []).map(\.text)
    return texts.isEmpty ? "an issue was recorded" : texts.joined(separator: "\n")
  }

  private static func reason(_ payload: StreamRecord.Payload) -> String? {
    if let comment = payload._comments?.first, !comment.isEmpty { return comment }
    let details = (payload.messages ?? []).filter { $0.symbol == "details" }.map(\.text)
    return details.first
  }
}
