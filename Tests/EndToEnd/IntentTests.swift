import FoundationEssentials
import RunModel
import TestSupport
import Testing

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
