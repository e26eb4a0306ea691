import Glibc

/// Output that waits in a file without a name, first in, first out.
///
/// Not for several threads at once. Each piece is its descriptor and its length, as two native
/// 64-bit numbers, and its bytes.
final class OutputBacklog {
  private var file: Int32 = -1
  private var start = 0
  private var end = 0
  private static let headerSize = 16

  var isEmpty: Bool { start == end }

  deinit { if file >= 0 { close(file) } }

  /// - Returns: Whether there was room for the piece.
  func append(_ piece: OutputQueue.Piece) -> Bool {
    if file < 0 { file = Self.open() }
    guard file >= 0 else { return false }
    var record: [UInt8] = []
    for number in [Int(piece.descriptor), piece.bytes.count] {
      withUnsafeBytes(of: number) { record.append(contentsOf: $0) }
    }
    record += piece.bytes
    var done = 0
    while done < record.count {
      let count = record[done...].withUnsafeBytes {
        pwrite(file, $0.baseAddress, $0.count, off_t(end + done))
      }
      if count < 0 && errno == EINTR { continue }
      guard count > 0 else { return false }
      done += count
    }
    end += record.count
    return true
  }

  /// Takes pieces of about so many bytes, at least one if there is any.
  func take(_ limit: Int) -> [OutputQueue.Piece] {
    var pieces: [OutputQueue.Piece] = []
    var size = 0
    while !isEmpty, pieces.isEmpty || size < limit {
      guard let header = read(Self.headerSize, at: start) else { break }
      let numbers = header.withUnsafeBytes { bytes in
        [0, 8].map { bytes.loadUnaligned(fromByteOffset: $0, as: Int.self) }
      }
      guard let bytes = read(numbers[1], at: start + Self.headerSize) else { break }
      pieces.append(OutputQueue.Piece(descriptor: Int32(numbers[0]), bytes: bytes))
      start += Self.headerSize + bytes.count
      size += bytes.count
    }
    if isEmpty || pieces.isEmpty {
      // Nothing is left, or what is left cannot be read again.
      (start, end) = (0, 0)
      ftruncate(file, 0)
    }
    return pieces
  }

  private func read(_ size: Int, at offset: Int) -> [UInt8]? {
    var bytes = [UInt8](repeating: 0, count: size)
    var done = 0
    while done < size {
      let count = bytes[done...].withUnsafeMutableBytes {
        pread(file, $0.baseAddress, $0.count, off_t(offset + done))
      }
      if count < 0 && errno == EINTR { continue }
      guard count > 0 else { return nil }
      done += count
    }
    return bytes
  }

  private static func open() -> Int32 {
    var name = Array("/tmp/carrel-output-XXXXXX".utf8CString)
    let file = mkstemp(&name)
    guard file >= 0 else { return file }
    unlink(name)
    _ = fcntl(file, F_SETFD, FD_CLOEXEC)
    return file
  }
}
