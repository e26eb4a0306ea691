package import RunModel

/// What an attempt says in words; of an event or a manifest.
protocol AttemptTexts: Encodable {
  var reason: String? { get set }
  var skip: Skip? { get set }
  var issues: [TestIssue] { get set }
  var cases: [TestCaseResult] { get set }
  var leaks: [LeakedProcess] { get set }
}

extension AttemptResult: AttemptTexts {}
extension BundleManifest: AttemptTexts {}

extension AttemptResult {
  /// The attempt with its texts and lists cut until its JSON fits into so many bytes; what is cut
  /// is marked. Unchanged when it fits.
  package func shortened(toBytes limit: Int) throws -> AttemptResult {
    try Shortening.fit(self, toBytes: limit).value
  }
}

/// How much of texts and lists is kept.
struct Shortening {
  /// Bytes of a text, without the mark.
  var limit: Int
  /// Items of a list.
  var items: Int

  /// Tried in this order until the value fits. At the last one, of whatever, there is less than a
  /// megabyte left.
  private static let steps = [
    Shortening(limit: 1 << 20, items: 100_000), Shortening(limit: 1 << 18, items: 30_000),
    Shortening(limit: 1 << 16, items: 10_000), Shortening(limit: 1 << 14, items: 3_000),
    Shortening(limit: 1 << 12, items: 1_000), Shortening(limit: 1 << 10, items: 300),
    Shortening(limit: 1 << 8, items: 100),
  ]

  /// - Returns: The value, shortened as little as it must be, with its JSON.
  /// - Throws: ``EvidenceError`` with the code `limit` when nothing helps.
  static func fit<T: AttemptTexts>(
    _ value: T, toBytes limit: Int, pretty: Bool = false
  ) throws -> (value: T, json: [UInt8]) {
    let json = try encodedJSON(value, pretty: pretty)
    if json.count <= limit { return (value, json) }
    for step in steps {
      let shorter = step.cut(value)
      let json = try encodedJSON(shorter, pretty: pretty)
      if json.count <= limit { return (shorter, json) }
    }
    throw EvidenceError(
      .limit, "what is known of the attempt does not fit into \(limit) bytes",
      context: ["limit": "\(limit)"])
  }

  private func cut<T: AttemptTexts>(_ value: T) -> T {
    var value = value
    if let reason = value.reason { value.reason = cut(reason) }
    if let reason = value.skip?.reason { value.skip?.reason = cut(reason) }
    var left: [String] = []
    func cutList<Item>(_ list: inout [Item], _ name: String, _ body: (inout Item) -> Void) {
      if list.count > items {
        left.append("\(list.count - items) \(name)")
        list.removeSubrange(items...)
      }
      for index in list.indices { body(&list[index]) }
    }
    cutList(&value.cases, "cases") { $0.name = cut($0.name) }
    cutList(&value.leaks, "processes") { $0.command = cut($0.command) }
    keepFailure(&value.issues)
    cutList(&value.issues, "issues") { issue in
      issue.message = cut(issue.message)
      issue.caseName = issue.caseName.map(cut)
      if let file = issue.location?.file { issue.location?.file = cut(file) }
    }
    if var manifest = value as? BundleManifest {
      cutList(&manifest.predecessors, "tests that ran before") { _ in }
      if let manifest = manifest as? T { value = manifest }
    }
    if !left.isEmpty {
      value.issues.append(
        TestIssue(
          message: OmissionMark.text(left.joined(separator: ", ")), severity: .warning))
    }
    return value
  }

  /// Puts the first failure where it is not cut off, for it is what a person reads first.
  private func keepFailure(_ issues: inout [TestIssue]) {
    guard issues.count > items, let first = issues.firstIndex(where: \.isFailure), first >= items
    else { return }
    issues.swapAt(first, items - 1)
  }

  /// The beginning and the end of a text that is too long.
  private func cut(_ text: String) -> String {
    let bytes = Array(text.utf8)
    guard bytes.count > limit else { return text }
    var head = limit * 3 / 4
    var tail = bytes.count - limit / 4
    while head > 0, bytes[head] & 0xC0 == 0x80 { head -= 1 }
    while tail < bytes.count, bytes[tail] & 0xC0 == 0x80 { tail += 1 }
    return String(decoding: bytes[..<head], as: UTF8.self)
      + "\n\(OmissionMark.text(bytes: tail - head))\n"
      + String(decoding: bytes[tail...], as: UTF8.self)
  }
}
