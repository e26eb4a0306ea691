import Glibc
import SystemFiles

/// The lock that SwiftPM holds on a scratch folder while it builds, or while it runs a plugin.
package enum BuildLock {
  /// The process that holds the lock and waits for this one, so that a build would never begin:
  /// one that this process descends from.
  ///
  /// - Parameter scratch: Path of the scratch folder.
  /// - Returns: `nil` when nobody holds the lock, or somebody else, who lets go some time. What a
  ///   dead process wrote into the file holds nothing.
  package static func waitingOwner(ofScratch scratch: String) -> Int32? {
    guard let file = try? OwnedDescriptor(opening: scratch + "/.lock", O_RDONLY | O_NONBLOCK),
      flock(file.number, LOCK_SH | LOCK_NB) != 0, errno == EWOULDBLOCK,
      let text = try? readFile(scratch + "/.lock", maxBytes: 64),
      let owner = Int32(
        String(decoding: text.prefix { (48...57).contains($0) }, as: UTF8.self))
    else { return nil }
    var process = getppid()
    while process > 0 {
      if process == owner { return owner }
      guard let parent = parent(of: process) else { return nil }
      process = parent
    }
    return nil
  }

  private static func parent(of process: Int32) -> Int32? {
    guard let status = readSmallFile("/proc/\(process)/status") else { return nil }
    let line = status.split(separator: 10).first { $0.starts(with: "PPid:".utf8) }
    return line.flatMap { line in
      Int32(String(decoding: line.dropFirst(5).drop { $0 == 9 || $0 == 32 }, as: UTF8.self))
    }
  }
}
