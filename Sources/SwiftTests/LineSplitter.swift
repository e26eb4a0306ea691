/// Cuts a stream of bytes into lines.
struct LineSplitter: Sendable {
  /// Bytes of a line that has no end yet.
  private var rest: [UInt8] = []
  /// A line longer than this is dropped: no record is that long, a runaway writer is.
  static let limit = 64 << 20

  /// Calls the body with each whole line, without its line feed.
  mutating func feed(_ bytes: UnsafeRawBufferPointer, _ body: (UnsafeRawBufferPointer) -> Void) {
    var start = 0
    while start < bytes.count {
      let tail = UnsafeRawBufferPointer(rebasing: bytes[start...])
      guard let end = offset(of: 10, in: tail, from: 0) else {
        if rest.count + tail.count <= Self.limit { rest.append(contentsOf: tail) }
        return
      }
      if rest.isEmpty {
        body(UnsafeRawBufferPointer(rebasing: tail[..<end]))
      } else {
        rest.append(contentsOf: tail[..<end])
        rest.withUnsafeBytes { body($0) }
        rest.removeAll(keepingCapacity: rest.capacity < 1 << 20)
      }
      start += end + 1
    }
  }
}
