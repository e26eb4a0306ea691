import Glibc

/// The reason that the system gave for refusing a call.
package struct SystemFailure: Error, Hashable, Sendable, CustomStringConvertible {
  /// The number, for example `ENOSPC`; see errno(3).
  package var number: Int32

  package init(_ number: Int32) { self.number = number }

  /// The system's sentence, for example `No space left on device`.
  package var description: String {
    strerror(number).map { String(cString: $0) } ?? "error \(number)"
  }
}

/// Repeats a system call while a signal interrupts it; returns its result or throws the reason.
@discardableResult
func retrying<T: BinaryInteger>(_ call: () -> T) throws(SystemFailure) -> T {
  while true {
    let result = call()
    if result != -1 { return result }
    let number = errno
    if number != EINTR { throw SystemFailure(number) }
  }
}

/// A file descriptor that is closed when it goes out of scope.
struct OwnedDescriptor: ~Copyable {
  let number: Int32

  init(_ number: Int32) { self.number = number }

  deinit { close(number) }

  /// Gives up ownership: the caller closes the descriptor.
  consuming func release() -> Int32 {
    let number = number
    discard self
    return number
  }
}

extension OwnedDescriptor {
  /// Opens a file; `mode` counts when the file is created.
  init(opening path: String, _ flags: Int32, mode: mode_t = 0o644) throws(SystemFailure) {
    self.init(try retrying { open(path, flags | O_CLOEXEC, mode) })
  }

  /// Opens a name below a folder.
  init(
    at folder: Int32, _ name: some Sequence<UInt8>, _ flags: Int32, mode: mode_t = 0o644
  ) throws(SystemFailure) {
    self.init(
      try withPath(name) { (pointer) throws(SystemFailure) in
        try retrying { openat(folder, pointer, flags | O_CLOEXEC, mode) }
      })
  }

  func status() throws(SystemFailure) -> stat {
    var result = stat()
    try retrying { fstat(number, &result) }
    return result
  }
}

/// Hands out a path with the zero byte at its end that system calls expect.
///
/// - Parameter bytes: The path; must hold no zero byte, which would end it early.
func withPath<T: ~Copyable, E>(
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

/// Writes all bytes to a descriptor, in one call when the system takes them in one.
func writeAll(_ bytes: UnsafeRawBufferPointer, to descriptor: Int32) throws(SystemFailure) {
  var rest = bytes
  while let base = rest.baseAddress, !rest.isEmpty {
    let count = try retrying { write(descriptor, base, rest.count) }
    rest = UnsafeRawBufferPointer(rebasing: rest.dropFirst(count))
  }
}

/// Writes all bytes to a descriptor.
func writeAll(_ bytes: [UInt8], to descriptor: Int32) throws(SystemFailure) {
  var failure: SystemFailure?
  bytes.withUnsafeBytes { buffer in
    do throws(SystemFailure) { try writeAll(buffer, to: descriptor) } catch { failure = error }
  }
  if let failure { throw failure }
}
