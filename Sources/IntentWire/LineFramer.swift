/// Cuts a stream of bytes into lines, with a bound on their length.
public struct LineFramer: Sendable {
  private var pending: [UInt8] = []
  private var isSkipping = false
  /// Bytes of a line without its newline; a new one counts from the next bytes on.
  public var limit: Int

  public init(limit: Int = WireMessage.maximumLength) { self.limit = limit }

  /// Whether a line has begun and not ended.
  public var isInsideLine: Bool { isSkipping || !pending.isEmpty }

  /// Bytes that are kept of a line that has not ended.
  public var pendingCount: Int { pending.count }

  /// Takes the next bytes.
  ///
  /// - Parameter onLine: Called for each line that ended, without its newline; with `nil` as soon
  ///   as one is longer than the limit, of which nothing is kept.
  public mutating func feed(
    _ bytes: UnsafeRawBufferPointer, onLine: (UnsafeRawBufferPointer?) -> Void
  ) {
    var rest = bytes
    while let newline = rest.firstIndex(of: 0x0A) {
      let part = UnsafeRawBufferPointer(rebasing: rest[rest.startIndex..<newline])
      if isSkipping {
        // Told when it became too long.
      } else if pending.count + part.count > limit {
        onLine(nil)
      } else if pending.isEmpty {
        onLine(part)
      } else {
        pending += part
        pending.withUnsafeBytes { onLine($0) }
      }
      pending = []
      isSkipping = false
      rest = UnsafeRawBufferPointer(rebasing: rest[(newline + 1)...])
    }
    guard !isSkipping, !rest.isEmpty else { return }
    if pending.count + rest.count > limit {
      pending = []
      isSkipping = true
      onLine(nil)
    } else {
      pending += rest
    }
  }
}
