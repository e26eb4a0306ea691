import Glibc

/// The names in an open folder in the order the file system gives them, without `.` and `..`.
func listFolder(_ descriptor: Int32) throws(SystemFailure) -> [[UInt8]] {
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

/// What lies under a name in a folder; a link itself, not what it leads to.
func status(of name: [UInt8], in folder: Int32) throws(SystemFailure) -> stat {
  var result = stat()
  try withPath(name) { (pointer) throws(SystemFailure) in
    _ = try retrying { fstatat(folder, pointer, &result, AT_SYMLINK_NOFOLLOW) }
  }
  return result
}

/// The target of a link.
func linkTarget(of name: [UInt8], in folder: Int32) throws(SystemFailure) -> ByteName {
  var buffer = [CChar](repeating: 0, count: 65_536)
  let count = try withPath(name) { (pointer) throws(SystemFailure) in
    try retrying { readlinkat(folder, pointer, &buffer, buffer.count) }
  }
  return ByteName(bytes: buffer[..<count].map { UInt8(bitPattern: $0) })
}

extension stat {
  var modified: Timestamp {
    Timestamp(seconds: st_mtim.tv_sec, nanoseconds: st_mtim.tv_nsec)
  }

  /// Permission bits with set-user-ID, set-group-ID and the sticky bit.
  var permissions: UInt16 { UInt16(st_mode & 0o7777) }
}
