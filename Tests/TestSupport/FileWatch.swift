import FoundationEssentials
import Glibc

/// Waits for something to be true about a folder whose files change, without polling it.
///
/// The kernel reports changes in the folder and in its direct subfolders (inotify(7)).
package struct FileWatch: ~Copyable {
  private let descriptor: Int32
  private let folder: String
  private var watched: Set<String> = []

  /// - Parameter folder: An existing folder.
  package init(_ folder: String) throws {
    descriptor = inotify_init1(Int32(IN_CLOEXEC))
    guard descriptor >= 0 else { throw CocoaError(.fileReadUnknown) }
    self.folder = folder
  }

  deinit { close(descriptor) }

  /// Evaluates the condition at once and after each change until it has a value.
  ///
  /// - Returns: `nil` when the time is over.
  package mutating func first<Value>(
    within seconds: Double, where condition: () throws -> Value?
  ) rethrows -> Value? {
    let deadline = now() + seconds
    var buffer = [UInt8](repeating: 0, count: 1 << 14)
    while true {
      watchFolders()
      if let value = try condition() { return value }
      let rest = deadline - now()
      guard rest > 0 else { return nil }
      var polled = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
      if poll(&polled, 1, Int32((rest * 1000).rounded(.up))) > 0 {
        _ = read(descriptor, &buffer, buffer.count)
      }
    }
  }

  private mutating func watchFolders() {
    let children = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
    let mask = IN_CREATE | IN_MOVED_TO | IN_MODIFY
    for path in [folder] + children.map({ "\(folder)/\($0)" }) where !watched.contains(path) {
      var status = stat()
      guard lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFDIR else { continue }
      if inotify_add_watch(descriptor, path, UInt32(mask)) >= 0 { watched.insert(path) }
    }
  }
}
