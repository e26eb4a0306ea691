import Testing

@testable import RunEngine

struct ThreadShortageTests {
  @Test func limitsThatAreEnoughAreNotWatched() {
    #expect(ThreadShortage(limit: 1, cores: 1) != nil)
    #expect(ThreadShortage(limit: 9, cores: 2) != nil)
    #expect(ThreadShortage(limit: 10, cores: 2) == nil)
    #expect(ThreadShortage(limit: 40, cores: 64) != nil)
  }

  @Test func refusalsWithoutEndAreAShortage() throws {
    var shortage = try #require(ThreadShortage(limit: 1, cores: 2))
    let seen = [0, 1, 1, 2, 2, 3].enumerated().map { second, refusals in
      shortage.isProven(refusals: refusals, isAlone: true, at: 100 + Double(second))
    }
    #expect(seen == [false, false, false, true, true, true])
  }

  /// Threads that were refused once, and processes that the test itself has started.
  @Test func everythingElseIsNot() throws {
    var once = try #require(ThreadShortage(limit: 4, cores: 2))
    var inCompany = once
    var forAMoment = once
    var found: [Bool] = []
    for second in 0..<10 {
      let time = Double(second)
      found.append(once.isProven(refusals: min(second, 1) * 5, isAlone: true, at: time))
      found.append(inCompany.isProven(refusals: second, isAlone: false, at: time))
      found.append(forAMoment.isProven(refusals: second, isAlone: second % 2 == 0, at: time))
    }
    var quick = try #require(ThreadShortage(limit: 4, cores: 2))
    for step in 0..<10 {
      found.append(quick.isProven(refusals: step, isAlone: true, at: Double(step) / 10))
    }
    #expect(found == Array(repeating: false, count: 40))
  }
}
