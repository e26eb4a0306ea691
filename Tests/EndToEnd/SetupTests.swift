import FoundationEssentials
import RunModel
import TestSupport
import Testing

extension EndToEnd {
  /// What is there before a test can run: the toolchain, the build, the terminal.
  @Suite struct SetupTests {
    /// One sentence, whatever is started.
    @Test(arguments: ["ci/setup", "ci/demo", "ci/test"])
    func scriptsNameAMissingToolchain(script: String) async throws {
      let empty = try TemporaryFolder()
      try linkPrograms(["bash", "dirname", "env"], into: empty)
      let output = try await runProcess(
        ["/bin/bash", "\(FixturePackage.repository)/\(script)"],
        environment: ["PATH": empty.path, "HOME": empty.path])
      #expect(output.status == 1, "\(output.allText)")
      #expect(output.text == "")
      let lines = output.errorText.split(separator: "\n")
      #expect(lines.count == 1 && output.errorText.contains("no Swift toolchain was found"))
    }

    @Test func carrelNamesAMissingToolchain() async throws {
      let package = try await FixturePackage.prepare("TwoSuites", isBuilt: false)
      let empty = try TemporaryFolder()
      let output = try await Carrel.invoke(
        ["run", package.path, "--output", empty.path(of: "runs")],
        environment: ["PATH": empty.path])
      #expect(output.status == 6, "\(output.allText)")
      #expect(output.errorText.contains("swift"), "\(output.errorText)")
    }

    /// A release build has the same tests with the same verdicts.
    @Test func releaseBuild() async throws {
      let folder = try TemporaryFolder()
      let package = try FixturePackage.copy("TwoSuites", to: folder.path)
      let output = try await Carrel.invoke(
        ["run", package.path, "-c", "release", "--output", folder.path(of: "runs")], timeout: 600)
      let release = CarrelRun(package: package, output: output, folder: folder)
      let debug = try await Carrel.run("TwoSuites")
      let verdicts = { (state: RunState) in
        Dictionary(uniqueKeysWithValues: state.tests.map { ($0.id, $0.result.verdict) })
      }
      let expected = verdicts(try debug.state)
      #expect(!expected.isEmpty && output.status == debug.output.status, "\(release)")
      #expect(verdicts(try release.state) == expected, "\(release)")
      #expect(try release.state.header?.buildConfiguration == "release")
      #expect(FileManager.default.fileExists(atPath: "\(package.path)/.build/release"))
    }

    /// On a terminal there is a line of progress, which goes away; script(1) gives one.
    @Test func progressOnATerminal() async throws {
      let package = try await FixturePackage.prepare("Outcomes")
      let folder = try TemporaryFolder()
      let command =
        "'\(Carrel.executable)' run '\(package.path)' --skip-build --filter 'testMillionLines$' "
        + "--output '\(folder.path(of: "runs"))'"
      let output = try await runProcess(
        ["/usr/bin/script", "-qefc", command, "/dev/null"],
        environment: Carrel.variables(adding: ["TERM": "xterm", "NO_COLOR": ""]))
      #expect(output.status == 1, "\(output.allText)")
      let parts = output.text.components(separatedBy: "\r\u{1B}[K")
      #expect(parts.contains { $0.contains("testMillionLines") && !$0.contains("\n") })
      #expect(output.text.contains("\u{1B}[1;31mFAILED\u{1B}[0m: 1 of 1 test"))
    }

    private func linkPrograms(_ names: [String], into folder: borrowing TemporaryFolder) throws {
      for name in names {
        try FileManager.default.createSymbolicLink(
          atPath: folder.path(of: name), withDestinationPath: "/usr/bin/\(name)")
      }
    }
  }
}
