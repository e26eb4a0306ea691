package import Glibc

/// The names in an open folder in the order the file system gives them, without `.` and `..`.
package func listFolder(_ descriptor: Int32) throws(SystemFailure) -> [[UInt8]] {
  // A descriptor of its own, because closing the stream closes it, and its position is shared.
  let copy = try retrying { openat(descriptor, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC) }
  guard let stream = fdopendir(copy) else {
    let number = errno
    close(copy)
    throw SystemFailure(number)
  }
  defer { closedir(stream) }
  let nameOffset = MemoryLayout<dirent>.offset(of: \.d_name) ?? 19
  var names: [[UInt8]] = []
  while true {
    errno = 0
    guard let entry = readdir(stream) else {
      if errno != 0 { throw SystemFailure(errno) }
      return names
    }
    let start = UnsafeRawPointer(entry) + nameOffset
    let length = strlen(start.assumingMemoryBound(to: CChar.self))
    let name = [UInt8](UnsafeRawBufferPointer(start: start, count: length))
    if name != [46] && name != [46, 46] { names.append(name) }
  }
}

/// Names in a folder, without `.` and `..`, in no order; `nil` when it cannot be read.
package func folderEntries(_ path: String) -> [String]? {
  guard let folder = try? OwnedDescriptor(opening: path, O_RDONLY | O_DIRECTORY),
    let names = try? listFolder(folder.number)
  else { return nil }
  return names.map { String(decoding: $0, as: UTF8.self) }
}

/// What lies under a name in a folder; a link itself, not what it leads to.
package func status(of name: [UInt8], in folder: Int32) throws(SystemFailure) -> stat {
  var result = stat()
  try withPath(name) { (pointer) throws(SystemFailure) in
    _ = try retrying { fstatat(folder, pointer, &result, AT_SYMLINK_NOFOLLOW) }
  }
  return result
}

/// The bytes of a link's target.
package func linkTarget(of name: [UInt8], in folder: Int32) throws(SystemFailure) -> [UInt8] {
  var buffer = [CChar](repeating: 0, count: 65_536)
  let count = try withPath(name) { (pointer) throws(SystemFailure) in
    try retrying { readlinkat(folder, pointer, &buffer, buffer.count) }
  }
  return buffer[..<count].map { UInt8(bitPattern: $0) }
}

/// Makes a folder and those above it that are missing.
///
/// - Throws: ``FileError`` with the code `unwritable`, also when something else has the name.
package func makeFolders(_ path: String, mode: mode_t = 0o777) throws(FileError) {
  if mkdir(path, mode) == 0 { return }
  switch errno {
  case EEXIST:
    var status = stat()
    if stat(path, &status) == 0, status.isFolder { return }
    throw FileError(.unwritable, "make the folder", path, SystemFailure(ENOTDIR))
  case ENOENT where folder(of: path) != path:
    try makeFolders(folder(of: path), mode: mode)
    if mkdir(path, mode) == 0 || errno == EEXIST { return }
    throw FileError(.unwritable, "make the folder", path, SystemFailure(errno))
  case let number:
    throw FileError(.unwritable, "make the folder", path, SystemFailure(number))
  }
}

/// Refuses a path that leads to no folder, or through a link to one: whoever put it there wants
/// something written elsewhere.
package func checkIsFolder(_ path: String) throws(SystemFailure) {
  var status = stat()
  try retrying { lstat(path, &status) }
  guard status.isFolder else { throw SystemFailure(status.kind == S_IFLNK ? ELOOP : ENOTDIR) }
}

/// The part of a path before its last component: `/a` for `/a/b`, `.` for `b`, `/` for `/b`.
package func folder(of path: String) -> String {
  var bytes = Array(path.utf8)
  let slash = UInt8(ascii: "/")
  while bytes.count > 1, bytes.last == slash { bytes.removeLast() }
  guard let position = bytes.lastIndex(of: slash) else { return "." }
  bytes.removeSubrange(max(position, 1)...)
  return String(decoding: bytes, as: UTF8.self)
}

/// The last component of a path.
package func lastComponent(of path: String) -> String {
  String(path.split(separator: "/").last ?? "")
}

/// The absolute path without links and `..` of what a path leads to; `nil` when there is nothing.
package func existingPath(_ path: String) -> String? {
  guard let pointer = realpath(path, nil) else { return nil }
  defer { free(pointer) }
  return String(cString: pointer)
}

/// A path without links and `..`, as far as it exists; what does not exist yet is taken as it is
/// written.
///
/// - Returns: `nil` when nobody can say where it leads: through a link to nothing, in a circle, or
///   behind a folder that may not be searched.
package func resolvedPath(_ path: String) -> String? {
  var existing = path
  var rest: [String] = []
  while true {
    if let found = existingPath(existing) {
      var components = found.split(separator: "/").map { String($0) }
      for name in rest.reversed() {
        if name == ".." { _ = components.popLast() } else if name != "." { components.append(name) }
      }
      return "/" + components.joined(separator: "/")
    }
    let number = errno
    var status = stat()
    guard number == ENOENT || number == ENOTDIR, lstat(existing, &status) != 0,
      folder(of: existing) != existing
    else { return nil }
    rest.append(lastComponent(of: existing))
    existing = folder(of: existing)
  }
}
