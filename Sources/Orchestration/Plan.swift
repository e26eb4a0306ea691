package import RunModel

/// The immutable list of tests to run.
///
/// Tests of one product and library stand together, in the order of the listing, those that call
/// apps apart from the others; groups stand in the order in which their first test was listed. A
/// test that was listed twice is planned once.
package struct Plan: Sendable {
  /// The tests that may share a process.
  package struct Group: Hashable, Sendable {
    package let product: String
    package let library: TestLibrary
    /// Whether each test gets a process of its own, whatever the batch policy says.
    package let isSolitary: Bool
    /// Positions in ``Plan/tests``, never empty.
    package let range: Range<Int>
  }

  private struct Key: Hashable {
    var group: TestGroup
    var isSolitary: Bool
  }

  package let tests: [TestDescriptor]
  package let groups: [Group]
  /// IDs that were listed more than once, once for each repetition.
  package let duplicates: [TestID]
  private let positions: [TestID: Int]
  private let groupOfTest: [Int]

  package init(_ listing: some Sequence<TestDescriptor>) {
    var keys: [Key: Int] = [:]
    var members: [[TestDescriptor]] = []
    var seen: Set<TestID> = []
    var duplicates: [TestID] = []
    for test in listing {
      guard seen.insert(test.id).inserted else {
        duplicates.append(test.id)
        continue
      }
      let key = Key(group: test.id.group, isSolitary: test.usesIntents)
      let group = keys[key] ?? members.count
      if group == members.count {
        keys[key] = group
        members.append([])
      }
      members[group].append(test)
    }

    var tests: [TestDescriptor] = []
    var groups: [Group] = []
    var groupOfTest: [Int] = []
    var positions: [TestID: Int] = [:]
    tests.reserveCapacity(seen.count)
    positions.reserveCapacity(seen.count)
    for group in members {
      guard let first = group.first else { continue }
      let range = tests.count..<tests.count + group.count
      for test in group {
        positions[test.id] = tests.count
        tests.append(test)
        groupOfTest.append(groups.count)
      }
      groups.append(
        Group(
          product: first.id.product, library: first.id.library, isSolitary: first.usesIntents,
          range: range))
    }
    self.tests = tests
    self.groups = groups
    self.duplicates = duplicates
    self.positions = positions
    self.groupOfTest = groupOfTest
  }

  package var count: Int { tests.count }

  /// A warning about tests that were listed more than once; they have one verdict.
  package var problems: [RunProblem] {
    var seen: Set<TestID> = []
    let names = duplicates.filter { seen.insert($0).inserted }.map(\.printableName)
    guard let first = names.first else { return [] }
    let shown = names.prefix(10).joined(separator: ", ")
    let more = names.count > 10 ? " and \(names.count - 10) more" : ""
    let message =
      names.count == 1
      ? "a test is listed more than once, and has one verdict: \(first)"
      : "\(names.count) tests are listed more than once, and have one verdict each: \(shown)\(more)"
    return [RunProblem(severity: .warning, code: .duplicateTest, message: message)]
  }

  package var isEmpty: Bool { tests.isEmpty }

  /// The position of a test, `nil` when it is not planned.
  package func position(of test: TestID) -> Int? { positions[test] }

  /// The number of the group that holds the test at a position.
  package func group(at position: Int) -> Int { groupOfTest[position] }
}
