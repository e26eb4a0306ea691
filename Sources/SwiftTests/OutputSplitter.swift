import Glibc

/// Cuts an output stream at the markers that the observer writes at boundaries between tests.
///
/// A marker is a record separator (0x1E), 16 hexadecimal digits that are drawn anew for each batch,
/// 8 hexadecimal digits of the boundary's number, and a unit separator (0x1F). Bytes that only look
/// like the beginning of one are passed on.
struct OutputSplitter: Sendable {
  private let introduction: [UInt8]
  private let markerLength: Int
  /// A possible marker at the end of what was fed so far.
  private var held: [UInt8] = []
  /// Number of the last boundary that was seen.
  private(set) var sequence = 0

  init(nonce: String) {
    introduction = [0x1E] + Array(nonce.utf8)
    markerLength = introduction.count + 9
  }

  /// Calls the body with each piece of output and the number of the boundary before it.
  mutating func feed(
    _ bytes: UnsafeRawBufferPointer, _ body: (Int, UnsafeRawBufferPointer) -> Void
  ) {
    if held.isEmpty {
      let kept = split(bytes, body)
      held = Array(bytes[(bytes.count - kept)...])
    } else {
      let joined = held + bytes
      let kept = joined.withUnsafeBytes { split($0, body) }
      held = Array(joined.suffix(kept))
    }
  }

  /// Passes on what was held back, at the end of the stream.
  mutating func finish(_ body: (Int, UnsafeRawBufferPointer) -> Void) {
    guard !held.isEmpty else { return }
    held.withUnsafeBytes { body(sequence, $0) }
    held = []
  }

  /// - Returns: Number of bytes at the end that may be the beginning of a marker.
  private mutating func split(
    _ bytes: UnsafeRawBufferPointer, _ body: (Int, UnsafeRawBufferPointer) -> Void
  ) -> Int {
    var start = 0
    var position = 0
    func pass(upTo end: Int) {
      if end > start { body(sequence, UnsafeRawBufferPointer(rebasing: bytes[start..<end])) }
    }
    while let found = offset(of: 0x1E, in: bytes, from: position) {
      let rest = bytes[found...]
      if rest.count < markerLength {
        let known = min(rest.count, introduction.count)
        if rest.prefix(known).elementsEqual(introduction.prefix(known)) {
          pass(upTo: found)
          return rest.count
        }
      } else if rest.starts(with: introduction), rest[found + markerLength - 1] == 0x1F,
        let number = Int(
          String(decoding: rest[(found + introduction.count)...].prefix(8), as: UTF8.self),
          radix: 16)
      {
        pass(upTo: found)
        sequence = number
        position = found + markerLength
        start = position
        continue
      }
      position = found + 1
    }
    pass(upTo: bytes.count)
    return 0
  }
}

/// The offset of the first such byte at or after a position.
func offset(of byte: UInt8, in bytes: UnsafeRawBufferPointer, from position: Int) -> Int? {
  guard position < bytes.count, let base = bytes.baseAddress,
    let found = memchr(base + position, Int32(byte), bytes.count - position)
  else { return nil }
  return UnsafeRawPointer(found) - base
}
