import RunModel
import TestSupport
import Testing

@testable import Orchestration

@Suite struct TestFilterTests {
  private let tests = [
    TestDescriptor(id: id("Notes.NoteTests/testTitle")),
    TestDescriptor(id: id("Notes.NoteTests/testBody")),
    TestDescriptor(id: id("Notes.TagTests/testTitle")),
    TestDescriptor(
      id: id("Notes.Search/find(_:)", product: "Q", .testing),
      libraryID: "Notes.Search/find(_:)/SearchTests.swift:12:4"),
    TestDescriptor(
      id: id("Notes.`a \"b\", c/d.e 🦊 100%`()", product: "Q", .testing)),
  ]

  private func names(
    include: [String] = [], skip: [String] = [], ids: [String] = []
  ) throws -> [String] {
    try TestFilter(include: include, skip: skip, ids: ids).select(from: tests).tests.map(\.id.name)
  }

  /// A name means the test that has its bytes; any test with an equivalent name where none has.
  @Test func namesAreTakenExactly() throws {
    let twins = ["M.S/caf\u{E9}()", "M.S/cafe\u{301}()"].map {
      TestDescriptor(id: id($0, product: "Q", .testing))
    }
    for twin in twins {
      for text in [twin.id.name, twin.id.description] {
        let found = try TestFilter(ids: [text]).select(from: twins).tests
        #expect(found.map(\.id) == [twin.id])
      }
    }
    let other = try TestFilter(ids: [twins[1].id.name]).select(from: [twins[0]]).tests
    #expect(other.map(\.id) == [twins[0].id])
  }

  @Test func withoutPatternsEverythingIsSelected() throws {
    #expect(try names().count == 5)
  }

  @Test(arguments: [
    ("Title", [0, 2]), ("^Notes\\.NoteTests/", [0, 1]), ("title", []), ("(?i)title", [0, 2]),
    ("testBody$", [1]), ("SearchTests\\.swift", [3]), ("^Q:testing:", [3, 4]),
    (":xctest:", [0, 1, 2]),
    ("🦊", [4]), ("100%", [4]), ("100%25", [4]), (".*Body", [1]), (".*?Body", [1]), (".+Body", [1]),
    (".+Notes\\.Tag", [2]), (".*", [0, 1, 2, 3, 4]), ("find\\(_:\\)$", [3]),
    ("TagTests|find", [2, 3]),
    (".*nothing|Tag", [2]), ("testTitle/", []),
  ])
  func patternsAreFoundAnywhere(pattern: String, expected: [Int]) throws {
    #expect(try names(include: [pattern]) == expected.map { tests[$0].id.name })
  }

  @Test func severalPatternsAddUpAndSkipsTakeAway() throws {
    #expect(try names(include: ["Body", "Tag"]) == [1, 2].map { tests[$0].id.name })
    #expect(try names(skip: ["Title", "Body"]) == [3, 4].map { tests[$0].id.name })
    #expect(try names(include: ["NoteTests"], skip: ["Body"]) == [tests[0].id.name])
  }

  @Test func exactNamesSelect() throws {
    for test in tests {
      #expect(try names(ids: [test.id.description]) == [test.id.name])
      #expect(try names(ids: [test.id.name]) == [test.id.name])
      #expect(try names(ids: [test.id.printableName]) == [test.id.name])
      #expect(try names(ids: [test.libraryID]) == [test.id.name])
    }
    #expect(
      try names(include: ["Body"], ids: [tests[2].id.name]) == [1, 2].map { tests[$0].id.name })
    #expect(try names(skip: ["Body"], ids: [tests[0].id.name, tests[1].id.name]).count == 1)
  }

  /// What is printed of a test selects it, whichever characters are escaped.
  @Test func printedNamesSelect() throws {
    let test = TestDescriptor(id: id("M.S/`txt.\u{202E}exe 100%`()", .testing))
    let others = ["M.S/`txt.exe 100%`()", "M.S/`txt.%E2%80%AEexe 100%`()"].map {
      TestDescriptor(id: id($0, .testing))
    }
    for text in [
      "M.S/`txt.%E2%80%AEexe 100%25`()", "P:testing:M.S/`txt.%E2%80%AEexe 100%25`()",
      "M.S/`txt%2E%E2%80%AEexe%20100%25`()", test.id.name,
    ] {
      #expect(try TestFilter(ids: [text]).select(from: others + [test]).tests == [test], "\(text)")
    }
    for pattern in ["^M.S/`txt.%E2%80%AEexe 100%25`\\(\\)$", "\u{202E}"] {
      #expect(try TestFilter(include: [pattern]).select(from: others + [test]).tests == [test])
    }
  }

  @Test(arguments: ["(", "[a", "a{2,1}", "*", "(?<n>a)(?<n>b"])
  func aBrokenPatternIsQuoted(pattern: String) {
    for isSkip in [false, true] {
      let error = #expect(throws: OrchestrationError.self) {
        try isSkip ? TestFilter(skip: [pattern]) : TestFilter(include: ["ok", pattern])
      }
      #expect(error?.code == (isSkip ? .invalidSkipPattern : .invalidPattern))
      #expect(error?.context == ["text": pattern])
      #expect(error?.message == "'\(pattern)' is not a regular expression")
      #expect(
        error?.cause != nil && error?.description.hasPrefix("\(error?.message ?? ""): ") == true)
    }
  }

  @Test func anUnknownNameIsQuotedWithTheNearest() throws {
    for text in ["Notes.NoteTests/testTitel", "P:xctest:Notes.NoteTests/testTitel"] {
      let error = #expect(throws: OrchestrationError.self) { try names(ids: [text]) }
      #expect(error?.code == .unknownTest)
      #expect(
        error?.message.hasPrefix(
          "no test has the ID or name '\(text)'; did you mean 'Notes.NoteTests/testTitle'") == true)
    }
    let error = #expect(throws: OrchestrationError.self) {
      try TestFilter(ids: ["a"]).select(from: [])
    }
    #expect(error?.message == "no test has the ID or name 'a'")
  }

  @Test(arguments: ["Notes.NoteTests", "NoteTests", "P:xctest:Notes.NoteTests", "Notes.Search"])
  func aSuiteIsNoTest(text: String) {
    let error = #expect(throws: OrchestrationError.self) { try names(ids: [text]) }
    #expect(error?.code == .unknownTest)
    #expect(error?.message.hasPrefix("'\(text)' is a suite, not a test; --filter") == true)
  }

  @Test func anAmbiguousNameListsTheTests() throws {
    let twice = ["P", "Q"].map { TestDescriptor(id: id("M.S/t", product: $0)) }
    let error = #expect(throws: OrchestrationError.self) {
      try TestFilter(ids: ["M.S/t"]).select(from: twice)
    }
    #expect(error?.code == .ambiguousTest)
    #expect(error?.candidates == twice.map(\.id))
    #expect(error?.message.contains("'P:xctest:M.S/t', 'Q:xctest:M.S/t'") == true)
    #expect(try TestFilter(ids: ["Q:xctest:M.S/t"]).select(from: twice).tests == [twice[1]])
  }

  @Test func aTestListedTwiceIsNotAmbiguous() throws {
    let twice = [tests[0], tests[0]]
    #expect(try TestFilter(ids: [tests[0].id.name]).select(from: twice).tests.first == tests[0])
  }

  @Test func anEmptySelectionSaysWhy() throws {
    let selection = try TestFilter(include: ["NoteTest/", "Tagtests"]).select(from: tests)
    #expect(selection.tests.isEmpty)
    #expect(selection.listed == 5)
    #expect(selection.unmatched.map(\.pattern) == ["NoteTest/", "Tagtests"])
    #expect(selection.unmatched[1].nearest.first == "TagTests")
    #expect(
      selection.emptyReasons[1].hasPrefix(
        "no test matches 'Tagtests'; did you mean 'TagTests', "))

    let skipped = try TestFilter(include: ["NoteTests"], skip: ["test"]).select(from: tests)
    #expect(skipped.emptyReasons == ["all 2 tests that would be selected are to be skipped"])
    #expect(
      try TestFilter(include: ["a"]).select(from: []).emptyReasons
        == ["the listing holds no tests"])
    #expect(try TestFilter(include: ["Tag"]).select(from: tests).emptyReasons.isEmpty)
  }

  @Test func everyPatternThatMatchesCountsAsMatched() throws {
    let selection = try TestFilter(include: ["Tag", "TagTests"]).select(from: tests)
    #expect(selection.tests.count == 1)
    #expect(selection.unmatched.isEmpty)
  }

  @Test(arguments: [
    (".*a", "a"), (".*?a", "a"), (".+a", ".a"), (".+?a", ".a"), (".*+a", ".*+a"), (".++a", ".++a"),
    (".*", ""), ("a.*", "a.*"), ("^.*a", "^.*a"), ("\\.*a", "\\.*a"),
  ])
  func leadingWildcardsAreDropped(pattern: String, simpler: String) {
    #expect(TestPattern.withoutLeadingWildcard(pattern) == simpler)
  }

  @Test func aPossessiveWildcardLeavesNothingToMatch() throws {
    #expect(try names(include: [".*+Body"]).isEmpty)
  }

  @Test func aPatternWithoutMatchIsReportedBesideOthersThatMatch() throws {
    let selection = try TestFilter(include: ["Body", "Bdoy"]).select(from: tests)
    #expect(selection.tests.count == 1)
    #expect(selection.unmatched.map(\.pattern) == ["Bdoy"])
    #expect(selection.warnings == ["no test matches 'Bdoy'"])
  }

  /// A skip that takes away what no filter selects matches all the same.
  @Test func aSkipWithoutMatchIsReported() throws {
    let filter = try TestFilter(include: ["Body"], skip: ["Title", "TagTest$", "find", "Srch"])
    let selection = try filter.select(from: tests)
    #expect(selection.tests.map(\.id.name) == ["Notes.NoteTests/testBody"])
    #expect(selection.unmatchedSkips.map(\.pattern) == ["TagTest$", "Srch"])
    #expect(selection.warnings[0].hasPrefix("--skip: no test matches 'TagTest$'; did you mean "))
    #expect(try TestFilter(skip: ["Title", "Body|find"]).select(from: tests).warnings == [])
  }
}

@Suite struct NearestNamesTests {
  private let names = NearestNames([
    TestDescriptor(id: id("Notes.NoteTests/testTitle")),
    TestDescriptor(id: id("Notes.NoteTests/testBody")),
    TestDescriptor(id: id("Notes.Search/find(_:limit:)", .testing)),
  ])

  @Test(arguments: [
    ("NoteTest", "NoteTests"), ("notetests", "NoteTests"), ("^NoteTests\\.$", "NoteTests"),
    ("testTitel", "testTitle"), ("Notes.NoteTests/testBdy", "Notes.NoteTests/testBody"),
    ("fnd", "find"), ("Serch", "Search"), ("Title", "testTitle"),
    ("NoteTests/testBdy", "NoteTests/testBody"),
  ])
  func theNearestNameComesFirst(pattern: String, nearest: String) {
    #expect(names.nearest(to: pattern).first == nearest)
  }

  @Test func thereAreThreeAtMostAndNoneTwice() {
    let nearest = names.nearest(to: "test")
    #expect(nearest.count == 3)
    #expect(Set(nearest).count == 3)
    #expect(names.nearest(to: "^$").isEmpty)
  }

  @Test(arguments: ["zzz", "off", "somethingElse", "xy", "Notes.Other/testTheWeather"])
  func whatIsLikeNothingHasNone(pattern: String) {
    #expect(names.nearest(to: pattern).isEmpty)
    #expect(NearestNames([]).nearest(to: "a").isEmpty)
  }

  @Test func theDistanceIsThatOfTheFullTable() {
    func full(_ left: [UInt8], _ right: [UInt8]) -> Int {
      var row = Array(0...right.count)
      for (index, byte) in left.enumerated() {
        var next = [index + 1]
        for column in right.indices {
          next.append(
            min(
              row[column] + (byte == right[column] ? 0 : 1), row[column + 1] + 1, next[column] + 1))
        }
        row = next
      }
      return row[right.count]
    }
    var generator = SeededGenerator(seed: 1)
    for _ in 0..<3000 {
      func word() -> [UInt8] {
        (0..<Int.random(in: 0...9, using: &generator)).map { _ in
          UInt8.random(in: 0...2, using: &generator)
        }
      }
      let (left, right, limit) = (word(), word(), Int.random(in: 0...10, using: &generator))
      let expected = full(left, right)
      #expect(
        editDistance(left, right, limit: limit) == (expected <= limit ? expected : nil))
      #expect(editDistance(left, right, limit: .max) == expected)
    }
  }
}

/// A pattern without any character that has a meaning is looked for byte by byte: the same tests as
/// by the expression.
@Suite struct LiteralPatternTests {
  @Test func literalsFindWhatExpressionsFind() throws {
    let names = [
      "M.C/testA", "M.C/test_A", "M.Suite/e\u{301}a()", "M.Suite/\u{E9}a()", "M.`a b`()", "M.x(a:)",
      "M.🦊/a()",
    ]
    let listing = names.map { TestDescriptor(id: id($0, .testing)) }
    for pattern in [
      "testA", "test", "M.C".filter { $0 != "." }, "e", "a()", "P:testing:", "x(", "_A", "e\u{301}",
    ] {
      guard let literal = try? TestFilter(include: [pattern]),
        // The same in a group, which is no literal.
        let expression = try? TestFilter(include: ["(?:\(pattern))"])
      else { continue }
      let first = try literal.select(from: listing).tests.map(\.id)
      let second = try expression.select(from: listing).tests.map(\.id)
      #expect(first == second, "\(pattern)")
    }
  }
}
