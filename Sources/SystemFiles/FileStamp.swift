package import Glibc

/// What tells one state of a file from another.
package struct FileStamp: Hashable, Sendable {
  /// A time as the file system has it.
  package struct Time: Hashable, Sendable, CustomStringConvertible {
    package let seconds: Int
    package let nanoseconds: Int

    init(_ time: timespec) {
      seconds = time.tv_sec
      nanoseconds = time.tv_nsec
    }

    /// `SECONDS.NANOSECONDS`, without leading zeros.
    package var description: String { "\(seconds).\(nanoseconds)" }

    /// Seconds with nine decimals.
    package var fraction: String {
      let digits = "\(nanoseconds)"
      return "\(seconds)." + String(repeating: "0", count: max(0, 9 - digits.count)) + digits
    }
  }

  package let identity: FileIdentity
  package let mode: mode_t
  package let owner: uid_t
  package let group: gid_t
  /// Bytes of the content; of a folder what its file system says.
  package let size: Int
  /// When the content changed last; a process can set it.
  package let modified: Time
  /// When content or status changed last; no process can set it back (inode(7)). Not every file
  /// system sets it when memory that a file is mapped to is written to, see ``StampedTree``.
  package let changed: Time
  /// A hash of the content, within this process; `nil` where nobody has looked at it.
  package internal(set) var content: Int?

  package init(_ status: stat) {
    identity = status.identity
    mode = status.st_mode
    owner = status.st_uid
    group = status.st_gid
    size = Int(status.st_size)
    modified = Time(status.st_mtim)
    changed = Time(status.st_ctim)
  }

  /// The stamp of what a path leads to; `nil` when there is nothing.
  package init?(path: String) {
    var status = stat()
    guard stat(path, &status) == 0 else { return nil }
    self.init(status)
  }

  /// The stamp of what has a path itself, also of a link; `nil` when there is nothing.
  package init?(notFollowing path: String) {
    var status = stat()
    guard lstat(path, &status) == 0 else { return nil }
    self.init(status)
  }

  /// The file, its size and the times of its last changes, as a line of numbers.
  package var line: String {
    "\(identity.device) \(identity.inode) \(size) \(modified) \(changed)"
  }
}
