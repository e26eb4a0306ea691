import Evidence
import Glibc
import Orchestration
import RunModel
import SystemFiles
import TestSupport
import Testing

@testable import RunEngine

extension RunsProcesses {
  /// A session that takes over what an earlier one has found out.
  @Suite struct ResumeRequestTests {
    private let names = ["M.A/test1", "M.A/test2", "M.A/test3"]

    /// A run of which the first test failed and the second was running; the third exists no more.
    private func request(
      in folder: TemporaryFolder, products: [BuiltProduct]? = nil,
      archive: ArchiveReference? = nil, acceptsChanges: Bool = false
    ) throws -> ResumeRequest {
      let record = try RunRecord.create(inRunsFolder: folder.path(of: "old"), at: 500)
      let tests = names.map { TestID(product: FakePackage.product, library: .xctest, name: $0) }
      var header = RunHeader(
        runID: record.runID, carrel: "0", packagePath: "/p", arguments: ["run"], workers: 1,
        batch: "1", retries: 0, timeLimit: nil, leaksFail: true, isolation: "directories",
        seed: "1", toolchain: "t", hostName: "h", passedVariables: [])
      (header.products, header.archive) = (products, archive)
      let log = record.logPath(tests[0], attempt: 1, stream: "stdout")
      try writeSmallFile("\(record.path)/\(log)", Array("said before".utf8))
      let bundle = record.bundlePath(tests[0], attempt: 1)
      try writeSmallFile("\(record.path)/\(bundle)", [1, 2, 3])
      let attempt = AttemptResult(
        test: tests[0], attempt: 1, batch: 7, worker: 1, verdict: .failed, startedAt: 1,
        duration: 1, stdout: LogReference(path: log, bytes: 11, isTruncated: false),
        stderr: LogReference(path: "logs/missing", bytes: 11, isTruncated: false))
      let kinds: [RunEvent.Kind] =
        [.runStarted(header)] + tests.map { .testPlanned(TestDescriptor(id: $0)) } + [
          .batchStarted(BatchStart(batch: 7, worker: 1, purpose: .planned, tests: [tests[0]])),
          .attemptFinished(attempt),
          .bundleWritten(BundleReference(test: tests[0], attempt: 1, path: bundle, bytes: 3)),
          .testFinished(TestResult(test: tests[0], verdict: .failed, attempts: 1)),
          .attemptStarted(AttemptStart(test: tests[1], attempt: 1, batch: 8, worker: 1)),
        ]
      let events = kinds.map { RunEvent(time: 1, $0) }
      return ResumeRequest(
        record: record, resumable: try ResumableRun(events), acceptsChanges: acceptsChanges)
    }

    @Test func everyPlannedTestHasOneResult() async throws {
      let package = try FakePackage(["M.A/test1": "fail 'again'", "M.A/test2": "echo now"])
      let old = try request(in: package.folder)
      let outcome = try await SessionOutcome.run(package, ["M.A/test2"], resume: old)
      #expect(outcome.state.tests.map(\.id.name) == names)
      #expect(outcome.verdicts == [.failed, .passed, .notRun])
      #expect(outcome.state.tests[2].result.reason == "the test does not exist any more")
      #expect(RunState(outcome.events).tests.map(\.result) == outcome.state.tests.map(\.result))
      // Nobody is told again what was known.
      let told = outcome.seen.compactMap { event -> String? in
        if case .attemptFinished(let attempt) = event.kind { attempt.test.name } else { nil }
      }
      #expect(told == ["M.A/test2"])
      let batches = outcome.events.compactMap { event -> Int? in
        if case .batchStarted(let start) = event.kind { start.batch } else { nil }
      }
      #expect(batches == [1, 3])
    }

    @Test func filesAreTakenOverAsFarAsTheyAreThere() throws {
      let folder = try TemporaryFolder()
      let old = try request(in: folder)
      let target = try RunRecord.create(inRunsFolder: folder.path(of: "new"), at: 600)
      let taken = try old.takingFiles(into: target)
      var state = RunState(taken.resumable.tests.map { RunEvent(time: 0, .testPlanned($0)) })
      for event in taken.resumable.events { state.apply(event) }
      let attempt = try #require(state.tests[0].attempts.first)
      #expect(attempt.stderr == nil)
      let log = try #require(attempt.stdout)
      #expect(target.logEnd(log, bytes: 100)?.bytes == Array("said before".utf8))
      let bundle = try #require(state.tests[0].bundles[1])
      #expect(readSmallFile("\(target.path)/\(bundle.path)") == [1, 2, 3])
      #expect(try target.bundleIndex() == [bundle] && target.removedFiles(state).count == 2)
    }

    @Test func anotherArchiveIsRefused() throws {
      let package = try FakePackage(["M.A/test2": "echo now"])
      let mine = ArchiveReference(path: "/a/päck", digest: "sha256:1")
      let other = ArchiveReference(path: "/a/päck", digest: "sha256:2")
      let old = try request(in: package.folder, archive: mine)
      var catalog = package.catalog
      catalog.archive = ArchiveReference(path: "/elsewhere", digest: mine.digest)
      try old.check(catalog)
      try RunEngineError.check(catalog.archive, isThatOf: "r", mine)
      try RunEngineError.check(nil, isThatOf: "r", mine)
      catalog.archive = other
      let error = #expect(throws: RunEngineError.self) { try old.check(catalog) }
      #expect(error?.code == .productsChanged && error?.context["archive"] == "/a/päck")
      #expect(error?.message.hasPrefix("the run archive '/a/päck' is not the one of run ") == true)
      try request(in: package.folder, archive: mine, acceptsChanges: true).check(catalog)
    }

    @Test func anotherBuildIsRefused() throws {
      let package = try FakePackage(["M.A/test2": "echo now"])
      let catalog = package.catalog
      let built = try #require(catalog.builtProducts)
      #expect(built.count == 1 && built[0].size > 0)
      #expect(built[0].modified.wholeMatch(of: #/\d+\.\d{9}/#) != nil)
      try request(in: package.folder, products: built).check(catalog)
      var other = built
      other[0].size += 1
      for products in [other, nil] {
        let old = try request(in: package.folder, products: products)
        let error = #expect(throws: RunEngineError.self) { try old.check(catalog) }
        #expect(error?.code == .productsChanged)
        try request(in: package.folder, products: products, acceptsChanges: true)
          .check(catalog)
      }
    }
  }
}
