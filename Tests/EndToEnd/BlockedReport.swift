import FoundationEssentials
import Glibc
import TestSupport

/// A run whose tests are over and whose report goes to somebody who does not read it.
final class BlockedReport {
  let process: ChildProcess
  /// The end at which the report could be read.
  let reader: Int32
  private let folder: TemporaryFolder

  /// Waits until the report is being written.
  init() async throws {
    let package = try await FixturePackage.prepare("ManySmall")
    folder = try TemporaryFolder()
    let pipe = folder.path(of: "pipe")
    guard mkfifo(pipe, 0o600) == 0 else { throw FixtureProblem("cannot make \(pipe)") }
    reader = open(pipe, O_RDWR | O_CLOEXEC)
    makeSmall(reader)
    let runs = folder.path(of: "runs")
    mkdir(runs, 0o755)
    var watch = try FileWatch(runs)
    process = try ChildProcess(
      [
        Carrel.executable, "run", package.path, "--skip-build", "--output", runs, "--filter",
        "Small1XCTests", "--junit", pipe,
      ], environment: Carrel.variables(adding: [:]), timeout: 90)
    let isReporting = watch.first(within: 60) { () -> Bool? in
      guard let record = try? recordFolder(in: runs) else { return nil }
      return FileManager.default.fileExists(atPath: "\(record)/junit.xml") ? true : nil
    }
    guard isReporting == true else { throw FixtureProblem("no report was begun") }
  }

  deinit { close(reader) }
}
