import Glibc
package import RunModel
import Synchronization
import SystemFiles

/// The folder of one run: `run.json`, `events.jsonl`, `journal.jsonl`, `logs/`,
/// `bundles/`.
///
/// The event log is the truth; everything else here either belongs to a line of it or can be made
/// again from it. See docs/run-record.md.
package struct RunRecord: Hashable, Sendable {
  /// The folder of the run.
  package let path: String
  /// The name of the folder.
  package let runID: String

  package init(path: String) {
    self.path = path
    self.runID = lastComponent(of: path)
  }

  /// The start that the ID tells, in seconds since 1970; `nil` when the folder has another name.
  package var time: Double? { RunIdentifier.time(of: runID) }

  package var headerPath: String { "\(path)/run.json" }
  package var eventsPath: String { "\(path)/events.jsonl" }
  package var journalPath: String { "\(path)/journal.jsonl" }
  package var bundleIndexPath: String { "\(path)/bundles/index.jsonl" }

  /// The folder that holds the runs of a package.
  package static func runsFolder(ofPackage package: String) -> String { "\(package)/.carrel/runs" }

  /// Makes the folder of a new run under a fresh ID and lets `latest` point to it.
  ///
  /// Making the folder decides between two runs that chose the same ID, so runs that start at once
  /// in one package do not disturb each other; `latest` points to the one that came last.
  ///
  /// - Parameters:
  ///   - runsFolder: The folder of all runs; made when it is missing.
  ///   - time: The start in seconds since 1970.
  ///   - becomesLatest: Whether `latest` shall point to it.
  /// - Throws: ``EvidenceError`` with the code `unwritable`.
  package static func create(
    inRunsFolder runsFolder: String, at time: Double, becomesLatest: Bool = true
  ) throws -> RunRecord {
    try evidence { () throws(FileError) in try makeFolders(runsFolder) }
    removeLeftovers(inRunsFolder: runsFolder)
    var delay = 0
    while true {
      let record = RunRecord(path: "\(runsFolder)/\(RunIdentifier.make(at: time, delay: delay))")
      guard mkdir(record.path, 0o777) == 0 else {
        if errno == EEXIST {
          delay += 1
          continue
        }
        throw EvidenceError.system(
          .unwritable, "make the folder", path: record.path, errno: errno)
      }
      try evidence { () throws(FileError) in
        try makeFolders("\(record.path)/logs")
        try makeFolders("\(record.path)/bundles")
      }
      if becomesLatest { try record.becomeLatest() }
      return record
    }
  }

  /// Writes `run.json`, in one step.
  ///
  /// - Throws: ``EvidenceError`` with the code `unwritable`.
  package func write(_ header: RunHeader) throws {
    let bytes = try encodedJSON(header, pretty: true) + [10]
    try evidence { () throws(FileError) in try writeFileAtomically(bytes, to: headerPath) }
  }

  /// Reads `run.json`.
  ///
  /// - Throws: ``EvidenceError`` with the code `newer-format` when a newer major version wrote it,
  ///   `malformed` when it is no header, `limit` when it has more than 16 MiB, `not-found` or
  ///   `unreadable`.
  package func header() throws -> RunHeader {
    let bytes = try evidence { () throws(FileError) in
      try readFile(headerPath, maxBytes: 16 << 20)
    }
    return try decodedJSON(
      RunHeader.self, from: bytes, reading: eventLogFormat, name: "run record '\(path)'")
  }

  /// Opens the event log for appending; creates it when it is missing, and waits while somebody
  /// else writes it.
  ///
  /// - Throws: ``EvidenceError`` with the code `unwritable`.
  package func openEventLog() throws -> EventLogWriter { try EventLogWriter(path: eventsPath) }

  /// Reads the event log from its start; lines that cannot be read are left out.
  ///
  /// - Throws: As ``checkedEvents()``.
  package func events() throws -> [RunEvent] { try EventLogReader(path: eventsPath).events() }

  /// Reads the event log from its start, and says what of it cannot be read.
  ///
  /// - Returns: The events that can be read, and a sentence about the damage; `nil` when there is
  ///   none.
  /// - Throws: ``EvidenceError`` with the code `not-found`, `unreadable`, `limit` for a line that
  ///   is too long, or `newer-format` when a newer major version wrote it. Other damage is none.
  package func checkedEvents() throws -> (events: [RunEvent], damage: String?) {
    var reader = try EventLogReader(path: eventsPath)
    var events: [RunEvent] = []
    while let event = try reader.next() { events.append(event) }
    let damaged = reader.damagedLines
    var parts: [String] = []
    if let first = damaged.first {
      parts.append(
        damaged.count == 1
          ? "line \(first) cannot be read"
          : "\(damaged.count) lines cannot be read, from \(first) on")
    }
    if reader.isTorn { parts.append("its last line is cut off") }
    guard !parts.isEmpty else { return (events, nil) }
    return (events, "'\(eventsPath)' is damaged: \(parts.joined(separator: ", and "))")
  }

  /// The path of a log relative to the run's folder.
  ///
  /// - Parameter stream: `stdout` or `stderr`.
  package func logPath(_ test: TestID, attempt: Int, stream: String) -> String {
    "logs/\(ArtifactName.stem(test, attempt: attempt)).\(stream).log"
  }

  /// Makes the capped log of one stream of one attempt; its file appears with the first byte.
  package func makeLog(_ test: TestID, attempt: Int, stream: String) -> CappedLog {
    CappedLog(folder: path, path: logPath(test, attempt: attempt, stream: stream))
  }

  /// The path of a failure bundle relative to the run's folder.
  package func bundlePath(
    _ test: TestID, attempt: Int, compression: BundleCompression = .zstd
  ) -> String {
    "bundles/\(ArtifactName.stem(test, attempt: attempt)).\(compression.fileExtension)"
  }

  /// Adds a line to `bundles/index.jsonl`, which leads from a file's name back to its test.
  ///
  /// Several threads may call. A line that was written in part is taken back.
  ///
  /// - Throws: ``EvidenceError`` with the code `unwritable`.
  package func addToIndex(_ bundle: BundleReference) throws {
    do {
      try checkIsFolder(folder(of: bundleIndexPath))
      let file = try OwnedDescriptor(
        opening: bundleIndexPath, O_WRONLY | O_CREAT | O_APPEND | O_NOFOLLOW)
      let line = try encodedJSON(bundle) + [10]
      try bundleIndexLock.withLock { _ throws(SystemFailure) in
        try appendWhole(line, to: file.number)
      }
    } catch let failure as SystemFailure {
      throw EvidenceError.system(
        .unwritable, "write", path: bundleIndexPath, errno: failure.number)
    }
  }

  /// The bundles of the run in the order they were written; empty when there are none. Lines that
  /// cannot be read are left out.
  ///
  /// - Throws: ``EvidenceError`` with the code `unreadable`, or `limit` for a line that is too
  ///   long.
  package func bundleIndex() throws -> [BundleReference] {
    var bundles: [BundleReference] = []
    do {
      var lines = try LineReader(path: bundleIndexPath)
      while let line = try lines.next() {
        guard let bundle = try? decodedJSON(BundleReference.self, from: line.bytes) else {
          continue
        }
        bundles.append(bundle)
      }
    } catch let error as EvidenceError where error.code == .notFound {
      return []
    }
    return bundles
  }

  /// Removes what killed runs were writing: in the folder of all runs, and in the newest ones.
  /// There may be thousands of others, which were among the newest when later runs began.
  private static func removeLeftovers(inRunsFolder runsFolder: String) {
    Leftovers.remove(in: runsFolder)
    let runs = (folderEntries(runsFolder) ?? []).filter { $0.first?.isNumber == true }
    for run in runs.sorted().suffix(20) {
      Leftovers.remove(in: "\(runsFolder)/\(run)")
      Leftovers.remove(in: "\(runsFolder)/\(run)/bundles")
    }
  }

  /// Lets `latest` lead to the record, in one step.
  ///
  /// - Throws: ``EvidenceError`` with the code `unwritable`.
  package func becomeLatest() throws {
    let runsFolder = folder(of: path)
    let temporary = "\(runsFolder)/\(Leftovers.name(.file))"
    guard symlink(runID, temporary) == 0, rename(temporary, "\(runsFolder)/latest") == 0 else {
      let number = errno
      unlink(temporary)
      throw EvidenceError.system(
        .unwritable, "make the link", path: "\(runsFolder)/latest", errno: number)
    }
  }
}

/// Held while a line is added to an index of bundles.
private let bundleIndexLock = Mutex(())
