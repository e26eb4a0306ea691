import Testing

/// One test for each way in which a Swift Testing test can end by itself.
@Suite struct BasicTests {
  @Test func passes() {
    #expect(2 + 2 == 4)
  }

  @Test func fails() {
    let sum = 2 + 2
    #expect(sum == 5, "arithmetic is off")  // here: BasicTests.fails
  }

  @Test func failsTwice() {
    Issue.record("first of two")  // here: BasicTests.failsTwice/1
    Issue.record("second of two")  // here: BasicTests.failsTwice/2
  }

  @Test func stopsAtRequirement() throws {
    let nothing: Int? = nil
    let value = try #require(nothing)  // here: BasicTests.stopsAtRequirement
    #expect(value == 1)
  }

  @Test func throwsError() throws {
    throw FixtureError(text: "thrown on purpose")
  }

  @Test func warns() {
    Issue.record("only a warning", severity: .warning)
  }

  @Test(.disabled("waits for the new parser")) func disabled() {
    Issue.record("must not run")
  }

  @Test(.disabled()) func disabledWithoutReason() {
    Issue.record("must not run")
  }

  @Test(.enabled(if: 1 > 2, "needs a larger one")) func disabledByCondition() {
    Issue.record("must not run")
  }

  @Test func knownIssue() {
    withKnownIssue("the parser forgets the last line") {
      Issue.record("line is missing")
    }
  }

  @Test func knownIssueNotRecorded() {
    withKnownIssue("was repaired meanwhile") {}  // here: BasicTests.knownIssueNotRecorded
  }

  @Test func knownAndUnknownIssue() {
    withKnownIssue { Issue.record("known one") }
    Issue.record("unknown one")
  }

  @Test func cancels() throws {
    try Test.cancel("there is nothing to do")
  }

  @Test("Shown as \"a/b.c\" <&>") func hasDisplayName() {}

  @Test("Shown with a failure: 100 % \u{1F44D}") func failsWithDisplayName() {
    Issue.record("display names are not names")
  }
}

/// A suite that is switched off as a whole.
@Suite(.disabled("the whole suite waits")) struct DisabledSuiteTests {
  @Test func neverRuns() {
    Issue.record("must not run")
  }

  @Suite struct Inner {
    @Test func neverRunsEither() {
      Issue.record("must not run")
    }
  }
}

@Test func freeFunctionPasses() {}

@Test func freeFunctionFails() {
  Issue.record("not in any suite")
}
