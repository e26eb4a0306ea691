import RunModel
import Testing

@testable import Orchestration

@Suite struct PlanTests {
  @Test func testsAreGroupedByProductAndLibraryInListingOrder() {
    let mixed = [
      id("M.S/b"), id("M.S/t()", .testing), id("M.S/a"), id("M.S/b", product: "Q"),
      id("M.S/a()", .testing),
    ]
    let plan = Plan(mixed.map { TestDescriptor(id: $0) })
    #expect(plan.tests.map(\.id) == [mixed[0], mixed[2], mixed[1], mixed[4], mixed[3]])
    #expect(plan.groups.map(\.range) == [0..<2, 2..<4, 4..<5])
    #expect(plan.groups.map(\.library) == [.xctest, .testing, .xctest])
    #expect(plan.groups.map(\.product) == ["P", "P", "Q"])
    for (position, test) in plan.tests.enumerated() {
      #expect(plan.position(of: test.id) == position)
      #expect(plan.groups[plan.group(at: position)].range.contains(position))
    }
    #expect(plan.position(of: id("M.S/c")) == nil)
  }

  @Test func aTestListedTwiceIsPlannedOnce() {
    let tests = listing(4)
    let plan = Plan(tests + tests.prefix(2) + tests.prefix(1))
    #expect(plan.tests == tests)
    #expect(plan.duplicates == [0, 1, 0].map { tests[$0].id })
  }

  @Test func anEmptyListingIsAnEmptyPlan() {
    #expect(Plan([]).isEmpty)
    #expect(Plan([]).groups.isEmpty)
  }
}
