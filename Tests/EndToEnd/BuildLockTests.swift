import FoundationEssentials
import RunModel
import TestSupport
import Testing

extension EndToEnd {
  /// The lock of SwiftPM on a package's scratch folder.
  @Suite struct BuildLockTests {
    /// What a plugin does: SwiftPM holds the lock and waits for what the plugin starts.
    @Test func aLockOfTheOneWhoWaitsIsRefused() async throws {
      let folder = try TemporaryFolder()
      let package = try FixturePackage.copy("NoTests", to: folder.path(of: "ä b"))
      let scratch = package.path + "/.build"
      try FileManager.default.createDirectory(atPath: scratch, withIntermediateDirectories: true)
      let script = """
        exec 9>"$1/.lock" && flock 9 && echo $$ >&9 && shift && "$@"; exit $?
        """
      let output = try await ChildProcess(
        [
          "/bin/sh", "-c", script, "sh", scratch, "/bin/sh", "-c", "\"$@\"; exit $?", "sh",
          Carrel.executable, "run", package.path,
        ], environment: Carrel.variables(adding: [:]), timeout: 60
      ).output()
      #expect(output.status == 3, "\(output.allText)")
      #expect(output.errorText.contains("'\(scratch)' is locked by process "), "\(output.allText)")
      #expect(output.errorText.contains("use --scratch-path"), "\(output.errorText)")
    }

    /// A file with the number of a process that is gone, or is another one now, locks nothing.
    @Test(arguments: ["1", "999999999", "nobody", ""])
    func aFileWithoutALockIsNone(text: String) async throws {
      let folder = try TemporaryFolder()
      let package = try FixturePackage.copy("NoTests", to: folder.path)
      let scratch = package.path + "/.build"
      try FileManager.default.createDirectory(atPath: scratch, withIntermediateDirectories: true)
      try text.write(toFile: scratch + "/.lock", atomically: true, encoding: .utf8)
      let output = try await Carrel.invoke(["run", package.path], timeout: 300)
      #expect(!output.allText.contains("is locked by process"), "\(output.allText)")
      #expect(output.status != 3, "\(output.allText)")
    }
  }
}
