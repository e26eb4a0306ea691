import Glibc
package import RunModel
import Synchronization
import SystemFiles

/// The log of one stream of one attempt: keeps the head and the tail of what a test writes.
///
/// The file holds the bytes as they came. When there are more than ``Limits/head`` +
/// ``Limits/tail``, the middle is replaced by a line with an ``OmissionMark``, preceded
/// by a newline when the head does not end with one. The head is on disk as soon as it is appended,
/// the tail after ``finish()``. Memory is bounded by the size of the tail; time is linear in the
/// number of bytes however they are cut into pieces.
package final class CappedLog: Sendable {
  /// How much is kept, in bytes.
  package struct Limits: Sendable {
    package var head: Int
    package var tail: Int

    package init(head: Int = 1 << 20, tail: Int = 1 << 20) {
      self.head = head
      self.tail = tail
    }
  }

  private struct State {
    /// −1 before the first byte, and after ``finish()``.
    var descriptor: Int32 = -1
    var total = 0
    /// Bytes of the head that are in the file.
    var written = 0
    var endsWithNewline = true
    var tail: TailBuffer
    var failure: SystemFailure?
    var isFinished = false
  }

  /// Path relative to the folder.
  package let path: String
  private let folder: String
  private let limits: Limits
  private let state: Mutex<State>

  /// - Parameters:
  ///   - folder: The run's folder.
  ///   - path: The file's path relative to it; its folder must exist.
  package init(folder: String, path: String, limits: Limits = Limits()) {
    self.folder = folder
    self.path = path
    self.limits = limits
    state = Mutex(State(tail: TailBuffer(capacity: limits.tail)))
  }

  deinit {
    state.withLock { if $0.descriptor >= 0 { close($0.descriptor) } }
  }

  /// Bytes that were appended so far.
  package var bytes: Int { state.withLock(\.total) }

  /// Takes the next bytes; never fails, so that a full disk does not stop the test. See
  /// ``finish()``.
  package func append(_ bytes: UnsafeRawBufferPointer) {
    guard !bytes.isEmpty else { return }
    state.withLock { state in
      state.total += bytes.count
      state.tail.append(bytes)
      let room = min(limits.head - state.written, bytes.count)
      guard room > 0, state.failure == nil, !state.isFinished else { return }
      do throws(SystemFailure) {
        if state.descriptor < 0 { state.descriptor = try create() }
        try writeAll(UnsafeRawBufferPointer(rebasing: bytes[..<room]), to: state.descriptor)
        state.written += room
        state.endsWithNewline = bytes[room - 1] == 10
      } catch {
        state.failure = error
      }
    }
  }

  /// Takes the next bytes.
  package func append(_ bytes: [UInt8]) {
    bytes.withUnsafeBytes { append($0) }
  }

  /// Writes the tail and closes the file; later bytes are ignored in the file.
  ///
  /// - Returns: What to refer to the log by; `nil` when nothing was appended, then there is no
  ///   file.
  /// - Throws: ``EvidenceError`` with the code `unwritable` when any byte that belongs into the
  ///   file could not be written; ``lastText(lines:bytes:)`` still works.
  package func finish() throws -> LogReference? {
    let result: Result<LogReference?, SystemFailure> = state.withLock { state in
      guard state.total > 0 else { return .success(nil) }
      let left = state.total - state.written
      let omitted = max(0, left - limits.tail)
      if !state.isFinished, state.failure == nil {
        do throws(SystemFailure) {
          if state.descriptor < 0 { state.descriptor = try create() }
          try writeEnd(&state, count: left - omitted, omitted: omitted)
        } catch {
          state.failure = error
        }
        if state.descriptor >= 0 { close(state.descriptor) }
        state.descriptor = -1
      }
      state.isFinished = true
      if let failure = state.failure { return .failure(failure) }
      return .success(LogReference(path: path, bytes: state.total, isTruncated: omitted > 0))
    }
    switch result {
    case .success(let reference): return reference
    case .failure(let failure):
      throw EvidenceError.system(
        .unwritable, "write", path: "\(folder)/\(path)", errno: failure.number)
    }
  }

  /// The end of the log for people: at most so many lines and bytes, invalid UTF-8 replaced.
  ///
  /// The first line starts in the middle when the byte limit cuts it. Control characters are kept.
  package func lastText(lines: Int, bytes: Int = 65_536) -> String {
    let end = state.withLock { $0.tail.last(bytes) }
    var start = end.count
    var newlines = end.last == 10 ? -1 : 0
    while start > 0 {
      if end[start - 1] == 10 {
        newlines += 1
        if newlines == lines { break }
      }
      start -= 1
    }
    if start == 0, end.count == bytes {
      // A cut inside a character leaves continuation bytes at the start.
      start = min(end.prefix { $0 & 0xC0 == 0x80 }.count, 3)
    }
    return String(decoding: end[start...], as: UTF8.self)
  }

  private func create() throws(SystemFailure) -> Int32 {
    try checkIsFolder(SystemFiles.folder(of: "\(folder)/\(path)"))
    let file = try OwnedDescriptor(
      opening: "\(folder)/\(path)", O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW)
    return file.release()
  }

  private func writeEnd(
    _ state: inout State, count: Int, omitted: Int
  ) throws(SystemFailure) {
    if omitted > 0 {
      let mark = (state.endsWithNewline ? "" : "\n") + OmissionMark.text(bytes: omitted) + "\n"
      try writeAll(Array(mark.utf8), to: state.descriptor)
    }
    try writeAll(state.tail.last(count), to: state.descriptor)
  }
}
