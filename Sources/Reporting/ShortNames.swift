package import RunModel

/// The shortest printed names that still tell the tests of a run or listing apart.
package struct ShortNames: Sendable {
  /// Names that more than one test has, in different products or libraries, or that look the same.
  private let ambiguous: Set<String>
  /// Those of them that look the same and have other bytes.
  private let lookalikes: Set<String>
  /// Bytes of a name from which its middle is left out.
  private let longest: Int

  /// - Parameters:
  ///   - others: Names that other tests have, which are not told.
  ///   - longest: Bytes of a name from which its middle is left out.
  package init(
    _ tests: some Sequence<TestID>, others: some Sequence<String> = [], longest: Int = .max
  ) {
    self.longest = longest
    var owners: [String: TestID] = [:]
    var ambiguous = Set(others)
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
    let name = fullName(of: test)
    guard name.utf8.count > longest else { return name }
    return "\(head(of: name, bytes: longest / 2))…\(plainTail(of: name, bytes: longest / 2))"
  }

  private func fullName(of test: TestID) -> String {
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
