import Testing

/// Tests that run once for each argument.
@Suite struct ParameterizedTests {
  @Test(arguments: 1...4) func evenOnly(number: Int) {
    #expect(number.isMultiple(of: 2))
  }

  @Test(arguments: ["one", "two"], [1, 2]) func pairs(word: String, number: Int) {
    #expect(!word.isEmpty && number > 0)
  }

  @Test(arguments: [Int]()) func noArguments(number: Int) {
    Issue.record("must not run")
  }

  @Test(arguments: ["a\nb", "\u{1B}[31mred", "\"quoted\" </testcase>"])
  func awkwardArguments(text: String) {
    #expect(text == "fine")
  }

  @Test(arguments: 1...3) func secondCancels(number: Int) throws {
    if number == 2 { try Test.cancel("two is left out") }
  }

  @Test(arguments: 1...3) func secondCrashes(number: Int) {
    if number == 2 { fatalError("two is too much") }
  }
}
