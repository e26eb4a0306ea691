import Evidence
import Glibc
import Orchestration
import RunModel
import SearchIndex
import SwiftTests
import SystemFiles
import TestSupport
import Workers

@testable import RunEngine

/// What is left of a run of a fake package.
struct SessionOutcome: Sendable {
  var state: RunState
  /// What the listener was told.
  var seen: [RunEvent]
  /// What the log on disk holds.
  var events: [RunEvent]
  var interruption: String?
  var writeFailures: [String]
  var record: RunRecord

  /// Runs some of a package's tests on a thread of its own, whose signals belong to nobody else.
  ///
  /// - Parameters:
  ///   - tests: Names; `nil` for all.
  ///   - interruptsBefore: Whether a signal comes before the run starts.
  ///   - catalog: What was listed; `nil` for the package's tests.
  ///   - readsLog: Whether the run leaves a log to read.
  ///   - resume: The run that is resumed.
  ///   - onEvent: Called for each event, on the run's thread.
  static func run(
    _ package: FakePackage, _ tests: [String]? = nil, workers: Int = 1,
    batch: BatchPolicy = .fixed(1), retries: Int = 0, checksCompany: Bool = false,
    timeLimit: Double? = nil, interruptsBefore: Bool = false, catalog: TestCatalog? = nil,
    readsLog: Bool = true, resume: ResumeRequest? = nil,
    configure: @escaping @Sendable (inout RunConfiguration) -> Void = { _ in },
    onEvent: @escaping @Sendable (RunEvent) -> Void = { _ in }
  ) async throws -> SessionOutcome {
    try await onOwnThread {
      let supervisor = try Supervisor(ownsAllChildren: false)
      let root = try WorkRoot(base: package.folder.path(of: "work"))
      let indexTemplate = root.path + "/index.sqlite"
      try SearchIndex.createEmpty(at: indexTemplate)
      let record = try RunRecord.create(inRunsFolder: package.folder.path(of: "runs"), at: 1000)
      var configuration = RunConfiguration(
        scheduling: SchedulerOptions(
          workers: workers, batch: batch, retries: retries, checksCompany: checksCompany),
        timeLimit: timeLimit, compression: .none, seed: "1", carrel: "0", arguments: ["run"])
      configure(&configuration)
      let catalog = catalog ?? package.catalog
      let planned = catalog.tests.filter { tests?.contains($0.id.name) ?? true }
      let header = RunHeader(
        runID: record.runID, carrel: "0", packagePath: package.location.package, arguments: ["run"],
        workers: workers, batch: "\(batch)", retries: retries, timeLimit: timeLimit,
        leaksFail: true, isolation: "directories", seed: "1", toolchain: "fake", hostName: "h",
        passedVariables: ["PATH"])
      if interruptsBefore {
        let request = ProcessRequest(
          executable: "/bin/sh", arguments: ["-c", "echo ready; while :; do sleep 1246; done"],
          environment: ["PATH": "/usr/bin:/bin"], scope: "before-\(record.runID)")
        _ = supervisor.run([request]) { _, _, _ in pthread_kill(pthread_self(), SIGTERM) }
      }
      try record.write(header)
      let listener = Listener(onEvent)
      let session = RunSession(
        supervisor: supervisor, root: root, indexTemplate: indexTemplate, catalog: catalog,
        package: package.configuration, configuration: configuration, plan: Plan(planned),
        record: record, events: try record.openEventLog(), header: header, listener: listener,
        resume: resume)
      session.run()
      return SessionOutcome(
        state: session.state, seen: listener.events, events: readsLog ? try record.events() : [],
        interruption: session.interruption, writeFailures: session.writeFailures, record: record)
    }
  }

  /// Verdicts of the tests in the order of the plan.
  var verdicts: [Verdict] { state.tests.map(\.result.verdict) }

  /// The text of a log; `nil` when there is none.
  func log(_ reference: LogReference?) -> String? {
    reference.flatMap { readSmallFile("\(record.path)/\($0.path)") }
      .map { String(decoding: $0, as: UTF8.self) }
  }

  func bundle(_ test: RunState.Test, attempt: Int = 1) -> BundleReader? {
    test.bundles[attempt].map { BundleReader(path: "\(record.path)/\($0.path)") }
  }
}

/// Keeps the events of a run.
private final class Listener: RunListener {
  private(set) var events: [RunEvent] = []
  private let onEvent: (RunEvent) -> Void

  init(_ onEvent: @escaping (RunEvent) -> Void) { self.onEvent = onEvent }

  func runDid(_ event: RunEvent, state: RunState) {
    events.append(event)
    onEvent(event)
  }

  func testIsSlow(_ test: TestID, seconds: Double) {}
  func buildDidPrint(_ bytes: UnsafeRawBufferPointer) {}
}
