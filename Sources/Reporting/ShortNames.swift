package import RunModel

/// The shortest printed names that still tell the tests of a run or listing apart.
package struct ShortNames: Sendable {
  /// Names that more than one test has, in different products or libraries.
  private let ambiguous: Set<String>

  package init(_ tests: some Sequence<TestID>) {
    var owners: [String: TestID] = [:]
    var ambiguous: Set<String> = []
    for test in tests {
      let owner = owners.updateValue(test, forKey: test.name)
      if let owner, owner != test { ambiguous.insert(test.name) }
    }
    self.ambiguous = ambiguous
  }

  /// The printed name of the test, or its full ID when another test has the same name.
  ///
  /// Nothing in it drives a terminal or hides text; see ``TestID/visible``.
  package func name(of test: TestID) -> String {
    ambiguous.contains(test.name) ? test.visible : percentEscapingHidden(test.printableName)
  }
}

extension TestID {
  /// The printed form with each further hidden character written as `%XX`; it parses back to the ID.
  var visible: String { percentEscapingHidden(description) }
}

/// Writes the bytes of hidden characters as `%XX`, in a text where a percent sign is `%25` already.
private func percentEscapingHidden(_ text: String) -> String {
  replacingHidden(in: text) { value, _, bytes in
    for byte in Unicode.Scalar(value).flatMap({ UTF8.encode($0) }) ?? .init() {
      let digits = String(byte, radix: 16, uppercase: true)
      bytes.append(contentsOf: "%\(byte < 16 ? "0" : "")\(digits)".utf8)
    }
  }
}
