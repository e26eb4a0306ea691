package import RunModel
package import Workers

/// What a batch's process did, test by test: fed with what the process wrote, told how it ended, it
/// gives each test's verdict.
///
/// Pure, and the only place where verdicts of attempts are made. See ``BatchTranscript/Event`` for
/// what it reports, and `docs/verdicts.md` for the rules.
package struct BatchTranscript: Sendable {
  /// What the reader of a transcript is told, in the order it happened.
  package enum Event: Sendable {
    /// The test was seen to start.
    case started(TestID)
    /// A piece of a test's output; `nil` for output outside of any test.
    case output(TestID?, ProcessStream, [UInt8])
    /// The test's result is known, and all of its output was reported. What the process did last is
    /// held back until it does something more, or ends. The end of the process may bring another
    /// result of the same test, for example when something was left behind.
    case finished(TestID, TestOutcome)
    /// Foundation's folders, by the call that named them.
    case homes([String: String])
    /// The product says that it has no such test.
    case missing(TestID)
  }

  let tests: [TestID]
  /// Tests by the name that the library uses.
  private let byLibraryName: [String: TestID]
  var state: [TestID: Progress] = [:]
  /// Tests in the order they started.
  package private(set) var startOrder: [TestID] = []
  /// The test that is running.
  package private(set) var current: TestID?
  /// The test that finished last, when none was started since.
  package internal(set) var lastFinished: TestID?
  /// Finished tests whose results were not reported yet, with the boundary that ends their output.
  private var heldBack: [(test: TestID, boundary: Int)] = []
  /// Whether the library said that it is through.
  var isClosed = false
  /// Failures that the library recorded outside of any test.
  var strayIssues: [TestIssue] = []
  private var lines = LineSplitter()
  private var splitters: [ProcessStream: OutputSplitter]
  /// For XCTest's standard output.
  private var lineFilter: ConsoleLineFilter?
  private var filteredSequence = 0
  /// Whose output follows a boundary; `nil` for nobody's.
  private var owners: [Int: TestID?] = [0: nil]
  private var pendingBoundary: Int?
  private var pendingOutput: [(Int, ProcessStream, [UInt8])] = []
  private var events: [Event] = []

  /// What is known of a test so far.
  struct Progress: Sendable {
    var issues: [TestIssue] = []
    var cases: [TestCaseResult] = []
    var caseStart: Double?
    var start: Double?
    var skip: Skip?
    var outcome: TestOutcome?
  }

  package init(tests: [TestDescriptor], nonce: String) {
    self.tests = tests.map(\.id)
    byLibraryName = Dictionary(
      tests.map { ($0.libraryID, $0.id) }, uniquingKeysWith: { first, _ in first })
    let splitter = OutputSplitter(nonce: nonce)
    splitters = [.stdout: splitter, .stderr: splitter]
    if tests.first?.id.library == .xctest {
      lineFilter = ConsoleLineFilter(names: tests.lazy.map(\.id.name))
    }
  }

  /// Takes a piece of what the process wrote.
  ///
  /// - Returns: What follows from it.
  package mutating func feed(_ stream: ProcessStream, _ bytes: UnsafeRawBufferPointer) -> [Event] {
    if stream == .channel {
      var records: [ChannelRecord] = []
      lines.feed(bytes) { line in
        if Self.isNews(line), let record = ChannelRecord(line: line) { records.append(record) }
      }
      for record in records {
        switch record {
        case .observer(let record): take(record)
        case .stream(let record): take(record)
        }
      }
    } else {
      var pieces: [(Int, [UInt8])] = []
      splitters[stream]?.feed(bytes) { pieces.append(($0, Array($1))) }
      for (sequence, piece) in pieces { filter(sequence, stream, piece) }
    }
    releaseResults()
    return takeEvents()
  }

  /// Reports results whose output is complete and after which something else has started.
  private mutating func releaseResults(all: Bool = false) {
    guard !heldBack.isEmpty else { return }
    let seen = splitters.values.map(\.sequence).min() ?? 0
    while let next = heldBack.first, all || (next.boundary <= seen && next.test != lastFinished) {
      heldBack.removeFirst()
      if let outcome = state[next.test]?.outcome { report(.finished(next.test, outcome)) }
    }
  }

  /// Whether a line says something that the plan did not: the event stream begins with a record for
  /// each selected test, which is known already and can be long.
  private static func isNews(_ line: UnsafeRawBufferPointer) -> Bool {
    !line.starts(with: #"{"kind":"test","#.utf8)
  }

  mutating func report(_ event: Event) { events.append(event) }

  mutating func takeEvents() -> [Event] {
    defer { events = [] }
    return events
  }

  /// Passes on what was held back in the streams.
  mutating func flush() {
    for stream in [ProcessStream.stdout, .stderr] {
      var rest: [(Int, [UInt8])] = []
      splitters[stream]?.finish { rest.append(($0, Array($1))) }
      for (sequence, piece) in rest { filter(sequence, stream, piece) }
    }
    flushFilter()
    let pending = pendingOutput
    pendingOutput = []
    for (_, stream, piece) in pending { report(.output(current ?? lastFinished, stream, piece)) }
    releaseResults(all: true)
  }

  /// The test that a boundary's number belongs to: the one that ran after it, else the one before.
  func owner(ofSequence sequence: Int) -> TestID? {
    if let owner = owners[sequence] ?? nil { return owner }
    return (owners[sequence - 1] ?? nil) ?? nil
  }

  /// Passes a piece on without XCTest's own lines.
  private mutating func filter(_ sequence: Int, _ stream: ProcessStream, _ piece: [UInt8]) {
    guard stream == .stdout, lineFilter != nil else {
      deliver(sequence, stream, piece)
      return
    }
    if sequence != filteredSequence { flushFilter() }
    filteredSequence = sequence
    var passed: [[UInt8]] = []
    lineFilter?.feed(piece) { passed.append($0) }
    for bytes in passed { deliver(sequence, .stdout, bytes) }
  }

  private mutating func flushFilter() {
    var passed: [[UInt8]] = []
    lineFilter?.flush { passed.append($0) }
    for bytes in passed { deliver(filteredSequence, .stdout, bytes) }
  }

  private mutating func deliver(_ sequence: Int, _ stream: ProcessStream, _ piece: [UInt8]) {
    if let owner = owners[sequence] {
      report(.output(owner, stream, piece))
    } else {
      pendingOutput.append((sequence, stream, piece))
    }
  }

  private mutating func setOwner(_ sequence: Int?, _ test: TestID?) {
    guard let sequence else { return }
    owners[sequence] = .some(test)
    guard !pendingOutput.isEmpty else { return }
    let pending = pendingOutput
    pendingOutput = []
    for (number, stream, piece) in pending { deliver(number, stream, piece) }
  }
}

// MARK: - Records

extension BatchTranscript {
  private mutating func begin(_ test: TestID, at start: Double?) {
    guard state[test] == nil else { return }
    state[test] = Progress(start: start)
    startOrder.append(test)
    current = test
    lastFinished = nil
    report(.started(test))
  }

  private mutating func finish(_ test: TestID, duration: Double, boundary: Int?) {
    guard let progress = state[test], progress.outcome == nil else { return }
    state[test]?.outcome = TestOutcome(progress, duration: duration)
    if current == test { current = nil }
    lastFinished = test
    heldBack.append((test, boundary ?? 0))
  }

  private mutating func record(_ issue: TestIssue, in test: TestID?) {
    if let test = test ?? current, state[test] != nil, state[test]?.outcome == nil {
      state[test]?.issues.append(issue)
    } else if issue.isFailure {
      strayIssues.append(issue)
    }
  }

  private mutating func take(_ record: ObserverRecord) {
    let test = record.name.flatMap { byLibraryName[$0] }
    switch record.kind {
    case .hello, .test, .inherited: break
    case .homes: report(.homes(record.homes))
    case .missing: if let test { report(.missing(test)) }
    case .error:
      strayIssues.append(TestIssue(message: record.message ?? "the observer failed"))
    case .boundary: pendingBoundary = record.sequence
    case .start:
      setOwner(record.sequence, test)
      if let test { begin(test, at: nil) }
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
      if record.succeeded == false, state[test]?.issues.isEmpty == true {
        self.record(TestIssue(message: "XCTest says that the test failed"), in: test)
      }
      finish(test, duration: record.duration ?? 0, boundary: record.sequence)
    case .closed: isClosed = true
    }
  }

  private mutating func take(_ record: StreamRecord) {
    guard record.kind == "event" else { return }
    let payload = record.payload
    let test = payload.testID.flatMap { byLibraryName[$0] }
    let time = payload.instant?.absolute
    switch payload.kind {
    case "testStarted":
      setOwner(pendingBoundary, test)
      pendingBoundary = nil
      if let test { begin(test, at: time) }
    case "testCaseStarted":
      guard let test, let name = payload._testCase?.displayName else { break }
      state[test]?.cases.append(TestCaseResult(name: name, verdict: .lost))
      state[test]?.caseStart = time
    case "testCaseEnded":
      if let test { endCase(of: test, at: time) }
    case "testCaseCancelled":
      guard let test, let last = state[test]?.cases.indices.last else { break }
      state[test]?.cases[last].verdict = .skipped
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
      begin(test, at: time)
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
      guard let test else { break }
      let start = state[test]?.start
      finish(
        test, duration: start.flatMap { start in time.map { max($0 - start, 0) } } ?? 0,
        boundary: boundary)
    case "runEnded":
      setOwner(pendingBoundary, nil)
      pendingBoundary = nil
      isClosed = true
    default: break
    }
  }

  private mutating func endCase(of test: TestID, at time: Double?) {
    guard var progress = state[test], let last = progress.cases.indices.last else { return }
    let own = progress.issues.filter { $0.caseName == progress.cases[last].name }
    progress.cases[last].verdict =
      if own.contains(where: \.isFailure) {
        .failed
      } else if progress.cases[last].verdict == .skipped {
        .skipped
      } else {
        own.contains(where: \.isKnown) ? .knownIssue : .passed
      }
    if let start = progress.caseStart, let time {
      progress.cases[last].duration = max(time - start, 0)
    }
    state[test] = progress
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
