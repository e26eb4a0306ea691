import Glibc
import RunModel

extension Sandbox {
  /// What a folder that the sandbox has for itself holds.
  package struct PrivateFolderUse: Hashable, Sendable {
    /// Absolute path inside.
    package var path: String
    /// In bytes.
    package var used: Int
    /// Whether nothing more can be written there.
    package var isFull: Bool

    package init(path: String, used: Int, isFull: Bool) {
      self.path = path
      self.used = used
      self.isFull = isFull
    }
  }

  /// What the private folders hold now; empty when the sandbox is gone or cannot be looked into.
  package func privateFolderUse() -> [PrivateFolderUse] {
    guard !isGone else { return [] }
    return SandboxFolders.hidden.compactMap { path in
      var info = statvfs()
      guard statvfs("/proc/\(pid)/root\(path)", &info) == 0 else { return nil }
      let used = Int(info.f_blocks - info.f_bfree) * Int(info.f_frsize)
      return PrivateFolderUse(
        path: path, used: used, isFull: info.f_blocks > 0 && info.f_bavail == 0)
    }
  }
}
