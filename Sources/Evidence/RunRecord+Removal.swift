import Glibc
import SystemFiles

extension RunRecord {
  /// Why a record is left where it is.
  package enum RemovalObstacle: Error, Hashable, Sendable {
    /// A process writes it.
    case isBeingWritten
    /// It is something else than the record of a run; why, as a clause.
    case noRecord(String)
    /// The system refused; the message names the file.
    case failed(String)
  }

  /// Checks that the folder is the record of a run, and of none that goes on.
  package func checkIsRemovable() throws(RemovalObstacle) {
    close(try lockForRemoval().release())
  }

  /// Removes the record, and whatever else lies in its folder.
  ///
  /// It gets the name of a leftover first, so that nobody meets half of a record, and the next run
  /// removes what a killed process left of it.
  package func remove() throws(RemovalObstacle) {
    let lock = try lockForRemoval().release()
    defer { close(lock) }
    let hidden = "\(folder(of: path))/\(Leftovers.name(.folder))"
    guard rename(path, hidden) == 0 else {
      throw .failed("cannot remove '\(path)': \(SystemFailure(errno))")
    }
    if let failure = removeTree(hidden) { throw .failed("\(failure)") }
  }

  /// Whether it is the record of a run that this version reads.
  fileprivate var isReadable: Bool {
    switch overview().state {
    case .running, .finished, .cutOff: true
    case .newerFormat, .unreadable: false
    }
  }

  /// - Returns: The event log, locked: nobody can begin to write it.
  private func lockForRemoval() throws(RemovalObstacle) -> OwnedDescriptor {
    var status = stat()
    guard lstat(path, &status) == 0 else { throw .noRecord("\(SystemFailure(errno))") }
    guard !status.isLink else { throw .noRecord("it is a link") }
    guard status.isFolder else { throw .noRecord("it is no folder") }
    switch overview().state {
    case .running: throw .isBeingWritten
    case .newerFormat: throw .noRecord("a newer version of Carrel wrote it")
    case .unreadable(let reason): throw .noRecord(reason)
    case .finished, .cutOff: break
    }
    do throws(SystemFailure) {
      let file = try OwnedDescriptor(
        opening: eventsPath, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY)
      if flock(file.number, LOCK_EX | LOCK_NB) != 0 {
        // Where there are no locks, a run that came to its end is not written any more.
        guard errno != EWOULDBLOCK, case .finished = overview().state else {
          throw SystemFailure(EWOULDBLOCK)
        }
      }
      return file
    } catch {
      guard error.number == EWOULDBLOCK else { throw .noRecord("\(error)") }
      throw .isBeingWritten
    }
  }
}

/// Which records go, and which stay.
package struct PruningPlan: Sendable {
  /// What is to be kept; at least one is set.
  package struct Policy: Sendable {
    /// Number of the newest runs that stay.
    package var keep: Int?
    /// Most bytes that all records together may take.
    package var maxBytes: Int?
    /// Start, in seconds since 1970, before which runs go.
    package var oldest: Double?

    package init(keep: Int? = nil, maxBytes: Int? = nil, oldest: Double? = nil) {
      self.keep = keep
      self.maxBytes = maxBytes
      self.oldest = oldest
    }
  }

  /// A record that a policy wants to go.
  package struct Candidate: Sendable {
    package var record: RunRecord
    package var usage: DiskUsage
  }

  /// Oldest first.
  package private(set) var removed: [Candidate] = []
  /// Folders that the policy wants to go and that stay, with the reason.
  package private(set) var left: [(record: RunRecord, reason: RunRecord.RemovalObstacle)] = []

  /// The newest run, and the one that `latest` leads to, stay whatever the policy says.
  ///
  /// - Parameters:
  ///   - records: Oldest first, as ``RunRecord/list(inRunsFolder:)`` gives them.
  ///   - latest: The run that `latest` leads to, if any.
  package init(_ records: [RunRecord], latest: RunRecord?, policy: Policy) {
    let usages = records.map { DiskUsage(of: $0.path) }
    var total = usages.reduce(0) { $0 + $1.bytes }
    // What is no record of a run counts for nothing.
    let isRun = records.map { $0.isReadable && !isLink($0.path) }
    let newest = isRun.lastIndex(of: true).map { records[$0] }
    var age = 1 + isRun.count { $0 }
    for (index, record) in records.enumerated() {
      if isRun[index] { age -= 1 }
      let isOver =
        policy.keep.map { age > $0 } ?? false || policy.maxBytes.map { total > $0 } ?? false
        || policy.oldest.map { (record.time ?? $0) < $0 } ?? false
      guard isOver, record != newest, record != latest else { continue }
      do throws(RunRecord.RemovalObstacle) {
        try record.checkIsRemovable()
        total -= usages[index].bytes
        removed.append(Candidate(record: record, usage: usages[index]))
      } catch {
        left.append((record, error))
      }
    }
  }
}

private func isLink(_ path: String) -> Bool {
  var status = stat()
  return lstat(path, &status) == 0 && status.isLink
}
