import CSystem
import Glibc

/// A copy of a folder that can be made as it was again after somebody has worked with it, at the
/// price of what was changed.
///
/// What was not touched since it was copied is kept: it has the identity, mode, owner, size and
/// times that were noted, and no process can set the time of the last change of status back
/// (inode(7)). Where that time does not tell of writes to mapped memory, the content of regular
/// files is compared, too (``StampedTree``). What was changed so soon before it was noted that a
/// later change could have the same time is taken as touched.
package struct TreeCopy: Sendable {
  private let source: [UInt8]
  private let target: [UInt8]
  /// Of each entry, by its path below the target; those of which nothing is certain are missing.
  private var stamps: [[UInt8]: FileStamp] = [:]
  private let tree: StampedTree

  /// Makes the copy.
  ///
  /// - Parameters:
  ///   - source: Absolute path of a folder that nobody may write to as long as there is the copy.
  ///   - target: Must not exist.
  /// - Throws: ``FileError`` with the code `unwritable`.
  package init(of source: String, at target: String) throws(FileError) {
    self.source = Array(source.utf8)
    self.target = Array(target.utf8)
    try copyTree(source, to: target)
    tree = StampedTree(self.target)
    note([])
  }

  /// Makes the copy as it was. No process may write to it meanwhile.
  ///
  /// - Throws: ``FileError`` with the code `unwritable`; then it is in no state that can be used.
  package mutating func restore() throws(FileError) {
    do throws(SystemFailure) {
      try restore([])
    } catch {
      let path = String(decoding: target, as: UTF8.self)
      throw FileError(.unwritable, "make again what was in", path, error)
    }
  }

  private mutating func restore(_ path: [UInt8]) throws(SystemFailure) {
    let (from, to) = (source + path, target + path)
    let wanted = try status(of: from)
    guard wanted.isFolder || wanted.isRegular || wanted.isLink else { return }
    let found = try? status(of: to)
    guard wanted.isFolder, let found, found.isFolder, found.st_uid == geteuid(),
      found.st_gid == getegid()
    else {
      if let found, isKept(path, found) { return }
      if found != nil { try remove(path) }
      try copyEntry(from, to: to, by: .copy)
      return note(path)
    }
    if found.permissions & 0o700 != 0o700 { try onPath(to) { chmod($0, 0o700) } }
    let names = try names(in: from)
    let known = Set(names)
    for name in try SystemFiles.names(in: to) {
      let isMore = known.contains(name) ? try isLeftOut(from + [47] + name) : true
      if isMore { try remove(path + [47] + name) }
    }
    for name in names { try restore(path + [47] + name) }
    let now = try status(of: to)
    guard !isKept(path, now) else { return }
    try onPath(to) { carrel_strip_attributes($0) }
    try setAttributes(of: to, as: wanted)
    noteEntry(path)
  }

  /// Whether an entry of the copy is as it was noted.
  private func isKept(_ path: [UInt8], _ status: stat) -> Bool {
    guard let before = stamps[path] else { return false }
    return StampedTree.isUnchanged(target + path, status, since: before)
  }

  /// Whether it is of a kind that is not copied.
  private func isLeftOut(_ path: [UInt8]) throws(SystemFailure) -> Bool {
    let status = try status(of: path)
    return !status.isFolder && !status.isRegular && !status.isLink
  }

  private func remove(_ path: [UInt8]) throws(SystemFailure) {
    let whole = target + path
    let slash = whole.lastIndex(of: 47) ?? 0
    let folder = try withPath(whole[..<slash]) { (pointer) throws(SystemFailure) in
      OwnedDescriptor(try retrying { open(pointer, O_RDONLY | O_DIRECTORY | O_CLOEXEC) })
    }
    if let failure = removeEntry(Array(whole[(slash + 1)...]), in: folder) { throw failure.reason }
  }

  /// Notes an entry and everything below it.
  mutating func note(_ path: [UInt8]) {
    guard let status = noteEntry(path), status.isFolder else { return }
    for name in (try? names(in: target + path)) ?? [] { note(path + [47] + name) }
  }

  @discardableResult
  private mutating func noteEntry(_ path: [UInt8]) -> stat? {
    // The clock by which the kernel stamps files; it stands still for some milliseconds.
    var clock = timespec()
    clock_gettime(CLOCK_REALTIME_COARSE, &clock)
    guard let status = try? status(of: target + path) else { return nil }
    let changed = status.st_ctim
    let isCertain = (changed.tv_sec, changed.tv_nsec) < (clock.tv_sec, clock.tv_nsec)
    stamps[path] = isCertain ? try? tree.stamp(of: target + path, status) : nil
    return status
  }
}
