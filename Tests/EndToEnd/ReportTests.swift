import FoundationEssentials
import Glibc
import RunModel
import TestSupport
import Testing

extension EndToEnd {
  /// The JUnit report and the names of files.
  @Suite struct ReportTests {
    @Test func skipsAreNotPasses() async throws {
      let run = try await Carrel.run(
        "Outcomes", "--filter",
        "BasicXCTests/testSkips$|testSkippedBySetUp|BasicTests/(disabled|cancels|passes)\\(",
        "--filter", "noArguments")
      #expect(run.output.status == 0, "\(run)")
      let report = try await run.junit
      #expect(report.root.count("skipped") == 5)
      #expect(report.root.count("tests") == 6)
      #expect(report.miscounts == [])
      let skipped = report.cases.compactMap { $0.children("skipped").first?.attributes["message"] }
      for reason in ["needs a printer", "found no database", "waits for the new parser"] {
        #expect(skipped.contains { $0.contains(reason) }, "\(skipped)")
      }
      // A skip while running and a disabled test can be told apart.
      let types = report.cases.compactMap { $0.children("skipped").first?.attributes["type"] }
      #expect(Set(types).count == 4, "\(types)")
    }

    /// The same cases, statuses and messages however many workers there were.
    @Test func reportsAreTheSameForAnyNumberOfWorkers() async throws {
      var reports: [[String: JUnitFile.Status]] = []
      for (workers, batch) in [("1", "auto"), ("1", "1"), ("4", "1"), ("4", "auto")] {
        let folder = try TemporaryFolder()
        let file = folder.path(of: "missing/folder/report.xml")
        _ = try await Carrel.run(
          "Outcomes", "--filter", "BasicXCTests|SetUpXCTests", "--workers", workers, "--batch",
          batch, "--junit", file)
        reports.append(try await JUnitFile(file).statuses)
      }
      #expect(reports[0].count == 12)
      #expect(reports.allSatisfy { $0 == reports[0] }, "\(reports)")
    }

    @Test func casesHaveFileAndLine() async throws {
      let run = try await Carrel.run("Outcomes", "--filter", "BasicTests/fails\\(\\)")
      let element = try #require(try await run.junit.cases.first)
      #expect(element.attributes["file"]?.hasSuffix("BasicTests.swift") == true)
      #expect(element.attributes["line"].flatMap { Int($0) } != nil)
      let line = try FixturePackage.line(of: "BasicTests.fails", in: "Outcomes").line
      let failure = try #require(element.children("failure").first)
      #expect(failure.text.contains("BasicTests.swift:\(line)"), "\(failure.text)")
    }

    /// The report cannot be written: the run says so, and keeps everything else.
    @Test(arguments: ["directory", "file as parent", "full"])
    func reportThatCannotBeWritten(obstacle: String) async throws {
      let folder = try TemporaryFolder()
      var path = folder.path(of: "report.xml")
      switch obstacle {
      case "directory":
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
        try Data("kept".utf8).write(to: URL(filePath: path + "/inside"))
      case "file as parent":
        try Data("kept".utf8).write(to: URL(filePath: folder.path(of: "blocker")))
        path = folder.path(of: "blocker/report.xml")
      default:
        path = "/dev/full"
      }
      let run = try await Carrel.run(
        "Outcomes", "--filter", "BasicXCTests/testPasses", "--junit", path)
      #expect(run.output.status == 7, "\(run)")
      #expect(run.output.errorText.contains(path), "\(run)")
      #expect(try await run.junit.statuses.count == 1)
      #expect(try run.test("testPasses").result.verdict == .passed)
      let left = try FileManager.default.contentsOfDirectory(atPath: folder.path)
      #expect(
        left == (obstacle == "directory" ? ["report.xml"] : obstacle == "full" ? [] : ["blocker"]))
    }

    @Test func reportToStandardOutput() async throws {
      let run = try await Carrel.run(
        "Outcomes", "--filter", "BasicXCTests/testPasses", "--junit", "/dev/stdout")
      #expect(run.output.status == 0, "\(run)")
      #expect(run.output.text.contains("</testsuites>"))
      #expect(try FileManager.default.destinationOfSymbolicLink(atPath: "/dev/stdout") != "")
    }

    /// The file system of the record is full.
    @Test(.enabled(if: geteuid() == 0, "mounting needs root"))
    func recordOnAFullFileSystem() async throws {
      let package = try await FixturePackage.prepare("ManySmall")
      let folder = try TemporaryFolder()
      guard mount("none", folder.path, "tmpfs", 0, "size=16k") == 0 else {
        try Test.cancel("a small file system cannot be mounted here")
      }
      defer { umount(folder.path) }
      let output = try await Carrel.invoke([
        "run", package.path, "--skip-build", "--filter", "Small1", "--output", folder.path,
      ])
      #expect(output.status == 7, "\(output.allText)")
      #expect(output.allText.contains("No space left"), "\(output.allText)")
      #expect(!output.didTimeOut)
    }

    /// Names that are too long, differ only in case or look like paths: each failing test has its
    /// own bundle, also where case does not count, and each leads back to its test.
    @Test(arguments: ["1", "auto"])
    func everyNameHasItsOwnFiles(batch: String) async throws {
      let run = try await Carrel.run(
        "Outcomes", "--filter", "NameXCTests|NameTests|awkwardArguments", "--batch", batch)
      let tests = try run.state.tests.filter { !$0.id.suite.hasSuffix("RawNameTests") }
      let table = OutcomeTable.all.filter {
        $0.name.hasPrefix("NameXCTests") || $0.name.hasPrefix("NameTests")
      }
      #expect(table.count == 10)
      let names = try run.bundles.map { String($0.split(separator: "/").last ?? "") }
      #expect(Set(names.map { $0.lowercased() }).count == names.count)
      #expect(names.allSatisfy { $0.utf8.count <= 255 })
      for outcome in table {
        let test = try #require(tests.first { $0.id.name == "OutcomesTests.\(outcome.name)" })
        let attempt = try #require(test.decisive)
        let shown = try await Carrel.invoke(["bundle", "show", try run.bundle(test)])
        #expect(shown.status == 0)
        #expect(shown.text.contains(test.id.description), "\(shown.text)")
        #expect(attempt.issues.contains { $0.message.contains(outcome.issues[0].text) })
      }
      let paths = tests.flatMap { $0.attempts.compactMap { $0.stdout?.path } }
      #expect(Set(paths.map { $0.lowercased() }).count == paths.count)
    }

    /// Two runs at once in one package, in the default place.
    @Test func runsAtOnceDoNotDisturbEachOther() async throws {
      let folder = try TemporaryFolder(name: "a folder, größer")
      let package = try FixturePackage.copy("LinuxMain", to: folder.path)
      let build = try await runProcess(
        ["swift", "build", "--build-tests", "--package-path", package.path], timeout: 600)
      #expect(build.status == 0)
      async let first = Carrel.invoke(["run", package.path, "--skip-build"])
      async let second = Carrel.invoke(["run", package.path, "--skip-build"])
      let outputs = try await [first, second]
      #expect(outputs.map(\.status) == [1, 1])
      let runs = "\(package.path)/.carrel/runs"
      let records = try FileManager.default.contentsOfDirectory(atPath: runs)
        .filter { $0 != "latest" }.map { "\(runs)/\($0)" }.filter(isFolder)
      #expect(records.count == 2)
      for record in records {
        let state = RunState(try readEvents("\(record)/events.jsonl"))
        #expect(state.tests.count == 13)
        #expect(state.tests.allSatisfy { $0.logged != nil })
        #expect(try await JUnitFile("\(record)/junit.xml").cases.count == 13)
      }
      let latest = try FileManager.default.destinationOfSymbolicLink(atPath: "\(runs)/latest")
      #expect(records.contains { $0.hasSuffix("/" + (latest.split(separator: "/").last ?? "?")) })
    }
  }
}
