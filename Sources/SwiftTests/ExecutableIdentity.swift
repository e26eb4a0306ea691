import Glibc

/// What tells one build of a test executable from another: the file, its size, and when its content
/// was changed last, in nanoseconds.
package struct ExecutableIdentity: Sendable, Hashable {
  private let device: UInt
  private let inode: UInt
  private let size: Int
  private let seconds: Int
  private let nanoseconds: Int

  /// - Returns: `nil` when there is no such file.
  package init?(of path: String) {
    var info = stat()
    guard stat(path, &info) == 0 else { return nil }
    device = UInt(info.st_dev)
    inode = UInt(info.st_ino)
    size = Int(info.st_size)
    seconds = info.st_mtim.tv_sec
    nanoseconds = info.st_mtim.tv_nsec
  }
}
