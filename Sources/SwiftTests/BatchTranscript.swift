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
    /// What the library does before the first test of a suite has begun: the set-up of a class, for
    /// example. The test is the suite's first one.
    case preparing(TestID)
    /// The test was seen to start.
    case started(TestID)
    /// A piece of a test's output.
    case output(TestID, ProcessStream, [UInt8])
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
  private let byLibraryName: [ExactText: TestID]
  /// The first test of each of Swift Testing's suites, by the suite's identifier: what comes before
  /// a slash in a test's one.
  let firstTests: [ExactText: TestID]
  var state: [TestID: Progress] = [:]
  /// Tests in the order they started.
  package internal(set) var startOrder: [TestID] = []
  /// When tests started, and when their suites began, in seconds since 1970 as the process tells
  /// it: what is read from it can be late.
  package internal(set) var startClock: [TestID: Double] = [:]
  package internal(set) var suiteClock: [TestID: Double] = [:]
  /// The test that is running.
  package internal(set) var current: TestID?
  /// The test that finished last, when none was started since.
  package internal(set) var lastFinished: TestID?
  /// The first test of a suite that is being prepared, when no test was started since.
  package internal(set) var upcoming: TestID?
  /// That suite's identifier, if it is one of Swift Testing's.
  var preparedSuite: String?
  /// What ended the process, when that is proven.
  var endCause: String?
  /// Finished tests whose results were not reported yet, with the boundary that ends their output.
  var heldBack: [(test: TestID, boundary: Int)] = []
  /// Whether the library said that it is through.
  var isClosed = false
  /// Failures that the library recorded outside of any test.
  var strayIssues = IssueList()
  /// Why the channel cannot be relied on, once a part of it could not be read.
  var damage: String?
  /// The same, as long as no test has started that it can be charged to.
  var unchargedDamage: String?
  private var lines: ChannelLines
  var output: OutputSorter
  /// The suites' first tests by the boundary before the suite.
  var preparations: [Int: TestID] = [:]
  /// Processes that the tests' process started itself, with the boundary before that.
  var children: [Int32: Int] = [:]
  /// The boundary after which output belongs to no test, unless a test starts.
  var strayStart = 0
  /// Number of the boundary that the next record of Swift Testing is about.
  var pendingBoundary: Int?
  private var events: [Event] = []
  /// What the process is kept from, so that a failure can be explained by it.
  package var surroundings: TestSurroundings?

  /// What is known of a test so far.
  struct Progress: Sendable {
    var issues = IssueList()
    /// What the observer found, of which the library knows nothing.
    var findings = IssueList()
    /// Paths that the test could not write to because they are read-only.
    var refusals: [String] = []
    /// Paths that the test did not find in folders which are not those of the machine: the first
    /// part that is not there, and the whole.
    var unseen: [(part: String, whole: String)] = []
    /// Names and addresses that the test could not reach.
    var unreachable: [String] = []
    /// Limits that the test's process has noticed.
    var limitSigns: Set<LimitSign> = []
    /// Cases that have ended.
    var cases = CaseList()
    var openCase: OpenCase?
    var start: Double?
    var skip: Skip?
    /// The library's own word on the result, from its record of the test's end.
    var word: LibraryWord?
    /// Why records of the test may be missing.
    var damage: String?
    /// Seconds of earlier runs of a test that is listed more than once.
    var earlierDuration = 0.0
    var outcome: TestOutcome?
  }

  /// A case of a parameterized test that has not ended.
  struct OpenCase: Sendable {
    var result: TestCaseResult
    var start: Double?
    var hasFailure = false
    var hasKnown = false
  }

  package init(tests: [TestDescriptor], nonce: String) {
    self.init(tests: tests, nonce: nonce, lineLimit: LineSplitter.standardLimit)
  }

  init(tests: [TestDescriptor], nonce: String, lineLimit: Int) {
    self.tests = tests.map(\.id)
    byLibraryName = Dictionary(
      tests.map { (ExactText($0.libraryID), $0.id) }, uniquingKeysWith: { first, _ in first })
    var firstTests: [ExactText: TestID] = [:]
    for test in tests where test.id.library == .testing {
      let name = test.libraryID
      for slash in name.indices where name[slash] == "/" {
        let suite = ExactText(String(name[..<slash]))
        if firstTests[suite] == nil { firstTests[suite] = test.id }
      }
    }
    self.firstTests = firstTests
    lines = ChannelLines(limit: lineLimit)
    output = OutputSorter(tests: self.tests, nonce: nonce)
  }

  func test(libraryName: String) -> TestID? { byLibraryName[ExactText(libraryName)] }

  /// Takes a piece of what the process wrote.
  ///
  /// - Returns: What follows from it.
  package mutating func feed(_ stream: ProcessStream, _ bytes: UnsafeRawBufferPointer) -> [Event] {
    if stream == .channel {
      var records: [Result<ChannelRecord, Unreadable>] = []
      lines.feed(bytes) { line in
        guard let line else {
          records.append(.failure(.tooLong))
          return
        }
        guard !line.isEmpty, Self.isNews(line) else { return }
        records.append(ChannelRecord(line: line).map { .success($0) } ?? .failure(.garbage))
      }
      for record in records {
        switch record {
        case .success(.observer(let record)): take(record)
        case .success(.stream(let record)): take(record)
        case .failure(let problem): doubt(problem.description)
        }
      }
    } else {
      output.feed(stream, bytes)
    }
    passOutput()
    releaseResults()
    return takeEvents()
  }

  /// Reports the output whose test is known by now.
  mutating func passOutput() {
    for piece in output.take() { report(.output(piece.test, piece.stream, piece.bytes)) }
  }

  /// Reports results whose output is complete and after which something else has started.
  mutating func releaseResults(all: Bool = false) {
    guard !heldBack.isEmpty else { return }
    let seen = output.sequence
    while let next = heldBack.first,
      all
        || (next.boundary <= seen && next.test != output.undecided
          && (next.test != lastFinished || upcoming != nil))
    {
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

  /// What was written to standard error since a test ran, or since a suite is being prepared; empty
  /// while a test runs.
  package var strayErrors: String {
    current == nil ? output.strayErrors(from: strayStart) : ""
  }

  /// Passes on what was held back in the streams.
  mutating func flush() {
    if lines.hasRest { doubt(Unreadable.cut.description) }
    output.finish(owner: current ?? lastFinished)
    passOutput()
    releaseResults(all: true)
  }
}
