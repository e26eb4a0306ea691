import Glibc

/// Makes a folder and those above it that are missing.
func makeFolders(_ path: String) throws {
  if mkdir(path, 0o777) == 0 { return }
  switch errno {
  case EEXIST:
    var status = stat()
    if stat(path, &status) == 0, status.isFolder { return }
    throw EvidenceError.system(.unwritable, "make the folder", path: path, errno: ENOTDIR)
  case ENOENT where folder(of: path) != path:
    try makeFolders(folder(of: path))
    if mkdir(path, 0o777) == 0 || errno == EEXIST { return }
    throw EvidenceError.system(.unwritable, "make the folder", path: path, errno: errno)
  case let number:
    throw EvidenceError.system(.unwritable, "make the folder", path: path, errno: number)
  }
}

/// The part of a path before its last component: `/a` for `/a/b`, `.` for `b`, `/` for `/b`.
func folder(of path: String) -> String {
  var bytes = Array(path.utf8)
  let slash = UInt8(ascii: "/")
  while bytes.count > 1, bytes.last == slash { bytes.removeLast() }
  guard let position = bytes.lastIndex(of: slash) else { return "." }
  bytes.removeSubrange(max(position, 1)...)
  return String(decoding: bytes, as: UTF8.self)
}

/// The last component of a path.
func lastComponent(of path: String) -> String {
  String(path.split(separator: "/").last ?? "")
}

/// Reads a whole file.
///
/// - Throws: ``EvidenceError`` with the code `not-found`, `unreadable`, or `limit` when the file is
///   larger than `maxBytes`.
func readFile(_ path: String, maxBytes: Int) throws -> [UInt8] {
  do {
    let file = try OwnedDescriptor(opening: path, O_RDONLY | O_NOCTTY)
    var result: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 65_536)
    while true {
      let count = try retrying { read(file.number, &buffer, buffer.count) }
      if count == 0 { return result }
      result += buffer[..<count]
      guard result.count <= maxBytes else {
        throw EvidenceError(
          .limit, "'\(path)' is larger than \(maxBytes) bytes", context: ["path": path])
      }
    }
  } catch let failure as SystemFailure {
    let code: EvidenceError.Code = failure.number == ENOENT ? .notFound : .unreadable
    throw EvidenceError.system(code, "read", path: path, errno: failure.number)
  }
}

/// Writes a file under a temporary name in its folder and renames it into place.
func writeFileAtomically(_ bytes: [UInt8], to path: String) throws {
  do {
    var file = try TemporaryFile(beside: path)
    try writeAll(bytes, to: file.descriptor)
    try file.rename(to: path)
  } catch let failure {
    throw EvidenceError.system(.unwritable, "write", path: path, errno: failure.number)
  }
}

/// A new file with a fresh name in the folder of a path, to be renamed to the path when it is
/// complete; removed again when that does not happen.
struct TemporaryFile: ~Copyable {
  let descriptor: Int32
  let name: String
  private var isInPlace = false

  init(beside path: String) throws(SystemFailure) {
    while true {
      let name = "\(folder(of: path))/.carrel-\(getpid())-\(randomText(8)).tmp"
      do throws(SystemFailure) {
        let file = try OwnedDescriptor(opening: name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW)
        self.name = name
        descriptor = file.release()
        return
      } catch  where error.number == EEXIST {
        continue
      }
    }
  }

  deinit {
    close(descriptor)
    if !isInPlace { unlink(name) }
  }

  func status() throws(SystemFailure) -> stat {
    var result = stat()
    try retrying { fstat(descriptor, &result) }
    return result
  }

  mutating func rename(to path: String) throws(SystemFailure) {
    let name = name
    try retrying { Glibc.rename(name, path) }
    isInPlace = true
  }
}

/// Random lower-case hexadecimal digits.
func randomText(_ count: Int) -> String {
  let digits = Array("0123456789abcdef")
  return String((0..<count).map { _ in digits[Int.random(in: 0..<16)] })
}

extension stat {
  var kind: mode_t { st_mode & S_IFMT }
  var isFolder: Bool { kind == S_IFDIR }
  var isRegular: Bool { kind == S_IFREG }
  var identity: FileIdentity { FileIdentity(device: UInt64(st_dev), inode: UInt64(st_ino)) }
}

/// Tells files apart whatever their names are.
struct FileIdentity: Hashable, Sendable {
  var device: UInt64
  var inode: UInt64

  init(device: UInt64, inode: UInt64) {
    self.device = device
    self.inode = inode
  }

  /// The identity of what a path leads to; `nil` when there is nothing.
  init?(path: String) {
    var status = stat()
    guard stat(path, &status) == 0 else { return nil }
    self = status.identity
  }
}
