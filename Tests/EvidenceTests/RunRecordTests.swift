import Glibc
import RunModel
import SystemFiles
import TestSupport
import Testing

@testable import Evidence

@Suite struct RunRecordTests {
  private let test = TestID(product: "P", library: .xctest, name: "M.C/testIt")

  private func header(_ id: String) -> RunHeader {
    RunHeader(
      runID: id, carrel: "0.1.0", packagePath: "/p", arguments: ["run"], workers: 2, batch: "auto",
      retries: 0, timeLimit: 60, leaksFail: false, isolation: "directories", seed: "s",
      toolchain: "Swift", hostName: "h", passedVariables: [])
  }

  @Test func identifiersSortByTime() {
    let times = [0, 1, 59, 86_399, 951_782_400, 1_796_016_600, 4_102_444_800].map(Double.init)
    let names = times.map { RunIdentifier.make(at: $0) }
    #expect(names == names.sorted())
    #expect(names.allSatisfy(RunIdentifier.isValid))
    #expect(names[4].hasPrefix("20000229T000000Z-"))
    #expect(names[5].hasPrefix("20261130T053000Z-"))
  }

  /// Also within a second, and without the link that leads to the newest.
  @Test func runsOfOneSecondSortByTime() throws {
    let scratch = try Scratch()
    let runs = "\(scratch.path)/runs"
    // Each time several times: who finds a name taken comes after it, in the next second at the
    // end.
    let times = [0, 0.000_001, 0.25, 0.5, 0.999, 1 - 0x1p-22].map { 1_796_016_600 + $0 }
    let records = try times.flatMap { time in
      try (0..<5).map { _ in try RunRecord.create(inRunsFolder: runs, at: time) }
    }
    #expect(try RunRecord.list(inRunsFolder: runs) == records)
    #expect(unlink("\(runs)/latest") == 0)
    #expect(try RunRecord.find("latest", inRunsFolder: runs) == records.last)
    #expect(records.allSatisfy { RunIdentifier.isValid($0.runID) })
    #expect(records.prefix(29).allSatisfy { $0.runID.hasPrefix("20261130T053000Z-") })
    #expect(records.last?.runID == "20261130T053001Z-000000")
  }

  @Test func runsThatStartAtOnceHaveFoldersOfTheirOwn() async throws {
    let scratch = try Scratch()
    let runs = "\(scratch.path)/p/.carrel/runs"
    let records = try await withThrowingTaskGroup(of: RunRecord.self) { group in
      for _ in 0..<40 {
        group.addTask { try RunRecord.create(inRunsFolder: runs, at: 1000) }
      }
      return try await group.reduce(into: []) { $0.append($1) }
    }
    #expect(Set(records.map(\.runID)).count == 40)
    #expect(try RunRecord.list(inRunsFolder: runs).count == 40)
    let latest = try RunRecord.find("latest", inRunsFolder: runs)
    #expect(records.map(\.runID).contains(latest.runID))
    #expect(try !listNames(runs).contains { $0.hasPrefix(".latest") })
  }

  private func listNames(_ path: String) throws -> [String] {
    let folder = try OwnedDescriptor(opening: path, O_RDONLY | O_DIRECTORY)
    return try listFolder(folder.number).map { String(decoding: $0, as: UTF8.self) }
  }

  /// A run that is killed leaves files under temporary names; those of living runs stay.
  @Test func whatKilledRunsWereWritingIsRemoved() throws {
    let scratch = try Scratch()
    let runs = "\(scratch.path)/runs"
    let killed = try RunRecord.create(inRunsFolder: runs, at: 1000)
    for folder in [runs, killed.path, "\(killed.path)/bundles"] {
      try writeSmallFile("\(folder)/\(Leftovers.name(.file))", [1])
      symlink("x", "\(folder)/.carrel-999999999-0a.tmp")
    }
    try writeSmallFile("\(killed.path)/bundles/kept.tar", [1])
    let living = try RunRecord.create(inRunsFolder: runs, at: 2000)
    #expect(try listNames(runs).sorted() == [killed.runID, living.runID, "latest"])
    #expect(try listNames(killed.path).sorted() == ["bundles", "logs"])
    #expect(try listNames("\(killed.path)/bundles") == ["kept.tar"])
    let file = try TemporaryFile(beside: "\(living.path)/bundles/b.tar")
    _ = try RunRecord.create(inRunsFolder: runs, at: 3000)
    #expect(try listNames("\(living.path)/bundles") == [lastComponent(of: file.name)])
  }

  @Test func runsAreFound() throws {
    let scratch = try Scratch()
    let runs = "\(scratch.path)/runs"
    let first = try RunRecord.create(inRunsFolder: runs, at: 1000)
    let second = try RunRecord.create(inRunsFolder: runs, at: 100_000)
    _ = try second.openEventLog()
    #expect(try RunRecord.find("latest", inRunsFolder: runs) == second)
    #expect(try RunRecord.find(first.runID, inRunsFolder: runs) == first)
    #expect(try RunRecord.find("19700101", inRunsFolder: runs) == first)
    #expect(try RunRecord.find(second.path, inRunsFolder: "/nowhere").runID == second.runID)
    let ambiguous = #expect(throws: EvidenceError.self) {
      try RunRecord.find("1970", inRunsFolder: runs)
    }
    #expect(ambiguous?.code == .ambiguous)
    for name in ["2026", "", "x"] {
      let missing = #expect(throws: EvidenceError.self) {
        try RunRecord.find(name, inRunsFolder: runs)
      }
      #expect(missing?.code == .notFound)
    }
    #expect(throws: EvidenceError.self) { try RunRecord.find("latest", inRunsFolder: "/nowhere") }
    // A link that leads nowhere is replaced by what is there.
    unlink("\(runs)/latest")
    symlink("gone", "\(runs)/latest")
    #expect(try RunRecord.find("latest", inRunsFolder: runs) == second)
  }

  @Test func headerAndEventsReadBack() throws {
    let scratch = try Scratch()
    let record = try RunRecord.create(inRunsFolder: scratch.path, at: 1000)
    let header = header(record.runID)
    try record.write(header)
    #expect(try record.header() == header)
    let log = try record.openEventLog()
    let events = [
      RunEvent(time: 1, .runStarted(header)),
      RunEvent(time: 2, .testPlanned(TestDescriptor(id: test, displayName: "a \u{1} \"b\" \n"))),
      RunEvent(time: 3, .runFinished(RunFinish(exitCode: 0, duration: 2))),
    ]
    for event in events { try log.append(event) }
    #expect(try record.events() == events)
    let text = try readFile(record.eventsPath, maxBytes: 1 << 20)
    #expect(text.filter { $0 == 10 }.count == 3)
  }

  @Test func eventsOfSeveralThreadsStayWhole() async throws {
    let scratch = try Scratch()
    let record = try RunRecord.create(inRunsFolder: scratch.path, at: 1000)
    let log = try record.openEventLog()
    try await withThrowingTaskGroup(of: Void.self) { group in
      for thread in 0..<8 {
        group.addTask {
          for number in 0..<50 {
            let message = String(repeating: "x", count: number * 100)
            try log.append(
              RunEvent(
                time: Double(thread),
                .problem(
                  RunProblem(
                    severity: .warning, code: .init(rawValue: "\(number)"), message: message))))
          }
        }
      }
      try await group.waitForAll()
    }
    var reader = try EventLogReader(path: record.eventsPath)
    var count = 0
    while try reader.next() != nil { count += 1 }
    #expect(count == 400)
    let (damaged, isTorn) = (reader.damagedLines, reader.isTorn)
    #expect(damaged.isEmpty && !isTorn)
  }

  /// Until the writer has its lock, the log is that of a killed run, which anybody may remove.
  @Test func aLogThatIsRemovedBeforeItIsLockedIsMadeAgain() throws {
    let scratch = try Scratch()
    let record = try RunRecord.create(inRunsFolder: scratch.path, at: 1000)
    var opened = 0
    let log = try EventLogWriter(path: record.eventsPath) {
      opened += 1
      if opened == 1 { unlink(record.eventsPath) }
    }
    let event = RunEvent(time: 1, .runStarted(header(record.runID)))
    try log.append(event)
    #expect(opened == 2 && record.isBeingWritten)
    #expect(try record.events() == [event])
  }

  /// Nobody writes into a record that is gone.
  @Test func aRecordThatIsRemovedBeforeItIsLockedIsAnError() throws {
    let scratch = try Scratch()
    let record = try RunRecord.create(inRunsFolder: scratch.path, at: 1000)
    let error = #expect(throws: EvidenceError.self) {
      try EventLogWriter(path: record.eventsPath) { try? record.overview().remove() }
    }
    #expect(error?.code == .unwritable && error?.context["path"] == record.eventsPath)
    #expect(try RunRecord.list(inRunsFolder: scratch.path).isEmpty)
  }

  @Test func aTornLastLineIsLeftOut() throws {
    let scratch = try Scratch()
    let record = try RunRecord.create(inRunsFolder: scratch.path, at: 1000)
    let log = try record.openEventLog()
    let event = RunEvent(time: 1, .runStarted(header("r")))
    try log.append(event)
    let whole = try readFile(record.eventsPath, maxBytes: 1 << 20)
    for count in 1..<whole.count {
      try writeFileAtomically(whole + whole.prefix(count), to: record.eventsPath)
      var reader = try EventLogReader(path: record.eventsPath)
      let (first, second) = (try reader.next(), try reader.next())
      #expect(first == event && second == nil)
      let isTorn = reader.isTorn
      #expect(isTorn)
    }
  }

  @Test func damagedLinesAreCountedAndDoNotHideTheRest() throws {
    let scratch = try Scratch()
    let record = try RunRecord.create(inRunsFolder: scratch.path, at: 1000)
    let event = RunEvent(time: 1, .runFinished(RunFinish(exitCode: 1, duration: 1)))
    let line = try encodedJSON(event) + [10]
    try writeFileAtomically(
      line + Array("{\"kind\":\n\n\u{0}\n".utf8) + line, to: record.eventsPath)
    var reader = try EventLogReader(path: record.eventsPath)
    var events: [RunEvent] = []
    while let event = try reader.next() { events.append(event) }
    #expect(events == [event, event])
    let damaged = reader.damagedLines
    #expect(damaged == [2, 3, 4])
    let checked = try record.checkedEvents()
    #expect(checked.events == events)
    #expect(
      checked.damage == "'\(record.eventsPath)' is damaged: 3 lines cannot be read, from 2 on")
    try writeFileAtomically(line + Array("x\n".utf8) + line.dropLast(), to: record.eventsPath)
    #expect(
      try record.checkedEvents().damage?.hasSuffix(
        ": line 2 cannot be read, and its last line is cut off") == true)
    try writeFileAtomically(line, to: record.eventsPath)
    #expect(try record.checkedEvents().damage == nil)
  }

  @Test func newerMinorVersionsAreReadAndNewerMajorOnesRefused() throws {
    let scratch = try Scratch()
    let record = try RunRecord.create(inRunsFolder: scratch.path, at: 1000)
    var newer = header(record.runID)
    newer.format = FormatVersion(major: 1, minor: 9)
    try record.write(newer)
    let log = try record.openEventLog()
    try log.append(RunEvent(time: 1, .runStarted(newer)))
    let text = try String(decoding: readFile(record.eventsPath, maxBytes: 1 << 20), as: UTF8.self)
    let extended =
      text.replacing("\"payload\":{", with: "\"payload\":{\"later\":[1],")
      + "{\"kind\":\"later\",\"time\":2,\"payload\":3}\n"
    try writeFileAtomically(Array(extended.utf8), to: record.eventsPath)
    #expect(
      try record.events() == [
        RunEvent(time: 1, .runStarted(newer)), RunEvent(time: 2, .unknown("later")),
      ])
    #expect(try record.header().format.minor == 9)
    for bad in ["2.0", "10.3"] {
      try writeFileAtomically(
        Array(extended.replacing("\"1.9\"", with: "\"\(bad)\"").utf8), to: record.eventsPath)
      let refused = #expect(throws: EvidenceError.self) { try record.events() }
      #expect(refused?.code == .newerFormat)
      #expect(refused?.message.contains(bad) == true)
      let line = try String(decoding: encodedJSON(newer), as: UTF8.self)
      try writeFileAtomically(
        Array(line.replacing("\"1.9\"", with: "\"\(bad)\"").utf8), to: record.headerPath)
      let refusedHeader = #expect(throws: EvidenceError.self) { try record.header() }
      #expect(refusedHeader?.code == .newerFormat)
    }
  }

  @Test func theIndexLeadsBackFromNamesToTests() throws {
    let scratch = try Scratch()
    let record = try RunRecord.create(inRunsFolder: scratch.path, at: 1000)
    #expect(try record.bundleIndex().isEmpty)
    let tests = ["M.`a/b \n \u{1B}`()", String(repeating: "字", count: 120), "M.x()"].map {
      TestID(product: "P", library: .testing, name: $0)
    }
    let references = tests.map {
      BundleReference(test: $0, attempt: 1, path: record.bundlePath($0, attempt: 1), bytes: 5)
    }
    for reference in references { try record.addToIndex(reference) }
    #expect(try record.bundleIndex() == references)
  }

  @Test func aFullDiskIsAnError() throws {
    // /dev/full refuses every byte.
    let log = try EventLogWriter(path: "/dev/full")
    let error = #expect(throws: EvidenceError.self) {
      try log.append(RunEvent(time: 1, .runStarted(header("r"))))
    }
    #expect(error?.code == .unwritable)
    #expect(error?.description.contains("No space left") == true)
  }

  /// Nobody waits for what may never come.
  @Test func aLogThatIsNoFileIsNotRead() throws {
    let folder = try TemporaryFolder()
    let path = folder.path(of: "events.jsonl")
    #expect(mkfifo(path, 0o600) == 0)
    let error = #expect(throws: EvidenceError.self) {
      let reader = try EventLogReader(path: path)
      _ = try reader.events()
    }
    #expect(error?.code == .unreadable)
  }
}
