package import RunModel

/// The shortest printed names that still tell the tests of a run or listing apart.
package struct ShortNames: Sendable {
  /// Names that more than one test has, in different products or libraries, or that look the same.
  private let ambiguous: Set<String>
  /// Those of them that look the same and have other bytes.
  private let lookalikes: Set<String>

  package init(_ tests: some Sequence<TestID>) {
    var owners: [String: TestID] = [:]
    var ambiguous: Set<String> = []
    var lookalikes: Set<String> = []
    for test in tests {
      guard let owner = owners.updateValue(test, forKey: test.name), owner != test else { continue }
      ambiguous.insert(test.name)
      if ExactText(owner.name) != ExactText(test.name) { lookalikes.insert(test.name) }
    }
    self.ambiguous = ambiguous
    self.lookalikes = lookalikes
  }

  /// The printed name of the test, or its full ID when another test has the same name; in it bytes
  /// beyond ASCII are `%XX` when only they tell the two apart.
  ///
  /// Nothing in it drives a terminal or hides text; see ``TestID/printableName``.
  package func name(of test: TestID) -> String {
    guard ambiguous.contains(test.name) else { return test.printableName }
    return lookalikes.contains(test.name) ? test.asciiForm : test.description
  }
}

extension TestID {
  /// The printed form with each byte beyond ASCII written as `%XX`; it parses back to the ID.
  fileprivate var asciiForm: String {
    var bytes: [UInt8] = []
    for byte in description.utf8 {
      if byte < 0x80 { bytes.append(byte) } else { appendEscape(byte, to: &bytes) }
    }
    return String(decoding: bytes, as: UTF8.self)
  }
}

private func appendEscape(_ byte: UInt8, to bytes: inout [UInt8]) {
  let digits = String(byte, radix: 16, uppercase: true)
  bytes.append(contentsOf: "%\(byte < 16 ? "0" : "")\(digits)".utf8)
}
