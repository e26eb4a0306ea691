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

  /// Why the folder is not to be removed: it is no record of a run, or that of one that goes on.
  func obstacle(_ state: RunOverview.State, lock: LogLock) -> RemovalObstacle? {
    var status = stat()
    guard lstat(path, &status) == 0 else { return .noRecord("\(SystemFailure(errno))") }
    guard !status.isLink else { return .noRecord("it is a link") }
    guard status.isFolder else { return .noRecord("it is no folder") }
    switch state {
    case .running: return .isBeingWritten
    case .newerFormat: return .noRecord("a newer version of Carrel wrote it")
    case .unreadable(let reason): return .noRecord(reason)
    case .finished: return lock == .held ? .isBeingWritten : nil
    // Where there are no locks, nobody knows whether it is still written.
    case .cutOff: return lock == .free ? nil : .isBeingWritten
    }
  }

  /// - Returns: The event log, locked: nobody can begin to write it.
  fileprivate func lockForRemoval(isFinished: Bool) throws(RemovalObstacle) -> OwnedDescriptor {
    let file: OwnedDescriptor
    do throws(SystemFailure) {
      file = try OwnedDescriptor(
        opening: eventsPath, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY)
    } catch {
      throw .noRecord("\(error)")
    }
    guard flock(file.number, LOCK_EX | LOCK_NB) == 0 || (errno != EWOULDBLOCK && isFinished) else {
      throw .isBeingWritten
    }
    return file
  }
}

extension RunOverview {
  /// Removes the record, and whatever else lies in its folder.
  ///
  /// It gets the name of a leftover first, so that nobody meets half of a record, and the next run
  /// removes what a killed process left of it.
  ///
  /// - Throws: What is in the way, also when it has come up since the overview was made.
  package func remove() throws(RunRecord.RemovalObstacle) {
    if let obstacle { throw obstacle }
    let isFinished = if case .finished = state { true } else { false }
    let lock = try record.lockForRemoval(isFinished: isFinished).release()
    defer { close(lock) }
    let hidden = "\(folder(of: record.path))/\(Leftovers.name(.folder))"
    guard rename(record.path, hidden) == 0 else {
      throw .failed("cannot remove '\(record.path)': \(SystemFailure(errno))")
    }
    if let failure = removeTree(hidden) { throw .failed("\(failure)") }
  }
}
