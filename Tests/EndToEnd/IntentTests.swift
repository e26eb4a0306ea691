import FoundationEssentials
import RunModel
import TestSupport
import Testing
import Workers

extension EndToEnd {
  /// Suites that call an app's intents out of process.
  @Suite struct IntentTests {
    /// As `swift test` and editors run them: the intent system is the test process's own.
    @Test(arguments: [
      ("Intents", []), ("Intents", ["--testing-library", "swift-testing"]),
      ("BadHosts", ["--testing-library", "swift-testing"]),
    ])
    func suitePassesWithoutCarrel(name: String, arguments: [String]) async throws {
      let package = try await FixturePackage.prepare(name)
      let folder = try TemporaryFolder()
      let output = try await runProcess(
        ["\(package.path)/.build/debug/\(name)PackageTests.xctest"] + arguments,
        environment: Carrel.variables(adding: ["CARREL_WORK_DIR": folder.path]))
      #expect(output.status == 0, "\(output.allText)")
      #expect(!output.allText.contains("Executed 0 tests"))
      // Neither processes nor folders stay.
      let user = try FileManager.default.contentsOfDirectory(atPath: folder.path)
      for name in user {
        let left = try FileManager.default.contentsOfDirectory(
          atPath: "\(folder.path)/\(name)")
        #expect(left == [])
      }
      #expect(!output.isOutputHeldOpen)
    }

    /// Nobody else would end what an app has started.
    @Test func processesThatAppsLeaveBehindAreEnded() async throws {
      let package = try await FixturePackage.prepare("Intents")
      let folder = try TemporaryFolder()
      let output = try await runProcess(
        [
          "\(package.path)/.build/debug/IntentsPackageTests.xctest",
          "MisbehavingTests.MisbehavingTests/testAppLeavesAProcess",
        ],
        environment: Carrel.variables(adding: [
          "CARREL_WORK_DIR": folder.path, "CARREL_TEST_CASE": "testAppLeavesAProcess",
        ]))
      #expect(output.status == 0, "\(output.allText)")
      let message = "the apps have left behind a process, which was ended: "
      let line = try #require(
        output.allText.split(separator: "\n").first { $0.contains(message) }, "\(output.allText)")
      // It may be in the middle of becoming what it is to be.
      #expect(line.hasSuffix("sleep 300)"))
      let rest = line.split(separator: ": ", maxSplits: 1).last ?? ""
      let number = try #require(Int32(rest.prefix { $0.isNumber }))
      // Whoever adopted it may not have reaped it.
      #expect(ProcessTable.status(of: number)?.isZombie ?? true)
    }

    /// In a release build the optimizer leaves out records of types that nothing refers to.
    @Test func intentsAreFoundInAReleaseBuild() async throws {
      let package = try await FixturePackage.prepare("Intents")
      let scratch = "\(package.path)/.build-release"
      let build = try await runProcess(
        [
          "swift", "build", "-c", "release", "--product", "TestApp", "--package-path", package.path,
          "--scratch-path", scratch,
        ], environment: Carrel.variables(adding: ["CARREL_PACKAGE": FixturePackage.repository]),
        timeout: 600)
      #expect(build.status == 0, "\(build.allText)")
      let debug = try await runProcess(["\(package.path)/.build/debug/TestApp", "--describe"])
      let release = try await runProcess(["\(scratch)/release/TestApp", "--describe"])
      #expect(debug.status == 0 && release.status == 0)
      #expect(debug.text == release.text)
      #expect(debug.text.contains(#""type":"Int","default":true,"range":[1,10]}"#))
      for name in ["HiddenIntent", "Nested", "NoteEntity", "NoteColor", "First Note"] {
        #expect(release.text.contains(name), "\(name): \(release.text)")
      }
    }
  }
}
