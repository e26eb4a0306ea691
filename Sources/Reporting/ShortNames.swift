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

  /// The name of the test, or its full ID when another test has the same name.
  package func name(of test: TestID) -> String {
    ambiguous.contains(test.name) ? test.description : test.printableName
  }

  /// The name for a person's eyes: also free of marks that change the writing direction.
  func safeName(of test: TestID) -> String { terminalSafe(name(of: test)) }
}
