import Glibc

/// The system's text for an error number.
package func errorText(_ number: Int32) -> String {
  String(cString: strerror(number))
}

/// Reads a small file whole, for example one under `/proc`; `nil` when it cannot be read.
package func readSmallFile(_ path: String) -> [UInt8]? {
  let descriptor = open(path, O_RDONLY | O_CLOEXEC)
  guard descriptor >= 0 else { return nil }
  defer { close(descriptor) }
  var result: [UInt8] = []
  var buffer = [UInt8](repeating: 0, count: 16384)
  while true {
    let count = read(descriptor, &buffer, buffer.count)
    if count < 0 && errno == EINTR { continue }
    if count < 0 { return nil }
    if count == 0 { return result }
    result.append(contentsOf: buffer[..<count])
  }
}

/// Writes a whole file, replacing what was there; not atomic.
///
/// - Throws: ``WorkersError`` with code `system`.
package func writeSmallFile(
  _ path: String, _ bytes: [UInt8], mode: UInt32 = 0o600
) throws(WorkersError) {
  let descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, mode)
  guard descriptor >= 0 else {
    throw WorkersError(.system, "cannot write \(path)", errorNumber: errno)
  }
  defer { close(descriptor) }
  var done = 0
  while done < bytes.count {
    let count = bytes[done...].withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
    if count < 0 && errno == EINTR { continue }
    guard count > 0 else {
      throw WorkersError(.system, "cannot write \(path)", errorNumber: errno)
    }
    done += count
  }
}

/// Seconds of the monotonic clock.
package func monotonicSeconds() -> Double {
  var time = timespec()
  clock_gettime(CLOCK_MONOTONIC, &time)
  return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
}

/// Seconds since 1970.
package func wallClockSeconds() -> Double {
  var time = timespec()
  clock_gettime(CLOCK_REALTIME, &time)
  return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
}

/// Processor time that this process has used so far, in seconds, without its children's.
package func processorSeconds() -> Double {
  var time = timespec()
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
  return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
}

/// Removes a file or a whole tree without following links; makes folders writable where needed.
///
/// - Returns: Whether nothing is left.
@discardableResult
package func removeTree(_ path: String) -> Bool {
  let slash = path.lastIndex(of: "/")
  let parent = slash.map { $0 == path.startIndex ? "/" : String(path[..<$0]) } ?? "."
  let name = slash.map { String(path[path.index(after: $0)...]) } ?? path
  let descriptor = open(parent, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
  guard descriptor >= 0 else { return errno == ENOENT }
  defer { close(descriptor) }
  return name.withCString { removeEntry($0, in: descriptor) }
}

/// Removes one entry of an open folder. Works relative to descriptors, so that depth and path length
/// do not matter.
private func removeEntry(_ name: UnsafePointer<CChar>, in folder: Int32) -> Bool {
  if unlinkat(folder, name, 0) == 0 || errno == ENOENT { return true }
  guard errno == EISDIR || errno == EPERM || errno == EACCES else { return false }
  if unlinkat(folder, name, AT_REMOVEDIR) == 0 { return true }
  if errno == EACCES || errno == EPERM { _ = fchmod(folder, 0o700) }
  let flags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC
  var descriptor = openat(folder, name, flags)
  if descriptor < 0 && errno == EACCES {
    _ = fchmodat(folder, name, 0o700, 0)
    descriptor = openat(folder, name, flags)
  }
  guard descriptor >= 0 else { return unlinkat(folder, name, 0) == 0 }
  guard let stream = fdopendir(descriptor) else {
    close(descriptor)
    return false
  }
  _ = fchmod(descriptor, 0o700)
  while let entry = readdir(stream) {
    withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
      guard let child = bytes.baseAddress?.assumingMemoryBound(to: CChar.self) else { return }
      if strcmp(child, ".") != 0 && strcmp(child, "..") != 0 {
        _ = removeEntry(child, in: dirfd(stream))
      }
    }
  }
  closedir(stream)
  return unlinkat(folder, name, AT_REMOVEDIR) == 0
}

/// Makes a folder and those above it.
///
/// - Throws: ``WorkersError`` with code `system`.
package func makeFolders(_ path: String, mode: UInt32 = 0o755) throws(WorkersError) {
  if mkdir(path, mode) == 0 || errno == EEXIST { return }
  guard errno == ENOENT, let slash = path.lastIndex(of: "/"), slash != path.startIndex else {
    throw WorkersError(.system, "cannot make the folder \(path)", errorNumber: errno)
  }
  try makeFolders(String(path[..<slash]), mode: mode)
  guard mkdir(path, mode) == 0 || errno == EEXIST else {
    throw WorkersError(.system, "cannot make the folder \(path)", errorNumber: errno)
  }
}
