import IntentWire
import RunModel
import Testing

@testable import CarrelCLI

@Suite struct BundleCallsTests {
  private static let created = #"""
    {"method":"intent.perform","intent":"Create","parameters":{"name":{"string":"Soup"},\#
    "count":{"int":2}},"result":{"value":{"int":1},"dialog":"Made it"},"queries":[]}
    """#
  private static let asked = #"""
    {"method":"entity.query","intent":null,"parameters":{"type":"Recipe","kind":"spotlight",\#
    "text":"soup"},"result":{"entities":[]},"pendingUpdates":3,"queries":[]}
    """#
  private static let failed = #"""
    {"method":"intent.perform","intent":"Rate",\#
    "parameters":{"recipe":{"entity":{"type":"Recipe","id":"7"}}},"error":{"code":1,\#
    "name":"thrownByApp","message":"not found","origin":{"domain":"App.E","code":1,\#
    "case":"notFound","localizedDescription":"not found","debugDescription":"notFound"}},\#
    "queries":[]}
    """#
  private static let unasked = #"""
    {"method":"intent.perform","intent":"Ask","parameters":{},"error":{"code":5,\#
    "name":"needsValue","message":"Ask asked","parameter":"name","prompt":"Name?"},"queries":[]}
    """#

  private func lines(_ journal: [String], message: String = "(1) is not equal to (2)") -> [String] {
    let attempt = AttemptResult(
      test: TestID(product: "P", library: .xctest, name: "M.C/test"), attempt: 1, batch: 1,
      worker: 1, verdict: .failed, issues: [TestIssue(message: message)], startedAt: 0, duration: 0)
    return BundleCalls(
      journal: journal.map { $0 + "\n" }.joined().utf8, attempt: attempt
    ).lines
  }

  @Test func callThatTheFailureTellsOfIsMarked() {
    #expect(
      lines([Self.created, Self.failed, Self.asked], message: "notFound (App.E 1): not found") == [
        "calls:         1 to 2 of 3", "  Create(name: \"Soup\", count: 2)",
        "    returned value: 1, dialog: Made it", "> Rate(recipe: Recipe 7)",
        "    thrownByApp: notFound (App.E 1): not found", "  and 1 later",
      ])
  }

  @Test func lastCallIsMarkedOtherwise() {
    #expect(
      lines([Self.failed, Self.asked]) == [
        "calls:", "  Rate(recipe: Recipe 7)", "    thrownByApp: notFound (App.E 1): not found",
        "> query of Recipe(kind: spotlight, text: soup)", "    returned entities: none",
        "    index updates that could not be found yet: 3",
      ])
    #expect(lines([Self.unasked]).last == "    needsValue, parameter 'name': Ask asked")
  }

  @Test func longJournalsAreShortened() {
    let journal = Array(repeating: Self.created, count: 9) + [#"{"omitted":4}"#]
    let lines = lines(journal)
    #expect(lines.count == 12 && lines.first == "calls:         5 to 9 of 13")
    #expect(lines.last == "  and 4 later")
    let long = Self.created.replacing("Soup", with: String(repeating: "x", count: 5000))
    #expect(self.lines([long]).allSatisfy { $0.count < 400 })
  }

  @Test func whatCannotBeReadIsLeftOut() {
    #expect(lines([]) == [] && lines(["{", "[]", "{}"]) == [])
    #expect(lines(["not json", Self.unasked]).first == "calls:")
  }
}
