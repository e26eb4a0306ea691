import IntentWire
import Testing

@testable import Comparison

@Suite struct CallComparisonTests {
  private func call(
    _ intent: String, _ parameters: WireJSON = [:], result: String = "ok", seconds: Double = 0.01,
    names: SpecificNames = SpecificNames()
  ) throws -> JournalCall {
    try #require(
      JournalCall(
        [
          "test": "P:xctest:C/t", "attempt": 1, "time": .double(1000 * seconds),
          "duration": .double(seconds), "bundle": "com.example.App", "runtime": "Linux",
          "method": "intent.perform", "intent": .string(intent), "parameters": parameters,
          "result": ["value": .string(result)], "queries": [], "fixtureToken": "t",
        ], replacing: names))
  }

  private func rows(_ a: [JournalCall], _ b: [JournalCall]) -> [String] {
    CallComparison(a, b).rows.map { row in
      "\(row.a.map { "\($0)" } ?? "-") \(row.b.map { "\($0)" } ?? "-") "
        + "\(row.name.split(separator: " ").last ?? ""): \(row.fields.map(\.name))"
    }
  }

  @Test func equalJournalsHaveNoRows() throws {
    let calls = [try call("A"), try call("B", ["x": 1])]
    let comparison = CallComparison(calls, calls)
    #expect(comparison.rows.isEmpty && comparison.equal == 2 && comparison.isMinimal)
    #expect(CallComparison([], []).equal == 0)
  }

  @Test func aCallThatWasPutInIsOneRow() throws {
    let a = [try call("Create", ["title": "one"]), try call("Create", ["title": "two"])]
    let b = [try call("Create", ["title": "zero"])] + a
    #expect(rows(a, b) == [#"- 1 Create: ["parameters", "queries", "result"]"#])
    #expect(rows(b, a) == [#"1 - Create: ["parameters", "queries", "result"]"#])
  }

  @Test func callsThatStandForEachOtherAreComparedByField() throws {
    let a = [try call("A"), try call("Say", ["text": "x", "n": 1]), try call("Z")]
    let b = [try call("A"), try call("Say", ["text": "y", "n": 1], result: "no"), try call("Z")]
    #expect(rows(a, b) == [#"2 2 Say: ["parameters.text", "result.value"]"#])
  }

  /// The same parameters with another result rather stand for each other than other parameters.
  @Test func callsWithTheSameParametersStandForEachOther() throws {
    let a = [try call("Create", ["title": "Milk"], result: "1")]
    let b = [
      try call("Create", ["title": "Seed"], result: "1"),
      try call("Create", ["title": "Milk"], result: "2"),
    ]
    #expect(
      rows(a, b) == [
        #"- 1 Create: ["parameters", "queries", "result"]"#, #"1 2 Create: ["result.value"]"#,
      ])
  }

  @Test func otherIntentsDoNotStandForEachOther() throws {
    #expect(
      rows([try call("A"), try call("B")], [try call("A"), try call("C"), try call("D")])
        == [
          #"2 - B: ["parameters", "queries", "result"]"#,
          #"- 2 C: ["parameters", "queries", "result"]"#,
          #"- 3 D: ["parameters", "queries", "result"]"#,
        ])
  }

  /// Times and tokens are not compared, and durations only when they are far apart.
  @Test func durationsCountWhenTheyAreFarApart() throws {
    #expect(rows([try call("A", seconds: 0.01)], [try call("A", seconds: 0.1)]) == [])
    #expect(rows([try call("A", seconds: 1)], [try call("A", seconds: 2)]) == [])
    #expect(
      rows([try call("A", seconds: 0.05)], [try call("A", seconds: 0.2)])
        == [#"1 1 A: ["duration"]"#])
  }

  @Test func namesOfRunsAreReplaced() throws {
    func one(_ container: String) throws -> JournalCall {
      try call(
        "A", ["file": .string("\(container)/x")],
        names: SpecificNames([.container: container]))
    }
    #expect(rows([try one("/tmp/a/w1")], [try one("/tmp/b/w2")]) == [])
  }

  @Test func whatIsNoCallIsRefused() {
    #expect(JournalCall(["omitted": 3], replacing: SpecificNames()) == nil)
    #expect(JournalCall([1], replacing: SpecificNames()) == nil)
  }
}

@Suite struct EntryComparisonTests {
  private func entry(_ id: String, _ title: String, domain: String? = nil) -> IndexUpdate.Entry {
    IndexUpdate.Entry(
      type: "Note", identifier: id, domain: domain, fields: [.init("title", title)])
  }

  @Test func entriesAreComparedByTypeAndIdentifier() {
    let a = [entry("1", "Milk"), entry("2", "Eggs"), entry("3", "Tea")]
    let b = [entry("3", "Tea"), entry("2", "Bread", domain: "d"), entry("4", "Salt")]
    let comparison = EntryComparison(a, b, replacing: (SpecificNames(), SpecificNames()))
    #expect(comparison.equal == 1)
    #expect(comparison.rows.map(\.identifier) == ["1", "2", "4"])
    #expect(comparison.rows.map(\.inA) == [true, true, false])
    #expect(comparison.rows.map(\.inB) == [false, true, true])
    #expect(comparison.rows[1].fields.map(\.name) == ["domain", "title"])
    #expect(comparison.rows[0].fields.map(\.a) == ["Milk"])
    #expect(EntryComparison(a, a, replacing: (SpecificNames(), SpecificNames())).rows.isEmpty)
  }
}
