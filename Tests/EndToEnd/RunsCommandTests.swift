import FoundationEssentials
import Glibc
import RunModel
import TestSupport
import Testing

extension EndToEnd {
  /// `carrel report` and `carrel runs` on records that `carrel run` made.
  @Suite struct RunsCommandTests {
    /// Failures, a skip, a retry, and a name that a test which is not selected has, too.
    @Test(arguments: [
      ("Outcomes", "BasicXCTests|BasicTests/"), ("TwoSuites", "FirstTests.BasicTests/testBasic"),
    ])
    func reportsAreMadeAgainByteForByte(fixture: String, filter: String) async throws {
      let folder = try TemporaryFolder(name: "rapport é")
      let first = folder.path(of: "first.xml")
      let run = try await Carrel.run(
        fixture, "--filter", filter, "--retries", "1", "--junit", first)
      let record = try run.record
      #expect(run.output.status == 1, "\(run)")
      let own = try readFile("\(record)/junit.xml")

      let second = folder.path(of: "second.xml")
      let report = try await Carrel.invoke(["report", record, "--junit", second])
      #expect(report.status == 0 && report.errorText.isEmpty, "\(report.allText)")
      #expect(try readFile(second) == readFile(first))
      let summary = report.text.replacing(second, with: first)
      #expect(summary.contains("Did not succeed:") && summary.hasSuffix("first.xml\n"))
      #expect(run.output.text.hasSuffix(summary), "\(run)\n\(summary)")

      // Into the record's own place, from its ID.
      let again = try await Carrel.invoke([
        "report", String(lastName(record).prefix(18)), "--output", run.folder.path(of: "runs"),
        "--junit", "\(record)/junit.xml", "--quiet", "--run-status",
      ])
      #expect(again.status == 1 && again.text.isEmpty, "\(again.allText)")
      #expect(try readFile("\(record)/junit.xml") == own)
    }

    @Test func aBuildThatFailedIsReported() async throws {
      let package = try await FixturePackage.prepare("BrokenBuild", isBuilt: false)
      let folder = try TemporaryFolder()
      let runs = folder.path(of: "runs")
      let run = try await Carrel.invoke(["run", package.path, "--output", runs], timeout: 300)
      #expect(run.status == 3, "\(run.allText)")
      let report = try await Carrel.invoke(["report", "--output", runs, "--run-status"])
      #expect(report.status == 3, "\(report.allText)")
      #expect(report.text.contains("NOT BUILT") && run.text.hasSuffix(report.text))
      #expect(report.errorText.contains("the package's tests do not build"))
    }

    /// Each planned test has one verdict, whenever the command was killed.
    @Test func aKilledRunIsReported() async throws {
      let hanging = try await HangingRun.start()
      let record = try hanging.record
      let id = lastName(record)
      // While it runs it is known as such, and nobody removes it.
      let listed = try await Carrel.invoke(["runs", "list", "--output", hanging.runs])
      #expect(listed.text.contains("\(id) *"), "\(listed.allText)")
      #expect(listed.text.contains("2 running") && !listed.text.contains("lost"), "\(listed.text)")
      let page = try await Carrel.invoke([
        "runs", "show", "--output", hanging.runs, "--format", "json",
      ])
      let live = try JSONDecoder().decode(ShownRun.self, from: Data(page.stdout)).run
      #expect(live.state == "running" && live.planned == 8 && live.verdicts["running"] == 2)
      #expect(live.verdicts["lost"] == nil && live.verdicts["not-run"] == nil, "\(page.text)")
      let xml = hanging.folder.path(of: "early.xml")
      let early = try await Carrel.invoke(["report", record, "--junit", xml])
      #expect(early.errorText.contains("is being written"), "\(early.allText)")
      #expect(!early.text.contains("LOST") && !early.text.contains("NOTRUN"), "\(early.text)")
      #expect(early.text.contains("RUNNING: ") && early.text.contains("test2PrintsAndHangs"))
      let cases = try await JUnitFile(xml)
      #expect(cases.statuses.count == 8 && cases.miscounts == [])
      #expect(!contains(try readFile(xml), "lost"))

      hanging.process.signal(SIGKILL)
      let output = try await hanging.process.output()
      #expect(output.end == .signaled(SIGKILL))
      let file = hanging.folder.path(of: "report.xml")
      let report = try await Carrel.invoke(["report", record, "--junit", file, "--run-status"])
      #expect(report.status == 1, "\(report.allText)")
      #expect(report.errorText.contains("did not come to its end"), "\(report.allText)")
      let junit = try await JUnitFile(file)
      #expect(junit.statuses.count == 8 && junit.miscounts == [])
      #expect(report.text.contains("LOST") && report.text.contains("NOTRUN"), "\(report.text)")
      let shown = try await Carrel.invoke([
        "runs", "show", "latest", "--output", hanging.runs, "--format", "json",
      ])
      let killed = try JSONDecoder().decode(ShownRun.self, from: Data(shown.stdout)).run
      #expect(killed.state == "cut-off" && killed.planned == 8 && killed.exitCode == nil)
      #expect(killed.verdicts.values.reduce(0, +) == 8 && killed.verdicts["lost"] == 2)
    }

    @Test func oldRunsAreRemoved() async throws {
      let package = try await FixturePackage.prepare("ManySmall")
      let folder = try TemporaryFolder(name: "enregistrés \u{1F4DA}")
      let runs = folder.path(of: "runs")
      for _ in 0..<3 {
        let run = try await Carrel.invoke([
          "run", package.path, "--skip-build", "--output", runs, "--filter",
          "Small1XCTests/test000",
        ])
        #expect(run.status == 0, "\(run.allText)")
      }
      let all = try names(runs)
      #expect(all.count == 3)
      let dry = try await Carrel.invoke([
        "runs", "prune", "--keep", "1", "--dry-run", "--output", runs,
      ])
      #expect(dry.status == 0 && dry.text.contains("would remove 2 runs"), "\(dry.allText)")
      #expect(try names(runs) == all)
      let pruned = try await Carrel.invoke([
        "runs", "prune", "--keep", "1", "--output", runs, "--format", "json",
      ])
      #expect(pruned.status == 0, "\(pruned.allText)")
      let answer = try JSONDecoder().decode(PrunedRuns.self, from: Data(pruned.stdout))
      #expect(answer.removed.map(\.id) == Array(all.prefix(2)) && answer.left.isEmpty)
      #expect(answer.removed.allSatisfy { $0.bytes > 0 })
      #expect(try names(runs) == Array(all.suffix(1)))
      // The newest stays, however old it is.
      let none = try await Carrel.invoke([
        "runs", "prune", "--older-than", "0s", "--max-size", "1B", "--output", runs,
      ])
      #expect(none.status == 0 && none.text == "nothing to remove\n", "\(none.allText)")
      let rest = try FileManager.default.contentsOfDirectory(atPath: runs).sorted()
      #expect(rest == Array(all.suffix(1)) + ["latest"])
    }

    @Test(arguments: [
      (["runs"], "carrel runs list|show|prune"), (["runs", "prune"], "--keep COUNT"),
      (["runs", "list", "--keep", "1"], "--keep is for 'carrel runs prune'"),
      (["runs", "prune", "--max-size", "much"], "--max-size needs a size like"),
      (["runs", "prune", "--older-than", "yesterday"], "like 90m, 12h, 30d or 4w"),
      (["report", "20990101"], "no run in"),
    ])
    func wrongUseIsExplained(words: [String], advice: String) async throws {
      let folder = try TemporaryFolder()
      let output = try await Carrel.invoke(words + ["--output", folder.path])
      #expect(output.status == 2 && output.errorText.contains(advice), "\(output.allText)")
    }

    private func names(_ runs: String) throws -> [String] {
      try FileManager.default.contentsOfDirectory(atPath: runs).filter { $0 != "latest" }.sorted()
    }
  }
}

/// The last component of a path.
func lastName(_ path: String) -> String { String(path.split(separator: "/").last ?? "") }

private struct ShownRun: Decodable {
  struct Run: Decodable {
    var state: String
    var planned: Int
    var exitCode: Int32?
    var verdicts: [String: Int]
  }
  var run: Run
}

private struct PrunedRuns: Decodable {
  struct Run: Decodable {
    var id: String
    var bytes: Int
  }
  struct Left: Decodable { var id: String }
  var removed: [Run]
  var left: [Left]
}
