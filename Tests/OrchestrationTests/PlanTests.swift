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

  @Test func testsThatCallAppsAreAGroupOfTheirOwn() {
    let tests = ["a", "b", "c", "d"].map {
      TestDescriptor(id: id("M.S/\($0)"), usesIntents: $0 == "a" || $0 == "c")
    }
    let plan = Plan(tests)
    #expect(plan.tests == [tests[0], tests[2], tests[1], tests[3]])
    #expect(plan.groups.map(\.range) == [0..<2, 2..<4])
    #expect(plan.groups.map(\.isSolitary) == [true, false])
    let run = ScriptedRun(tests, SchedulerOptions(workers: 1)) { test, _, _ in
      test == "M.S/c" ? .failed : .passed
    }
    #expect(run.specs.map { $0.tests.map(\.name) } == [["M.S/a"], ["M.S/c"], ["M.S/b", "M.S/d"]])
    #expect(run["M.S/c"]?.company == nil)
  }

  @Test func aTestListedTwiceIsPlannedOnce() {
    let tests = listing(4)
    let plan = Plan(tests + tests.prefix(2) + tests.prefix(1))
    #expect(plan.tests == tests)
    #expect(plan.duplicates == [0, 1, 0].map { tests[$0].id })
  }

  @Test func testsListedTwiceAreNamedOnce() throws {
    let tests = listing(20)
    #expect(Plan(tests).problems.isEmpty)
    let one = try #require(Plan(tests + tests.prefix(1) + tests.prefix(1)).problems.first)
    #expect(one.severity == .warning && one.code == .duplicateTest)
    #expect(
      one.message == "a test is listed more than once, and has one verdict: \(tests[0].id.name)")
    let many = Plan(tests + tests).problems
    #expect(many.count == 1)
    let start = "20 tests are listed more than once, and have one verdict each: "
    #expect(many[0].message.hasPrefix(start))
    #expect(many[0].message.hasSuffix(" and 10 more"))
  }

  @Test func equivalentNamesAreTwoTests() {
    let tests = ["M.S/caf\u{E9}()", "M.S/cafe\u{301}()"].map {
      TestDescriptor(id: id($0, .testing))
    }
    let plan = Plan(tests)
    #expect(plan.count == 2 && plan.duplicates.isEmpty)
    #expect(tests.map { plan.position(of: $0.id) } == [0, 1])
  }

  @Test func anEmptyListingIsAnEmptyPlan() {
    #expect(Plan([]).isEmpty)
    #expect(Plan([]).groups.isEmpty)
  }
}
