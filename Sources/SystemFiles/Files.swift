import Glibc

/// What reading a file does about links and about files that are none.
package enum FileReading: Sendable {
  /// What a link leads to is read, and whatever can be read.
  case anything
  /// Only a regular file is read, and no link is followed; for places that tests can write to.
  case regularFileOnly
}

/// Reads a whole file. Never waits for a writer of a FIFO.
///
/// - Throws: ``FileError`` with the code `not-found`, `unreadable`, or `limit` when the file is
///   larger than `maxBytes`.
package func readFile(
  _ path: String, maxBytes: Int, _ reading: FileReading = .anything
) throws(FileError) -> [UInt8] {
  do throws(SystemFailure) {
    var flags = O_RDONLY | O_NOCTTY | O_NONBLOCK
    if reading == .regularFileOnly { flags |= O_NOFOLLOW }
    let file = try OwnedDescriptor(opening: path, flags)
    if reading == .regularFileOnly, try !file.status().isRegular { throw SystemFailure(EINVAL) }
    if let bytes = try readAll(file.number, maxBytes: maxBytes) { return bytes }
  } catch {
    throw FileError(reading: path, error)
  }
  throw FileError(.limit, "'\(path)' is larger than \(maxBytes) bytes", path: path)
}

/// Reads to the end; `nil` when there is more than that.
private func readAll(_ descriptor: Int32, maxBytes: Int) throws(SystemFailure) -> [UInt8]? {
  var result: [UInt8] = []
  var buffer = [UInt8](repeating: 0, count: 16_384)
  while true {
    let count = try retrying { read(descriptor, &buffer, buffer.count) }
    if count == 0 { return result }
    guard count <= maxBytes - result.count else { return nil }
    result += buffer[..<count]
  }
}

/// Reads a file of at most 64 MiB whole, for example one under `/proc`; `nil` when it cannot be
/// read.
package func readSmallFile(_ path: String, _ reading: FileReading = .anything) -> [UInt8]? {
  try? readFile(path, maxBytes: 64 << 20, reading)
}

/// The last bytes of a file, and whether they are all of it; `nil` when it cannot be read.
package func readEnd(of path: String, bytes limit: Int) -> (bytes: [UInt8], isWhole: Bool)? {
  guard let file = try? OwnedDescriptor(opening: path, O_RDONLY) else { return nil }
  return readEnd(of: file.number, bytes: limit)
}

/// The last bytes of an open file, and whether they are all of it; `nil` when it cannot be read.
package func readEnd(
  of descriptor: Int32, bytes limit: Int
) -> (bytes: [UInt8], isWhole: Bool)? {
  do throws(SystemFailure) {
    let size = try retrying { lseek(descriptor, 0, SEEK_END) }
    try retrying { lseek(descriptor, max(0, size - limit), SEEK_SET) }
    var buffer = [UInt8](repeating: 0, count: limit)
    var count = 0
    while count < limit {
      let got = try retrying {
        buffer[count...].withUnsafeMutableBytes { read(descriptor, $0.baseAddress, $0.count) }
      }
      if got == 0 { break }
      count += got
    }
    return (Array(buffer[..<count]), size <= limit)
  } catch {
    return nil
  }
}

/// Writes a whole file, replacing what was there; not atomic.
///
/// - Throws: ``FileError`` with the code `unwritable`.
package func writeSmallFile(
  _ path: String, _ bytes: [UInt8], mode: UInt32 = 0o600
) throws(FileError) {
  do throws(SystemFailure) {
    let file = try OwnedDescriptor(
      opening: path, O_WRONLY | O_CREAT | O_TRUNC | O_NOCTTY, mode: mode)
    try writeAll(bytes, to: file.number)
  } catch {
    throw FileError(.unwritable, "write", path, error)
  }
}

/// Appends bytes to an open file, all or none: what was written in part is taken back.
///
/// - Throws: ``SystemFailure`` of write(2).
package func appendWhole(_ bytes: [UInt8], to descriptor: Int32) throws(SystemFailure) {
  let end = lseek(descriptor, 0, SEEK_END)
  do throws(SystemFailure) {
    try writeAll(bytes, to: descriptor)
  } catch {
    if end >= 0 { ftruncate(descriptor, end) }
    throw error
  }
}

/// Writes a file under a temporary name in its folder and renames it into place.
///
/// - Throws: ``FileError`` with the code `unwritable`.
package func writeFileAtomically(
  _ bytes: [UInt8], to path: String, mode: UInt32 = 0o644
) throws(FileError) {
  do throws(SystemFailure) {
    var file = try TemporaryFile(beside: path, mode: mode)
    try writeAll(bytes, to: file.descriptor)
    try file.rename(to: path)
  } catch {
    throw FileError(.unwritable, "write", path, error)
  }
}

/// Random lower-case hexadecimal digits.
package func randomText(_ count: Int) -> String {
  let digits = Array("0123456789abcdef")
  var text = ""
  while text.utf8.count < count {
    // A system call for each number, not for each digit.
    var number = UInt64.random(in: 0...UInt64.max)
    for _ in 0..<min(16, count - text.utf8.count) {
      text.append(digits[Int(number % 16)])
      number /= 16
    }
  }
  return text
}
