import FoundationEssentials
import Glibc
import RunModel
import TestSupport
import Testing

/// A run of the package `Teardown` whose test has started a tree of processes.
struct TeardownRun: Sendable {
  let package: FixturePackage
  let folder: TemporaryFolder
  let process: ChildProcess
  let runs: String
  let runID: String
  /// The processes of the run when the tree was complete.
  let processes: MarkedProcesses

  /// Starts the command and waits until the test says that its tree is complete.
  init(_ options: [String], timeout: Double = 90) async throws {
    package = try await FixturePackage.prepare("Teardown")
    folder = try TemporaryFolder()
    runs = folder.path(of: "runs")
    let signs = folder.path(of: "signs")
    mkdir(runs, 0o755)
    mkdir(signs, 0o755)
    var watch = try FileWatch(signs)
    process = try ChildProcess(
      [
        Carrel.executable, "run", package.path, "--skip-build", "--output", runs, "--pass-env",
        "CARREL_TEST_*", "--writable", signs,
      ] + options,
      environment: Carrel.variables(adding: [
        "CARREL_TEST_READY": "\(signs)/ready", "CARREL_TEST_GATE": "\(signs)/gate",
        "CARREL_WORK_DIR": folder.path(of: "work"),
      ]), timeout: timeout)
    let isReady = watch.first(within: 60) { () -> Bool? in
      FileManager.default.fileExists(atPath: "\(signs)/ready") ? true : nil
    }
    let record = try recordFolder(in: runs)
    runID = String(record.split(separator: "/").last ?? "")
    processes = try MarkedProcesses(of: runID + "-")
    guard isReady == true else { throw FixtureProblem("the tree was not complete: \(record)") }
    guard !processes.all.isEmpty else { throw FixtureProblem("no process has the run's mark") }
  }

  /// Lets the test end that waits for it.
  func openGate() throws { try Data().write(to: URL(filePath: folder.path(of: "signs/gate"))) }

  /// The commands that `sleep` of the tree.
  var sleepers: Set<String> {
    Set(processes.all.map(\.command).filter { $0.hasPrefix("sleep 15") })
  }

  static let tree: Set = ["sleep 1501", "sleep 1502", "sleep 1503", "sleep 1504", "sleep 1505"]

  func end() async throws -> CarrelRun {
    CarrelRun(package: package, output: try await process.output(), folder: folder)
  }
}
