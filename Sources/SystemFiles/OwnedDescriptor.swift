package import Glibc

/// A file descriptor that is closed when it goes out of scope.
package struct OwnedDescriptor: ~Copyable {
  package let number: Int32

  package init(_ number: Int32) { self.number = number }

  deinit { close(number) }

  /// Gives up ownership: the caller closes the descriptor.
  package consuming func release() -> Int32 {
    let number = number
    discard self
    return number
  }
}

extension OwnedDescriptor {
  /// Opens a file; `mode` counts when the file is created.
  package init(
    opening path: String, _ flags: Int32, mode: mode_t = 0o644
  ) throws(SystemFailure) {
    self.init(try retrying { open(path, flags | O_CLOEXEC, mode) })
  }

  /// Opens a name below a folder.
  package init(
    at folder: Int32, _ name: some Sequence<UInt8>, _ flags: Int32, mode: mode_t = 0o644
  ) throws(SystemFailure) {
    self.init(
      try withPath(name) { (pointer) throws(SystemFailure) in
        try retrying { openat(folder, pointer, flags | O_CLOEXEC, mode) }
      })
  }

  package func status() throws(SystemFailure) -> stat {
    var result = stat()
    try retrying { fstat(number, &result) }
    return result
  }
}

/// Hands out a path with the zero byte at its end that system calls expect.
///
/// - Parameter bytes: The path; must hold no zero byte, which would end it early.
package func withPath<T: ~Copyable, E>(
  _ bytes: some Sequence<UInt8>, _ body: (UnsafePointer<CChar>) throws(E) -> T
) throws(E) -> T {
  var text = bytes.map { CChar(bitPattern: $0) }
  text.append(0)
  let buffer = UnsafeMutableBufferPointer<CChar>.allocate(capacity: text.count)
  defer { buffer.deallocate() }
  _ = buffer.initialize(from: text)
  guard let base = buffer.baseAddress else { preconditionFailure("the buffer is not empty") }
  return try body(UnsafePointer(base))
}

/// Writes all bytes to a descriptor, in one call when the system takes them in one; waits when the
/// descriptor is non-blocking and full.
package func writeAll(
  _ bytes: UnsafeRawBufferPointer, to descriptor: Int32
) throws(SystemFailure) {
  var rest = bytes
  while let base = rest.baseAddress, !rest.isEmpty {
    do throws(SystemFailure) {
      let count = try retrying { write(descriptor, base, rest.count) }
      guard count > 0 else { throw SystemFailure(EIO) }
      rest = UnsafeRawBufferPointer(rebasing: rest.dropFirst(count))
    } catch {
      guard error.number == EAGAIN else { throw error }
      var room = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
      poll(&room, 1, -1)
    }
  }
}

/// Writes all bytes to a descriptor.
package func writeAll(_ bytes: [UInt8], to descriptor: Int32) throws(SystemFailure) {
  var failure: SystemFailure?
  bytes.withUnsafeBytes { buffer in
    do throws(SystemFailure) { try writeAll(buffer, to: descriptor) } catch { failure = error }
  }
  if let failure { throw failure }
}
