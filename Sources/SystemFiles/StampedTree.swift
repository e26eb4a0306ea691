import CSystem
import Glibc

/// A folder whose entries are compared with what they were.
///
/// The times of a file tell of every change only where the file system notes writes to mapped
/// memory (mmap(2), `MAP_SHARED`). On tmpfs it does not when the memory was read before: neither
/// time changes (measured on Linux 6.18, also of an overlay whose upper layer lies on tmpfs). There
/// the content of regular files belongs to their stamps.
struct StampedTree: Sendable {
  /// The file system of the folder, if its times tell of every change.
  private let trusted: UInt64?

  /// - Parameter root: The folder; it may be missing, then no times are trusted.
  init(_ root: [UInt8]) {
    var status = stat()
    let isTrusted = withPath(root) { path in
      carrel_notes_mapped_writes(path) && lstat(path, &status) == 0
    }
    trusted = isTrusted ? status.identity.device : nil
  }

  /// What tells the state of an entry from any other one.
  ///
  /// - Throws: When its content is needed and cannot be read.
  func stamp(of path: [UInt8], _ status: stat) throws(SystemFailure) -> FileStamp {
    var stamp = FileStamp(status)
    if status.isRegular, stamp.identity.device != trusted {
      stamp.content = try contentHash(of: path)
    }
    return stamp
  }

  /// Whether an entry is as it was when it was stamped.
  static func isUnchanged(_ path: [UInt8], _ status: stat, since before: FileStamp) -> Bool {
    var now = FileStamp(status)
    now.content = before.content
    guard now == before else { return false }
    return before.content == nil || (try? contentHash(of: path)) == before.content
  }
}

/// The stamps of everything in a tree, in an order that depends on names only.
///
/// - Returns: `nil` when something cannot be looked at.
package func treeStamps(_ path: String) -> [FileStamp]? {
  var result: [FileStamp] = []
  let root = Array(path.utf8)
  let tree = StampedTree(root)
  func add(_ path: [UInt8]) throws(SystemFailure) {
    let status = try status(of: path)
    result.append(try tree.stamp(of: path, status))
    guard status.isFolder else { return }
    for name in try names(in: path).sorted(by: { $0.lexicographicallyPrecedes($1) }) {
      try add(path + [47] + name)
    }
  }
  do throws(SystemFailure) {
    try add(root)
    return result
  } catch {
    return nil
  }
}

/// The stamp of a regular file with its content, whatever the file system.
///
/// - Returns: `nil` when there is none, or it cannot be read.
package func stampWithContent(_ path: String) -> FileStamp? {
  let path = Array(path.utf8)
  guard let status = try? status(of: path), status.isRegular else { return nil }
  var stamp = FileStamp(status)
  stamp.content = try? contentHash(of: path)
  return stamp.content == nil ? nil : stamp
}

/// A hash of a regular file's bytes that is the same within this process. Zeros are the same as
/// holes, which become zeros when somebody looks at them through a mapping.
private func contentHash(of path: [UInt8]) throws(SystemFailure) -> Int {
  let file = try withPath(path) { (path) throws(SystemFailure) in
    OwnedDescriptor(try retrying { open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC) })
  }
  let block = 1 << 16
  let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: block, alignment: 16)
  defer { buffer.deallocate() }
  var hasher = Hasher()
  var position = 0
  while true {
    let data = lseek(file.number, off_t(position), carrel_seek_data)
    // Nothing but a hole is left.
    if data < 0, errno == ENXIO { break }
    // Where holes are not known, all of it is read. Blocks begin at the same places either way.
    if data > 0 { position = max(position, Int(data) / block * block) }
    var count = 0
    while count < block {
      let offset = off_t(position + count)
      let part = try retrying {
        pread(file.number, buffer.baseAddress.map { $0 + count }, block - count, offset)
      }
      if part == 0 { break }
      count += part
    }
    let bytes = UnsafeRawBufferPointer(rebasing: buffer[..<count])
    if !bytes.isZero {
      hasher.combine(position)
      hasher.combine(bytes: bytes)
    }
    if count < block { break }
    position += block
  }
  return hasher.finalize()
}

extension UnsafeRawBufferPointer {
  /// Whether no byte is another than 0.
  fileprivate var isZero: Bool {
    guard let start = baseAddress, let first else { return true }
    return first == 0 && memcmp(start, start + 1, count - 1) == 0
  }
}
