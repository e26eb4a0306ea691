import Glibc
import RunModel
import TestSupport

/// A run of two batches, in both of which a test hangs.
struct HangingRun {
  let package: FixturePackage
  let folder: TemporaryFolder
  let process: ChildProcess

  var runs: String { folder.path(of: "runs") }
  var record: String { get throws { try recordFolder(in: runs) } }

  /// Starts the command and waits until the log says that both tests were started.
  static func start(_ options: String...) async throws -> HangingRun {
    let package = try await FixturePackage.prepare("Outcomes")
    let folder = try TemporaryFolder()
    let runs = folder.path(of: "runs")
    mkdir(runs, 0o755)
    var watch = try FileWatch(runs)
    let process = try ChildProcess(
      [
        Carrel.executable, "run", package.path, "--skip-build", "--output", runs, "--workers", "2",
        "--batch", "8", "--grace", "2", "--filter", "HangXCTests|HangTests/",
      ] + options, environment: Carrel.variables(adding: [:]), timeout: 90)
    let bothHang = try watch.first(within: 60) { () -> Bool? in
      guard let record = try? recordFolder(in: runs) else { return nil }
      let state = RunState(try readEvents("\(record)/events.jsonl"))
      let open = state.tests.filter { $0.open != nil && !$0.id.function.hasPrefix("quick") }
      return open.contains { $0.id.function == "test2PrintsAndHangs" }
        && open.contains { $0.id.library == .testing } ? true : nil
    }
    guard bothHang == true else {
      process.signal(SIGKILL)
      throw FixtureProblem("the tests that hang were not seen to start")
    }
    return HangingRun(package: package, folder: folder, process: process)
  }
}
