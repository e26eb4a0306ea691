package import RunModel

/// Selects tests of a listing by regular expressions and exact names.
///
/// A test is selected when an include pattern matches or an exact ID names it (every test when
/// there are neither), unless a skip pattern matches. A pattern matches a test when it is found
/// anywhere in its name, its library ID or its printed ID; case matters.
package struct TestFilter: Hashable, Sendable {
  /// Regular expressions in Swift's syntax.
  package let include: [String]
  /// Regular expressions in Swift's syntax.
  package let skip: [String]
  /// Printed IDs, or names that only one test of the listing has.
  package let ids: [String]

  /// - Throws: ``OrchestrationError`` that quotes the first text that is no regular expression.
  package init(include: [String] = [], skip: [String] = [], ids: [String] = [])
    throws(OrchestrationError)
  {
    self.include = include
    self.skip = skip
    self.ids = ids
    for text in include { _ = try TestPattern(text, isSkip: false) }
    for text in skip { _ = try TestPattern(text, isSkip: true) }
  }

  /// Selects tests, in the order of the listing.
  ///
  /// - Throws: ``OrchestrationError`` for an exact ID that names no test, or several.
  package func select(from listing: [TestDescriptor]) throws(OrchestrationError) -> TestSelection {
    var includes: [TestPattern] = []
    var skips: [TestPattern] = []
    for text in include { includes.append(try TestPattern(text, isSkip: false)) }
    for text in skip { skips.append(try TestPattern(text, isSkip: true)) }
    let named = try positions(ofIDsIn: listing)

    var matched = Array(repeating: false, count: includes.count)
    var skipMatched = Array(repeating: false, count: skips.count)
    var selected: [TestDescriptor] = []
    var skipped = 0
    let takesAll = includes.isEmpty && ids.isEmpty
    for (position, test) in listing.enumerated() {
      let subject = TestPattern.Subject(test)
      var isWanted = takesAll || named.contains(position)
      for index in includes.indices where !isWanted || !matched[index] {
        if includes[index].matches(subject) {
          isWanted = true
          matched[index] = true
        }
      }
      var isSkipped = false
      for index in skips.indices where !skipMatched[index] || (isWanted && !isSkipped) {
        if skips[index].matches(subject) {
          isSkipped = true
          skipMatched[index] = true
        }
      }
      guard isWanted else { continue }
      if isSkipped {
        skipped += 1
      } else {
        selected.append(test)
      }
    }

    let unmatched = include.indices.filter { !matched[$0] }.map { include[$0] }
    let unmatchedSkips = skip.indices.filter { !skipMatched[$0] }.map { skip[$0] }
    let isAllMatched = unmatched.isEmpty && unmatchedSkips.isEmpty
    let names = NearestNames(isAllMatched ? [] : listing)
    func quoted(_ pattern: String) -> TestSelection.UnmatchedPattern {
      TestSelection.UnmatchedPattern(pattern: pattern, nearest: names.nearest(to: pattern))
    }
    return TestSelection(
      tests: selected, listed: listing.count, skipped: skipped, unmatched: unmatched.map(quoted),
      unmatchedSkips: unmatchedSkips.map(quoted))
  }

  private func positions(ofIDsIn listing: [TestDescriptor]) throws(OrchestrationError) -> Set<Int> {
    guard !ids.isEmpty else { return [] }
    func names(of test: TestDescriptor) -> [ExactText] {
      [test.id.name, test.id.printableName, test.libraryID].map { ExactText($0) }
    }
    var byID: [TestID: Int] = [:]
    var byName: [String: [Int]] = [:]
    for (position, test) in listing.enumerated() where byID[test.id] == nil {
      byID[test.id] = position
      for name in Set(names(of: test).map(\.text)) {
        byName[name, default: []].append(position)
      }
    }
    var found: Set<Int> = []
    for text in ids {
      if let id = TestID(parsing: text), let position = byID[id] {
        found.insert(position)
        continue
      }
      // As typed or printed, else as an equivalent text: keyboards differ in how they write an
      // accent.
      let spellings = [text] + (TestID.name(ofPrinted: text).map { [$0] } ?? [])
      let equivalent = spellings.lazy.compactMap { byName[$0] }.first ?? []
      let exact = equivalent.filter { position in
        let names = names(of: listing[position])
        return spellings.contains { names.contains(ExactText($0)) }
      }
      let matches = exact.isEmpty ? equivalent : exact
      if matches.isEmpty {
        let name = TestID(parsing: text)?.printableName ?? text
        if NearestNames.isSuite(name, in: listing) {
          throw OrchestrationError(
            .unknownTest,
            "'\(text)' is a suite, not a test; --filter selects the tests of a suite",
            context: ["text": text])
        }
        let nearest = NearestNames(listing, wholeNamesOnly: true).nearest(to: name)
        throw OrchestrationError(
          .unknownTest, "no test has the ID or name '\(text)'" + didYouMean(nearest),
          context: ["text": text])
      }
      if matches.count > 1 {
        let candidates = matches.map { listing[$0].id }
        throw OrchestrationError(
          .ambiguousTest,
          "several tests have the name '\(text)': "
            + candidates.prefix(5).map { "'\($0)'" }.joined(separator: ", ")
            + (candidates.count > 5 ? " and \(candidates.count - 5) more" : ""),
          context: ["text": text], candidates: candidates)
      }
      found.formUnion(matches)
    }
    return found
  }
}

/// What a filter made of a listing.
package struct TestSelection: Hashable, Sendable {
  /// A pattern that matches no test.
  package struct UnmatchedPattern: Hashable, Sendable {
    package var pattern: String
    /// Up to three names that are most like the pattern, the nearest first.
    package var nearest: [String]

    /// `no test matches 'Foo'; did you mean 'Food'?`
    package var message: String {
      "no test matches '\(pattern)'" + didYouMean(nearest)
    }
  }

  /// The selected tests in the order of the listing.
  package var tests: [TestDescriptor]
  /// Number of tests in the listing.
  package var listed: Int
  /// Number of tests that only a skip pattern kept out.
  package var skipped: Int
  /// Include patterns that match nothing.
  package var unmatched: [UnmatchedPattern]
  /// Skip patterns that match nothing.
  package var unmatchedSkips: [UnmatchedPattern]

  package init(
    tests: [TestDescriptor], listed: Int, skipped: Int, unmatched: [UnmatchedPattern],
    unmatchedSkips: [UnmatchedPattern] = []
  ) {
    self.unmatchedSkips = unmatchedSkips
    self.tests = tests
    self.listed = listed
    self.skipped = skipped
    self.unmatched = unmatched
  }

  /// Sentences about patterns that match nothing, when they are no error.
  package var warnings: [String] {
    (tests.isEmpty ? [] : unmatched.map(\.message)) + unmatchedSkips.map { "--skip: \($0.message)" }
  }

  /// Sentences that say why nothing was selected; empty when something was.
  package var emptyReasons: [String] {
    guard tests.isEmpty else { return [] }
    var reasons = unmatched.map(\.message)
    if skipped > 0 {
      let tests = skipped == 1 ? "the only test" : "all \(skipped) tests"
      reasons.append("\(tests) that would be selected \(skipped == 1 ? "is" : "are") to be skipped")
    }
    if listed == 0 { reasons = ["the listing holds no tests"] }
    return reasons
  }
}
