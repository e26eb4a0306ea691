package import Glibc

extension stat {
  package var kind: mode_t { st_mode & S_IFMT }
  package var isFolder: Bool { kind == S_IFDIR }
  package var isRegular: Bool { kind == S_IFREG }
  package var isLink: Bool { kind == S_IFLNK }
  package var identity: FileIdentity {
    FileIdentity(device: UInt64(st_dev), inode: UInt64(st_ino))
  }

  /// Permission bits with set-user-ID, set-group-ID and the sticky bit.
  package var permissions: UInt16 { UInt16(st_mode & 0o7777) }
}

/// Tells files apart whatever their names are.
package struct FileIdentity: Hashable, Sendable {
  package var device: UInt64
  package var inode: UInt64

  package init(device: UInt64, inode: UInt64) {
    self.device = device
    self.inode = inode
  }

  /// The identity of what a path leads to; `nil` when there is nothing.
  package init?(path: String) {
    var status = stat()
    guard stat(path, &status) == 0 else { return nil }
    self = status.identity
  }
}
