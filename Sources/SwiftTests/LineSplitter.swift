/// Cuts a stream of bytes into lines.
struct LineSplitter: Sendable {
  /// A longer line is dropped: no record is that long, a runaway writer is.
  static let standardLimit = 64 << 20

  private let limit: Int
  /// Bytes of a line that has no end yet.
  private var rest: [UInt8] = []
  /// Whether the line that has no end yet is too long, and its bytes are gone.
  private var isTooLong = false

  init(limit: Int = standardLimit) { self.limit = limit }

  /// Whether there is a line without an end.
  var hasRest: Bool { isTooLong || !rest.isEmpty }

  /// Calls the body with each whole line, without its line feed; with `nil` for one that was too
  /// long.
  mutating func feed(_ bytes: UnsafeRawBufferPointer, _ body: (UnsafeRawBufferPointer?) -> Void) {
    var start = 0
    while start < bytes.count {
      let tail = UnsafeRawBufferPointer(rebasing: bytes[start...])
      guard let end = offset(of: 10, in: tail, from: 0) else {
        hold(tail)
        return
      }
      let piece = UnsafeRawBufferPointer(rebasing: tail[..<end])
      if hasRest {
        hold(piece)
        if isTooLong { body(nil) } else { rest.withUnsafeBytes { body($0) } }
        rest.removeAll(keepingCapacity: rest.capacity < 1 << 20)
        isTooLong = false
      } else {
        body(piece.count > limit ? nil : piece)
      }
      start += end + 1
    }
  }

  private mutating func hold(_ piece: UnsafeRawBufferPointer) {
    if isTooLong { return }
    if rest.count + piece.count > limit {
      isTooLong = true
      rest = []
    } else {
      rest.append(contentsOf: piece)
    }
  }
}
