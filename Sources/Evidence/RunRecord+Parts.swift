import Glibc
package import RunModel
package import SystemFiles

/// What lies in a record, also in one that somebody else wrote: the paths in its event log are
/// followed only to regular files in its own folders, and never through links.
extension RunRecord {
  /// The folders of a record that events refer to.
  package enum Part: String, Sendable, CaseIterable {
    case logs, bundles
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

  /// Whether a process is writing the record: it holds a lock on the event log (flock(2)), which
  /// the kernel gives back however the process ends.
  package var isBeingWritten: Bool {
    guard
      let file = try? OwnedDescriptor(
        opening: eventsPath, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY),
      flock(file.number, LOCK_SH | LOCK_NB) != 0
    else { return false }
    return errno == EWOULDBLOCK
  }
}
