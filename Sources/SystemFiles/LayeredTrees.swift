import CSystem
import Glibc

/// What is seen of two folders of which one lies over the other, as overlayfs has them: a device
/// with the number 0 hides a name of the lower folder, a mark at a folder of the upper one hides
/// the whole lower folder.
///
/// Nothing may be mounted with these layers while they are looked at from outside.
package struct LayeredTree: Hashable, Sendable {
  /// Absolute path of the folder that is only read.
  package var lower: String
  /// Absolute path of the folder that has what was written.
  package var upper: String

  package init(upper: String, over lower: String) {
    self.lower = lower
    self.upper = upper
  }

  /// Makes the upper folder what is seen of both: as if the lower one had been copied and
  /// everything that was done had been done to the copy.
  ///
  /// Files of the lower folder become further names of the same files, so that nobody may write to
  /// them afterwards.
  ///
  /// - Throws: ``FileError`` with the code `unwritable`.
  package func flatten() throws(FileError) {
    do throws(SystemFailure) {
      try Self.fill(Array(upper.utf8), from: Array(lower.utf8))
    } catch {
      throw FileError(.unwritable, "put '\(lower)' under", upper, error)
    }
  }

  /// Bytes on the disk of what is seen of the lower folder.
  ///
  /// - Parameters:
  ///   - limit: Counting ends when more has been found.
  ///   - entries: Most entries that are looked at.
  package func lowerSize(limit: Int, entries: Int = 200_000) -> Int {
    var bytes = 0
    var left = entries
    // Of a folder that is in the lower layer only there is no upper one.
    var folders: [(lower: [UInt8], upper: [UInt8]?)] = [(Array(lower.utf8), Array(upper.utf8))]
    while let (lower, upper) = folders.popLast() {
      for name in (try? names(in: lower)) ?? [] {
        left -= 1
        guard left > 0, bytes <= limit else { return bytes }
        guard let status = try? status(of: lower + [47] + name) else { continue }
        var over: [UInt8]?
        if let upper, let above = try? SystemFiles.status(of: upper + [47] + name) {
          let path = upper + [47] + name
          guard status.isFolder, above.isFolder, !withPath(path, { carrel_is_opaque($0) }) else {
            continue
          }
          over = path
        } else {
          bytes += Int(status.st_blocks) * 512
        }
        if status.isFolder { folders.append((lower + [47] + name, over)) }
      }
    }
    return bytes
  }

  /// Adds what is seen of a lower folder to the upper one, and takes out what hides some of it.
  private static func fill(_ upper: [UInt8], from lower: [UInt8]) throws(SystemFailure) {
    guard !withPath(upper, { carrel_is_opaque($0) }) else { return }
    let before = try status(of: upper)
    // A folder that may not be written to belongs to whoever has made it so.
    if before.permissions & 0o700 != 0o700 { try onPath(upper) { chmod($0, 0o700) } }
    var own: [[UInt8]: stat] = [:]
    for name in try names(in: upper) {
      let path = upper + [47] + name
      let status = try status(of: path)
      own[name] = status
      if status.isWhiteout { try onPath(path) { unlink($0) } }
    }
    for name in try names(in: lower) {
      let (above, below) = (upper + [47] + name, lower + [47] + name)
      if let status = own[name] {
        if status.isFolder, try SystemFiles.status(of: below).isFolder {
          try fill(above, from: below)
        }
      } else {
        try copyEntry(below, to: above, by: .link)
      }
    }
    try setAttributes(of: upper, as: before)
  }
}

extension stat {
  /// Whether it says that there is nothing under this name.
  fileprivate var isWhiteout: Bool { kind == S_IFCHR && st_rdev == 0 }
}
