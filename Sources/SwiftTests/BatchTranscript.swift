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
  let byLibraryName: [String: TestID]
  var state: [TestID: Progress] = [:]
  /// Tests in the order they started.
  package internal(set) var startOrder: [TestID] = []
  /// The test that is running.
  package internal(set) var current: TestID?
  /// The test that finished last, when none was started since.
  package internal(set) var lastFinished: TestID?
  /// Finished tests whose results were not reported yet, with the boundary that ends their output.
  var heldBack: [(test: TestID, boundary: Int)] = []
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
  var pendingBoundary: Int?
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

  mutating func setOwner(_ sequence: Int?, _ test: TestID?) {
    guard let sequence else { return }
    owners[sequence] = .some(test)
    guard !pendingOutput.isEmpty else { return }
    let pending = pendingOutput
    pendingOutput = []
    for (number, stream, piece) in pending { deliver(number, stream, piece) }
  }
}
