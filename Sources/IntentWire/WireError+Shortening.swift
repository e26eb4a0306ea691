extension WireError {
  /// Bytes of a text of an error that are sent.
  public static let maximumText = 128 << 10
  /// Bytes of a name of an error that are sent: its domain, its case, its parameter.
  public static let maximumName = 4 << 10

  /// The error with texts of a bounded length, so that it fits into a message however its texts
  /// have to be escaped. Of a text the first and the last half are kept; queries that do not fit
  /// are left out.
  public var shortened: WireError {
    var error = self
    error.message = message.shortened(to: Self.maximumText)
    error.log = log?.shortened(to: Self.maximumText)
    error.parameter = parameter?.shortened(to: Self.maximumName)
    if let origin {
      error.origin = Origin(
        domain: origin.domain.shortened(to: Self.maximumName), code: origin.code,
        caseName: origin.caseName?.shortened(to: Self.maximumName),
        localizedDescription: origin.localizedDescription.shortened(to: Self.maximumText),
        debugDescription: origin.debugDescription.shortened(to: Self.maximumText))
    }
    if let queries, queries.bytes.count > Self.maximumQueries { error.queries = nil }
    return error
  }

  private static let maximumQueries = 4 << 20
}

extension String {
  /// The beginning and the end of a text that has more bytes than a limit, with a mark between them
  /// that says how many are left out.
  package func shortened(to limit: Int) -> String {
    let bytes = utf8
    guard bytes.count > limit else { return self }
    // The mark fits into the limit, so that what was shortened is not shortened again.
    let half = max(0, limit / 2 - 24)
    var head = bytes.index(bytes.startIndex, offsetBy: half)
    while UTF8.isContinuation(bytes[head]) { head = bytes.index(before: head) }
    var tail = bytes.index(bytes.endIndex, offsetBy: -half)
    while tail < bytes.endIndex, UTF8.isContinuation(bytes[tail]) {
      tail = bytes.index(after: tail)
    }
    let omitted = bytes.distance(from: head, to: tail)
    return "\(self[..<head])[carrel: \(omitted) bytes left out here]\(self[tail...])"
  }
}
