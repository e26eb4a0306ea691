import FoundationEssentials
import Glibc
import RunModel
import TestSupport
import Testing

extension EndToEnd {
  /// `carrel resume` after the command was killed or interrupted.
  @Suite struct ResumeTests {
    @Test func aKilledRunIsResumed() async throws {
      let run = try await GatedRun.start("--junit", "report.xml")
      // It is still running.
      let early = try await run.resume()
      #expect(early.status == 2 && early.errorText.contains("is being written"), "\(early.allText)")
      try await run.end(SIGKILL)
      let old = try readFile("\(run.record)/events.jsonl")

      try run.open()
      let output = try await run.resume()
      #expect(output.status == 1, "\(output.allText)")
      #expect(output.text.contains("resuming run \(lastName(run.record)): 2 of 4 tests"))
      // What was over did not run again, and is not told again; what ran when it died did.
      #expect(try run.log == [1, 2, 3, 3, 4])
      let told = output.text.matches(of: #/(?m)^PASS +\[.*s\] (.*)$/#).map { String($0.1) }
      #expect(told.count == 2 && !told.contains { $0.contains("test1Passes") }, "\(told)")
      #expect(try readFile("\(run.record)/events.jsonl") == old)

      let record = try run.newest
      let events = try readEvents("\(record)/events.jsonl")
      let state = RunState(events)
      let before = RunState(try readEvents("\(run.record)/events.jsonl"))
      #expect(state.tests.map(\.descriptor) == before.tests.map(\.descriptor))
      #expect(state.tests.map(\.result.verdict) == [.passed, .failed, .passed, .passed])
      #expect(state.tests.allSatisfy { $0.logged != nil && $0.attempts.map(\.attempt) == [1] })
      #expect(state.header?.continues == lastName(run.record))
      #expect(state.header?.sources?.map(\.runID) == [lastName(run.record)])
      #expect(state.header?.seed == before.header?.seed && state.header?.isMerge == false)
      #expect(state.header?.workers == 1 && state.header?.batch == "2")
      #expect(state.finish?.exitCode == 1 && state.finish?.verdicts == ["passed": 3, "failed": 1])
      let batches = events.compactMap { event -> Int? in
        if case .batchStarted(let start) = event.kind { start.batch } else { nil }
      }
      #expect(batches == Array(1...batches.count))

      // The record is whole: reports, log and bundle of the test that did not run again.
      let failed = state.tests[1]
      let bundle = "\(record)/\(try #require(failed.bundles[1]).path)"
      let verify = try await Carrel.invoke(["bundle", "verify", bundle])
      #expect(verify.status == 0, "\(verify.allText)")
      // The option of the first command is obeyed, from the folder in which it was given.
      let file = run.folder.path(of: "report.xml")
      let junit = try await JUnitFile(file)
      #expect(junit.statuses.count == 4 && junit.miscounts == [])
      let again = run.folder.path(of: "again.xml")
      let report = try await Carrel.invoke(["report", record, "--junit", again, "--run-status"])
      #expect(report.status == 1 && report.errorText.isEmpty, "\(report.allText)")
      #expect(try readFile(again) == readFile(file))
      #expect(output.text.hasSuffix(report.text.replacing(again, with: file)), "\(output.text)")

      // There is nothing left to do.
      let last = try await run.resume()
      #expect(last.status == 1 && last.errorText.contains("came to its end"), "\(last.allText)")
      // Merged with the run that it resumed it is the same.
      let merged = try await Carrel.invoke([
        "merge", run.record, record, "--output", run.folder.path(of: "merged"), "--quiet",
      ])
      #expect(merged.status == 0, "\(merged.allText)")
      let both = RunState(
        try readEvents("\(recordFolder(in: run.folder.path(of: "merged")))/events.jsonl"))
      #expect(both.tests.map(\.result) == state.tests.map(\.result))
      #expect(!both.problems.map(\.code).contains(.mergeConflict), "\(both.problems)")
    }

    /// Interrupted, resumed, killed, and resumed again.
    @Test func aResumedRunIsResumed() async throws {
      let run = try await GatedRun.start()
      try await run.end(SIGINT)
      let second = try await run.startResuming()
      second.signal(SIGKILL)
      #expect(try await second.output().end == .signaled(SIGKILL))
      try run.open()
      let output = try await run.resume("--quiet")
      #expect(output.status == 1, "\(output.allText)")
      #expect(try run.log == [1, 2, 3, 3, 3, 4])
      let state = RunState(try readEvents("\(try run.newest)/events.jsonl"))
      #expect(state.tests.map(\.result.verdict) == [.passed, .failed, .passed, .passed])
      #expect(state.header?.sources?.count == 2)
      #expect(state.tests[1].bundles.count == 1)
    }

    @Test func otherProductsAreRefused() async throws {
      let run = try await GatedRun.start()
      try await run.end(SIGKILL)
      try run.open()
      let products = "\(run.package.path)/.build/debug"
      let names = try FileManager.default.contentsOfDirectory(atPath: products)
      let product = try #require(names.first { $0.hasSuffix(".xctest") })
      let times = [timespec(tv_sec: 1, tv_nsec: 5), timespec(tv_sec: 1, tv_nsec: 5)]
      var status = stat()
      #expect(stat("\(products)/\(product)", &status) == 0)
      let now = [status.st_atim, status.st_mtim]
      #expect(utimensat(AT_FDCWD, "\(products)/\(product)", times, 0) == 0)
      defer { utimensat(AT_FDCWD, "\(products)/\(product)", now, 0) }
      let refused = try await run.resume()
      #expect(refused.status == 6, "\(refused.allText)")
      #expect(refused.errorText.contains("was built anew since run"), "\(refused.allText)")
      #expect(refused.errorText.contains("carrel resume --force"), "\(refused.allText)")
      #expect(try run.log == [1, 2, 3])
      // The record of the refusal is passed over.
      let forced = try await run.resume("--force")
      #expect(forced.status == 1, "\(forced.allText)")
      #expect(try run.log == [1, 2, 3, 3, 4])
    }

    @Test func whatCannotBeResumedIsExplained() async throws {
      let run = try await GatedRun.start()
      try await run.end(SIGKILL)
      let runs = run.folder.path(of: "other")
      let merged = try await Carrel.invoke(["merge", run.record, "--output", runs, "--quiet"])
      #expect(merged.status == 0, "\(merged.allText)")
      // A merge has an end, so it says that it came to it.
      let over = try await Carrel.invoke(["resume", "--output", runs])
      #expect(over.status == 1 && over.errorText.contains("carrel rerun"), "\(over.allText)")
      // Killed before its first test: the plan may be cut off.
      let bytes = try readFile("\(run.record)/events.jsonl")
      let lines = bytes.split(separator: 10).prefix(4)
      try Data(lines.joined(separator: [10]) + [10]).write(
        to: URL(filePath: "\(run.record)/events.jsonl"))
      let cut = try await run.resume()
      #expect(cut.status == 2 && cut.errorText.contains("did not come to its first test"))
    }
  }
}

/// A run of four tests, of which the third waits for a file.
private struct GatedRun {
  let package: FixturePackage
  let folder: TemporaryFolder
  let process: ChildProcess
  /// The record of the first run.
  let record: String

  private var runs: String { folder.path(of: "runs é") }

  /// Starts the command, in a folder of its own, and waits until the third test runs.
  static func start(_ options: String...) async throws -> GatedRun {
    let package = try await FixturePackage.prepare("Gate")
    let folder = try TemporaryFolder()
    let runs = folder.path(of: "runs é")
    mkdir(runs, 0o755)
    mkdir(folder.path(of: "gate"), 0o755)
    var watch = try FileWatch(runs)
    let process = try ChildProcess(
      [
        Carrel.executable, "run", package.path, "--skip-build", "--output", "runs é", "--workers",
        "1", "--batch", "2", "--company-check", "off", "--pass-env", "GATE_FOLDER",
        "--writable", folder.path(of: "gate"),
      ] + options, environment: variables(folder), folder: folder.path, timeout: 90)
    let record = try watch.first(within: 60) { () -> String? in
      guard let record = try? recordFolder(in: runs) else { return nil }
      return try isWaiting(record) ? record : nil
    }
    guard let record else {
      process.signal(SIGKILL)
      throw FixtureProblem("the test that waits was not seen to start")
    }
    return GatedRun(package: package, folder: folder, process: process, record: record)
  }

  /// Whether the third test runs, and the failure of the second has its bundle.
  private static func isWaiting(_ record: String) throws -> Bool {
    let tests = RunState(try readEvents("\(record)/events.jsonl")).tests
    return tests.count == 4 && tests[2].open != nil && !tests[1].bundles.isEmpty
  }

  private static func variables(_ folder: TemporaryFolder) -> [String: String] {
    Carrel.variables(adding: ["GATE_FOLDER": folder.path(of: "gate")])
  }

  func end(_ signal: Int32) async throws {
    process.signal(signal)
    let output = try await process.output()
    #expect(output.end == (signal == SIGKILL ? .signaled(signal) : .exited(128 + signal)))
  }

  /// Lets the test that waits go on.
  func open() throws { try Data().write(to: URL(filePath: folder.path(of: "gate/open"))) }

  /// Numbers of the tests in the order in which they ran.
  var log: [Int] {
    get throws {
      String(decoding: try readFile(folder.path(of: "gate/log")), as: UTF8.self)
        .split(separator: "\n").compactMap { Int($0) }
    }
  }

  /// The record of the last run.
  var newest: String {
    get throws {
      let names = try FileManager.default.contentsOfDirectory(atPath: runs)
      return "\(runs)/\(names.filter { $0 != "latest" }.max() ?? "")"
    }
  }

  func resume(_ options: String...) async throws -> ProcessOutput {
    try await Carrel.invoke(
      ["resume", "--output", runs] + options,
      environment: ["GATE_FOLDER": folder.path(of: "gate")])
  }

  /// Resumes the run, and waits until the third test runs again.
  func startResuming() async throws -> ChildProcess {
    var watch = try FileWatch(runs)
    let process = try ChildProcess(
      [Carrel.executable, "resume", "--output", runs], environment: Self.variables(folder),
      timeout: 90)
    let isWaiting = try watch.first(within: 60) { () -> Bool? in
      let newest = try newest
      guard newest != record, FileManager.default.fileExists(atPath: "\(newest)/events.jsonl")
      else { return nil }
      return try Self.isWaiting(newest) ? true : nil
    }
    guard isWaiting == true else {
      process.signal(SIGKILL)
      throw FixtureProblem("the test that waits was not seen to start again")
    }
    return process
  }
}
