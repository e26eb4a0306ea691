import Glibc
import RunModel
import SystemFiles
import Testing

@testable import Evidence

/// What is said of records, and which of them may be removed.
@Suite struct RunOverviewTests {
  private let scratch: Scratch
  private var runs: String { "\(scratch.path)/runs" }

  init() throws { scratch = try Scratch() }

  @discardableResult private func record(
    at time: Double, finish: RunFinish? = RunFinish(exitCode: 0, duration: 1), bytes: Int = 0
  ) throws -> RunRecord {
    let record = try RunRecord.create(inRunsFolder: runs, at: time)
    let log = try record.openEventLog()
    let header = RunHeader(
      runID: record.runID, carrel: "0", packagePath: "/p", arguments: ["run"], workers: 1,
      batch: "auto", retries: 0, timeLimit: nil, leaksFail: true, isolation: "directories",
      seed: "1", toolchain: "t", hostName: "h", passedVariables: [])
    try log.append(RunEvent(time: time, .runStarted(header)))
    let test = TestID(product: "P", library: .xctest, name: "M.C/test")
    try log.append(RunEvent(time: time, .testPlanned(TestDescriptor(id: test))))
    if let finish { try log.append(RunEvent(time: time, .runFinished(finish))) }
    if bytes > 0 {
      try writeSmallFile("\(record.path)/logs/x", [UInt8](repeating: 1, count: bytes))
    }
    return record
  }

  private func isFolder(_ path: String) -> Bool { folderEntries(path) != nil }
  private func listNames(_ path: String) -> [String] { (folderEntries(path) ?? []).sorted() }

  @Test(arguments: [0, 1, 951_782_400, 1_709_164_800.5, 1_796_016_600.25, 4_102_444_799])
  func anIdentifierTellsItsTime(time: Double) {
    #expect(RunIdentifier.time(of: RunIdentifier.make(at: time)) == time)
    #expect(RunIdentifier.time(of: "latest") == nil)
  }

  @Test func statesAreToldApart() throws {
    let finish = RunFinish(exitCode: 1, duration: 2, verdicts: ["failed": 3])
    #expect(try record(at: 1, finish: finish).overview().state == .finished(finish))
    #expect(try record(at: 1, finish: finish).overview().verdicts == ["failed": 3])
    // What the last line does not say is counted.
    let old = try record(at: 2).overview()
    #expect(old.verdicts == ["not-run": 1] && old.planned == 1)
    #expect(try record(at: 3, finish: nil).overview().state == .cutOff)

    let running = try RunRecord.create(inRunsFolder: runs, at: 4)
    let log = try running.openEventLog()
    #expect(running.overview().state == .running && running.isBeingWritten)
    withExtendedLifetime(log) {}
  }

  /// Tests without a result are lost only when nobody writes their results any more.
  @Test func aRunThatGoesOnHasLostNothing() throws {
    let ended = try record(at: 1, finish: nil)
    let start = AttemptStart(
      test: TestID(product: "P", library: .xctest, name: "M.C/test"), attempt: 1, batch: 1,
      worker: 1)
    do {
      let log = try ended.openEventLog()
      #expect(ended.overview().verdicts == ["waiting": 1])
      try log.append(RunEvent(time: 2, .attemptStarted(start)))
      #expect(ended.overview().verdicts == ["running": 1])
      withExtendedLifetime(log) {}
    }
    #expect(ended.overview().verdicts == ["lost": 1])
  }

  @Test func aLogThatWasBegunIsNotWrittenAnyMore() throws {
    let record = try RunRecord.create(inRunsFolder: runs, at: 4)
    _ = try record.openEventLog()
    #expect(!record.isBeingWritten && record.overview().state == .cutOff)
  }

  @Test(arguments: [
    ("garbage\n", "its events.jsonl holds no events"),
    (#"{"time":1,"kind":"other","payload":{}}"# + "\n", "does not begin with the start of a run"),
  ])
  func whatIsNoRecordIsSaidSo(text: String, reason: String) throws {
    let record = try RunRecord.create(inRunsFolder: runs, at: 5)
    try writeSmallFile(record.eventsPath, Array(text.utf8))
    guard case .unreadable(let found) = record.overview().state else {
      Issue.record("\(record.overview().state)")
      return
    }
    #expect(found.contains(reason))
    #expect(throws: RunRecord.RemovalObstacle.self) { try record.overview().remove() }
    #expect(isFolder(record.path))
  }

  @Test func newerFormatsAndFoldersWithoutALogStay() throws {
    let newer = try RunRecord.create(inRunsFolder: runs, at: 5)
    let line = #"{"time":1,"kind":"runStarted","payload":{"format":"9.0"}}"# + "\n"
    try writeSmallFile(newer.eventsPath, Array(line.utf8))
    guard case .newerFormat = newer.overview().state else {
      Issue.record("\(newer.overview().state)")
      return
    }
    #expect(newer.overview().error?.code == .newerFormat)
    let empty = try RunRecord.create(inRunsFolder: runs, at: 6)
    let error = try #require(empty.overview().error)
    #expect(error.code == .unreadable && error.context["path"] == empty.path)
    #expect(error.message == "run \(empty.runID) cannot be read: it has no events.jsonl")
    let fifo = try RunRecord.create(inRunsFolder: runs, at: 7)
    #expect(mkfifo(fifo.eventsPath, 0o600) == 0)
    let linked = try RunRecord.create(inRunsFolder: runs, at: 8)
    let target = try record(at: 9)
    #expect(symlink(target.eventsPath, linked.eventsPath) == 0)
    for record in [newer, empty, fifo, linked] {
      #expect(throws: RunRecord.RemovalObstacle.self) { try record.overview().remove() }
      #expect(isFolder(record.path))
    }
  }

  @Test func aLinkIsNotFollowed() throws {
    let real = try record(at: 10)
    let outside = "\(scratch.path)/outside"
    #expect(rename(real.path, outside) == 0 && symlink(outside, real.path) == 0)
    try record(at: 11)
    let overview = real.overview()
    #expect(overview.obstacle == .noRecord("it is a link"))
    #expect(throws: RunRecord.RemovalObstacle.noRecord("it is a link")) { try overview.remove() }
    #expect(listNames(outside).contains("events.jsonl"))
  }

  @Test func everythingOfARecordGoes() throws {
    let record = try record(at: 12)
    #expect(symlink("/", "\(record.path)/logs/root") == 0)
    try writeSmallFile("\(record.path)/bundles/\u{1B}[31m \n é", [1])
    #expect(chmod("\(record.path)/bundles", 0o500) == 0)
    try record.overview().remove()
    #expect(try RunRecord.list(inRunsFolder: runs).isEmpty)
    #expect(listNames(runs) == ["latest"])
  }

  /// What became of a record after somebody looked at it is seen when it is to go.
  @Test func whatIsWrittenSinceStays() throws {
    let record = try record(at: 13, finish: nil)
    let overview = record.overview()
    #expect(overview.obstacle == nil)
    let log = try record.openEventLog()
    #expect(record.overview().obstacle == .isBeingWritten)
    #expect(throws: RunRecord.RemovalObstacle.isBeingWritten) { try overview.remove() }
    withExtendedLifetime(log) {}
    #expect(isFolder(record.path))
  }

  @Test func theNewestRecordIsOneThatCanBeRead() throws {
    let records = try (1...3).map { try record(at: Double($0) * 1000) }
    let empty = try RunRecord.create(inRunsFolder: runs, at: 9000)
    let linked = RunRecord(path: "\(runs)/\(RunIdentifier.make(at: 9001))")
    #expect(symlink(records[0].path, linked.path) == 0)
    let overviews = try RunRecord.list(inRunsFolder: runs).map { $0.overview() }
    let pruning = Pruning(overviews, latest: nil, policy: .init(oldest: 1e12))
    #expect(pruning.removed.map(\.overview.record) == Array(records.prefix(2)))
    #expect(pruning.left.map(\.record) == [empty, linked])
    #expect(unlink("\(runs)/latest") == 0 && unlink(linked.path) == 0)
    #expect(try RunRecord.find("latest", inRunsFolder: runs) == records[2])
  }

  // MARK: Paths in events

  @Test(arguments: [
    "logs/../run.json", "logs/", "logs/.", "logs/..", "/etc/passwd", "../x", "logs/a/b",
    "bundles/x",
    "", "logs", "logs/link", "logs/fifo", "logs/none",
  ])
  func pathsOfEventsDoNotLeadOut(path: String) throws {
    let record = try record(at: 1, bytes: 3)
    #expect(symlink("/etc/passwd", "\(record.path)/logs/link") == 0)
    #expect(mkfifo("\(record.path)/logs/fifo", 0o600) == 0)
    #expect(record.logEnd(LogReference(path: path, bytes: 1, isTruncated: false), bytes: 10) == nil)
    let good = LogReference(path: "logs/x", bytes: 1, isTruncated: false)
    #expect(record.logEnd(good, bytes: 10)?.bytes == [1, 1, 1])
  }
}
