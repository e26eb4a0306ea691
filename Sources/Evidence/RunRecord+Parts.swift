import Glibc
package import RunModel
package import SystemFiles

/// What lies in a record, also in one that somebody else wrote: the paths in its event log are
/// followed only to regular files in its own folders, and never through links.
extension RunRecord {
  /// The folders of a record that events refer to.
  package enum Part: String, Sendable, CaseIterable {
    case logs, bundles, journals
  }

  /// The name of a file in a folder of the record.
  ///
  /// - Parameter path: As in an event, relative to the record.
  /// - Returns: `nil` when the path leads anywhere else.
  package static func name(ofFile path: String, in part: Part) -> String? {
    let start = "\(part.rawValue)/"
    guard path.hasPrefix(start) else { return nil }
    let name = String(path.dropFirst(start.count))
    guard !name.isEmpty, name != ".", name != "..", !name.utf8.contains(0),
      !name.utf8.contains(UInt8(ascii: "/"))
    else { return nil }
    return name
  }

  /// Opens a file of the record for reading.
  ///
  /// - Throws: ``SystemFailure``; `EINVAL` for a path that leads out of the folder, and for what is
  ///   no regular file.
  package func open(_ path: String, in part: Part) throws(SystemFailure) -> OwnedDescriptor {
    guard let name = Self.name(ofFile: path, in: part) else { throw SystemFailure(EINVAL) }
    let folder = try OwnedDescriptor(
      opening: "\(self.path)/\(part.rawValue)", O_RDONLY | O_DIRECTORY | O_NOFOLLOW)
    let file = try OwnedDescriptor(
      at: folder.number, name.utf8, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY)
    guard try file.status().isRegular else { throw SystemFailure(EINVAL) }
    return file
  }

  /// The last bytes of a log, and whether they are all of it; `nil` when it cannot be read.
  package func logEnd(
    _ log: LogReference, bytes limit: Int
  ) -> (bytes: [UInt8], isWhole: Bool)? {
    guard let file = try? open(log.path, in: .logs) else { return nil }
    return readEnd(of: file.number, bytes: limit)
  }

  /// Takes a file of another record over: as a further name of it where that can be had, else as a
  /// copy.
  ///
  /// - Returns: `false` when the other record has no such file.
  /// - Throws: ``EvidenceError`` with the code `unwritable`.
  package func take(_ path: String, in part: Part, from other: RunRecord) throws -> Bool {
    guard let source = Self.name(ofFile: path, in: part), (try? other.open(path, in: part)) != nil
    else { return false }
    return try place("\(other.path)/\(part.rawValue)/\(source)", in: part, as: source)
  }

  /// Takes over the journal of calls of a run.
  ///
  /// - Parameter run: A run whose events the other record has.
  /// - Throws: ``EvidenceError`` with the code `unwritable`.
  package func takeJournal(of run: String, from other: RunRecord, header: RunHeader) throws {
    let name = "\(run).jsonl"
    guard Self.name(ofFile: "journals/\(name)", in: .journals) != nil else { return }
    if header.runID != run {
      _ = try take("journals/\(name)", in: .journals, from: other)
    } else if let status = try? linkStatus(other.journalPath), status.isRegular {
      _ = try place(other.journalPath, in: .journals, as: name)
    }
  }

  private func linkStatus(_ path: String) throws(SystemFailure) -> stat {
    var status = stat()
    try retrying { lstat(path, &status) }
    return status
  }

  /// - Parameter source: Path of a regular file.
  private func place(_ source: String, in part: Part, as name: String) throws -> Bool {
    let folder = "\(path)/\(part.rawValue)"
    try evidence { () throws(FileError) in
      try makeFolders(folder)
      let target = "\(folder)/\(name)"
      if link(source, target) == 0 || errno == EEXIST { return }
      try copyTree(source, to: target)
    }
    return true
  }

  /// Whether a process is writing the record: it holds a lock on the event log (flock(2)), which
  /// the kernel gives back however the process ends.
  package var isBeingWritten: Bool { logLock == .held }

  /// Whether somebody holds the lock on an event log.
  enum LogLock {
    case free, held
    /// The file system has no locks.
    case unknown
  }

  /// The lock on the event log; free when there is no log.
  var logLock: LogLock {
    guard
      let file = try? OwnedDescriptor(
        opening: eventsPath, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY),
      flock(file.number, LOCK_SH | LOCK_NB) != 0
    else { return .free }
    return errno == EWOULDBLOCK ? .held : .unknown
  }
}
