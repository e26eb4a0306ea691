import FoundationEssentials
import Glibc
import RunModel
import TestSupport
import Testing

extension EndToEnd {
  /// What many attempts leave behind in the command, beside it and in its folders: nothing.
  @Suite struct ThousandAttemptsTests {
    /// What the command has at one moment.
    struct Use {
      var descriptors: Int
      var children: Int
      var entries: Int
    }

    @Test(arguments: ["cold", "warm"]) func nothingAddsUp(start: String) async throws {
      let package = try await FixturePackage.prepare("ManyPlanned")
      let folder = try TemporaryFolder()
      let runs = folder.path(of: "runs")
      let work = folder.path(of: "work")
      mkdir(runs, 0o755)
      var watch = try FileWatch(runs)
      let process = try ChildProcess(
        [
          Carrel.executable, "run", package.path, "--skip-build", "--output", runs, "--workers",
          "2", "--batch", "1", "--start", start, "--filter", "test[0-9]{1,3}$",
        ], environment: Carrel.variables(adding: ["CARREL_WORK_DIR": work]), timeout: 300)
      func use(after batches: Int) throws -> Use? {
        try watch.first(within: 120) { () -> Use? in
          guard let record = try? recordFolder(in: runs),
            try finishedBatches("\(record)/events.jsonl") >= batches
          else { return nil }
          let files = FileManager.default
          let descriptors = try files.contentsOfDirectory(atPath: "/proc/\(process.pid)/fd")
          return Use(
            descriptors: descriptors.count, children: try familyStates(of: process.pid).count,
            entries: (try? files.subpathsOfDirectory(atPath: work))?.count ?? 0)
        }
      }
      let early = try #require(try use(after: 50))
      let late = try #require(try use(after: 900))
      let run = CarrelRun(package: package, output: try await process.output(), folder: folder)
      #expect(run.output.status == 0, "\(run)")
      #expect(try finishedBatches("\(run.record)/events.jsonl") == 1000)
      // Two batches come and go all the time: a dozen descriptors, a few processes, two containers.
      #expect(early.descriptors < 60 && late.descriptors < early.descriptors + 30, "\(late)")
      #expect(early.children < 20 && late.children < early.children + 10, "\(late)")
      #expect(early.entries < 200 && late.entries < early.entries + 100, "\(late)")
      let user = "\(work)/carrel-\(getuid())"
      #expect(try FileManager.default.contentsOfDirectory(atPath: user) == [])
      let runID = try #require(try run.record.split(separator: "/").last)
      #expect(try MarkedProcesses(of: "\(runID)-").all == [])
    }

    /// The batches that a log says have ended.
    private func finishedBatches(_ path: String) throws -> Int {
      String(decoding: try readFile(path), as: UTF8.self)
        .split(separator: "\n").count { $0.contains("\"kind\":\"batchFinished\"") }
    }
  }
}
