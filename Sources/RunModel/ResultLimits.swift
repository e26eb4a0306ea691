/// How much of what a test says is kept in the result of an attempt; see docs/limits.md.
///
/// With them the longest line of an event log and the longest manifest of a bundle are known: JSON
/// takes at most six bytes for one of text, so a result stays below what readers take.
package struct ResultLimits: Sendable, Hashable {
  /// Bytes of a message or a reason; the first and the last half are kept.
  package var messageBytes = 128 << 10
  /// Bytes of the name of a case, a path or a command line; the first and the last half are kept.
  package var nameBytes = 4 << 10
  /// Issues; the first are kept, and the first failure whatever came before it.
  package var issues = 1000
  /// Bytes of all issues together.
  package var issueBytes = 1 << 20
  /// Cases of a parameterized test; the first are kept, and as many again that did not succeed.
  package var cases = 1000
  /// Bytes of all names of cases together, and again for cases that did not succeed.
  package var caseBytes = 256 << 10
  /// Processes left behind; the first are kept.
  package var leaks = 1000
  /// Bytes of all command lines together.
  package var leakBytes = 128 << 10
  /// Tags of a test; the first are kept.
  package var tags = 100
  /// Bytes of the names of the tests that ran before, in a bundle; the nearest are kept.
  package var predecessorBytes = 1 << 20

  package init() {}

  package static let standard = ResultLimits()

  /// The last of the tests that ran before another, as many as a bundle names.
  package func nearest(_ predecessors: ArraySlice<TestID>) -> [TestID] {
    var bytes = 0
    let kept = predecessors.reversed().prefix {
      bytes += $0.product.utf8.count + $0.name.utf8.count
      return bytes <= predecessorBytes
    }
    return kept.reversed()
  }
}

/// What the limits left out of a result.
package struct OmittedCounts: Codable, Hashable, Sendable {
  package var issues: Int
  package var cases: Int
  /// Those of ``cases`` that did not succeed.
  package var failedCases: Int
  package var leaks: Int

  package init(issues: Int = 0, cases: Int = 0, failedCases: Int = 0, leaks: Int = 0) {
    self.issues = issues
    self.cases = cases
    self.failedCases = failedCases
    self.leaks = leaks
  }

  package var isEmpty: Bool { self == OmittedCounts() }
}

extension String {
  /// The text as a message: within ``ResultLimits/messageBytes``, the mark on a line of its own.
  package var limitedMessage: String {
    keepingEnds(bytes: ResultLimits.standard.messageBytes, lineEnd: "\n")
  }

  /// The text as a name: within ``ResultLimits/nameBytes``, on as many lines as before.
  package var limitedName: String {
    keepingEnds(bytes: ResultLimits.standard.nameBytes, lineEnd: "")
  }

  /// The beginning and the end of a text that has more bytes than the limit, and between them the
  /// ``OmissionMark``; with it the text is within the limit.
  ///
  /// - Parameter limit: At least 128.
  private func keepingEnds(bytes limit: Int, lineEnd: String) -> String {
    let all = utf8
    guard all.count > limit else { return self }
    let half = (limit - 64) / 2
    var head = all.index(all.startIndex, offsetBy: half)
    while head > all.startIndex, all[head] & 0xC0 == 0x80 { head = all.index(before: head) }
    var tail = all.index(all.endIndex, offsetBy: -half)
    while tail < all.endIndex, all[tail] & 0xC0 == 0x80 { tail = all.index(after: tail) }
    let middle = self[head..<tail].utf8
    // What was left out of the middle before counts as well; its marks go.
    let omitted = middle.count + OmissionMark.omittedBytes(in: middle)
    return self[..<head] + lineEnd + OmissionMark.text(bytes: omitted) + lineEnd + self[tail...]
  }
}
