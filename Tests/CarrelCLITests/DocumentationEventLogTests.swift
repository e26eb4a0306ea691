import FoundationEssentials
import RunModel
import Testing

/// Holds docs/event-log.md to the events that the code writes.
@Suite struct DocumentationEventLogTests {
  private static let test = TestID(product: "P", library: .testing, name: "M.f()")
  private static let location = SourceLocation(file: "/f.swift", line: 1, column: 2)

  private static let namesake: TestDescriptor = {
    var namesake = TestDescriptor(
      id: test, displayName: "d", location: location, usesIntents: true)
    namesake.hasNamesake = true
    return namesake
  }()

  /// A header with a value in every place.
  private static let header: RunHeader = {
    var header =
      RunHeader(
        runID: "i", carrel: "0", packagePath: "/p", arguments: [], workers: 1, batch: "auto",
        retries: 0, timeLimit: 1, leaksFail: true, isolation: "directories", seed: "s",
        toolchain: "t", hostName: "h", passedVariables: [],
        limits: RunLimits(
          limits: ResourceLimits(
            memory: 1, processes: 1, files: 1, disk: 1, cpus: 1, silence: 1),
          mechanism: "rlimits", notes: []))
    header.sources = [
      RunSource(
        header: header, startedAt: 1, endedAt: 2, finish: RunFinish(exitCode: 1, duration: 1))
    ]
    header.continues = "c"
    header.folder = "/f"
    header.products = [BuiltProduct(name: "P", size: 1, modified: "1.2")]
    header.processors = 2
    return header
  }()

  /// Events with a value in every place that may be empty.
  private static let events: [RunEvent.Kind] = {
    let log = LogReference(path: "logs/x", bytes: 1, isTruncated: false)
    let issue = TestIssue(message: "m", location: location, caseName: "1")
    func attempt(_ end: ProcessEnd) -> RunEvent.Kind {
      .attemptFinished(
        AttemptResult(
          test: test, attempt: 1, batch: 1, worker: 1, verdict: .failed, reason: "r",
          skip: Skip(kind: .runtime, reason: "r", location: location), issues: [issue],
          cases: [TestCaseResult(name: "1", verdict: .failed, duration: 1)], end: end,
          startedAt: 1, duration: 1, stdout: log, stderr: log,
          leaks: [
            LeakedProcess(
              pid: 1, command: "c", pipes: [.channel],
              sockets: [LeakedProcess.Socket(kind: .tcp, address: "a")])
          ], omitted: OmittedCounts(issues: 1)))
    }
    func result(_ company: CompanyFinding) -> RunEvent.Kind {
      .testFinished(
        TestResult(
          test: test, verdict: .failed, attempts: 1, company: company, unnamed: 1, reason: "r"))
    }
    return [
      .runStarted(header),
      .testPlanned(namesake),
      .batchStarted(BatchStart(batch: 1, worker: 1, purpose: .planned, tests: [test])),
      .attemptStarted(AttemptStart(test: test, attempt: 1, batch: 1, worker: 1)),
      attempt(.exited(1)), attempt(.signaled(9)),
      .batchFinished(BatchFinish(batch: 1, worker: 1, end: .exited(0), duration: 1)),
      .bundleWritten(BundleReference(test: test, attempt: 1, path: "bundles/x", bytes: 1)),
      result(.alsoAlone), result(.onlyAfter([test])), result(.alsoInCompany),
      result(.onlyAlone(passesAfter: [test])),
      .problem(RunProblem(severity: .error, code: .listingFailed, message: "m", output: "o")),
      .runFinished(
        RunFinish(
          exitCode: 1, duration: 1, interruptedBy: "SIGINT", processorSeconds: 1, peakMemory: 1,
          verdicts: ["passed": 1])),
      .resultSetAside(SetAsideResult(test: test, run: "i", verdict: .passed)),
    ]
  }()

  @Test func everyKeyIsInTheGrammar() throws {
    let page = DocumentationPage(try DocumentationFiles.text("docs/event-log.md"))
    let grammar = page.code.filter { $0.language == "ebnf" }.map(\.text).joined(separator: "\n")
    var keys: Set<String> = []
    for kind in Self.events {
      let bytes = try JSONEncoder().encode(RunEvent(time: 1, kind, run: "i"))
      let text = String(decoding: bytes, as: UTF8.self)
      keys.formUnion(text.matches(of: #/"(\w+)":/#).map { String($0.1) })
      keys.formUnion(text.matches(of: #/"kind":"(\w+)"/#).map { String($0.1) })
    }
    #expect(keys.count > 50)
    for key in keys.sorted() {
      #expect(grammar.contains("\"\(key)\""), "the grammar has no \"\(key)\"")
    }
  }

  /// The example is a log that the code reads.
  @Test func theExampleIsReadable() throws {
    let page = DocumentationPage(try DocumentationFiles.text("docs/event-log.md"))
    let lines = page.code.filter { $0.language == "json" }
    #expect(lines.count > 5)
    var state = RunState()
    for line in lines {
      let event = try JSONDecoder().decode(RunEvent.self, from: Data(line.text.utf8))
      if case .unknown(let name) = event.kind { Issue.record("line \(line.number): \(name)") }
      state.apply(event)
    }
    #expect(state.finish != nil)
    #expect(state.tests.allSatisfy { $0.logged != nil })
  }

  @Test func everyWordOfAnEnumerationIsInTheGrammar() throws {
    let page = DocumentationPage(try DocumentationFiles.text("docs/event-log.md"))
    let grammar = page.code.filter { $0.language == "ebnf" }.map(\.text).joined(separator: "\n")
    let words =
      Verdict.allCases.map(\.rawValue) + TestLibrary.allCases.map(\.rawValue)
      + [AttemptPurpose.planned, .retry, .aloneCheck, .companyCheck].map(\.rawValue)
      + [SkipKind.runtime, .disabled, .cancelled, .noArguments].map(\.rawValue)
      + [TestIssue.Severity.warning, .error].map(\.rawValue)
      + LeakedProcess.Pipe.allCases.map(\.rawValue)
      + [LeakedProcess.Socket.Kind.tcp, .udp, .unix].map(\.rawValue)
    for word in words {
      #expect(grammar.contains("\"\(word)\""), "the grammar has no \"\(word)\"")
    }
  }
}
