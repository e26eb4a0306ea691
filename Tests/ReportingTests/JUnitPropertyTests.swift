import FoundationEssentials
import Reporting
import RunModel
import TestSupport
import Testing

/// Whatever a run holds, the report is well-formed and complete.
@Suite struct JUnitPropertyTests {
  @Test(arguments: 0..<200 as Range<UInt64>)
  func anyRun(seed: UInt64) throws {
    var random = RandomRun(seed: seed)
    let state = random.state()
    let text = JUnitReport.render(state, logText: random.logText(_:))
    let root = try StrictXML.parse(text)
    #expect(root.name == "testsuites")

    let suites = root.all("testsuite")
    var sums = ["tests": 0, "failures": 0, "errors": 0, "skipped": 0]
    var reported: [String] = []
    for suite in suites {
      let cases = suite.all("testcase")
      #expect(suite.number("tests") == cases.count)
      #expect(suite.number("failures") == cases.count { $0.all("failure").count == 1 })
      #expect(suite.number("errors") == cases.count { $0.all("error").count == 1 })
      #expect(suite.number("skipped") == cases.count { $0.all("skipped").count == 1 })
      for name in sums.keys { sums[name, default: 0] += try #require(suite.number(name)) }
      reported += cases.compactMap { $0.property("carrel.id") }
      for testCase in cases { try check(testCase, isProblem: suite.attributes["name"] == "carrel") }
      let names = cases.compactMap { $0.attributes["name"] }
      #expect(Set(names).count == names.count, "two test cases of one name")
    }
    for (name, sum) in sums { #expect(root.number(name) == sum) }
    #expect(reported.compactMap(TestID.init(parsing:)).sorted() == state.tests.map(\.id).sorted())
    let problems = state.problems.contains { $0.severity == .error }
    let isSuccess = state.tests.allSatisfy {
      $0.result.verdict.isSuccess(leaksFail: state.header?.leaksFail ?? true)
    }
    let isGreen = sums["failures"] == 0 && sums["errors"] == 0
    #expect(isGreen == (isSuccess && !problems && !state.tests.isEmpty))
  }

  /// The order of children is that of Surefire's schema, with the properties first.
  private func check(_ testCase: XMLElement, isProblem: Bool) throws {
    let order = [
      "properties", "failure", "rerunFailure", "flakyFailure", "skipped", "error", "rerunError",
      "flakyError", "system-out", "system-err",
    ]
    let places = try testCase.children.map { try #require(order.firstIndex(of: $0.name)) }
    #expect(places == places.sorted())
    #expect(testCase.children.count { ["failure", "error", "skipped"].contains($0.name) } <= 1)
    #expect(testCase.attributes["classname"]?.isEmpty == false)
    #expect(testCase.attributes["name"]?.isEmpty == false)
    for child in testCase.children where child.name.hasSuffix("Failure") {
      #expect(child.children.first?.name == "stackTrace")
    }
    let time = try #require(testCase.attributes["time"])
    #expect(time.split(separator: ".").map(\.count).last == 3)
    #expect(Double(time).map { $0 >= 0 } == true)
    if !isProblem { #expect(testCase.property("carrel.id") != nil) }
  }

  @Test(.enabled(if: ForeignXML.isAvailable))
  func anotherReaderAgrees() async throws {
    var texts = [true, false].map {
      JUnitReport.render(
        SampleRun.everyKind(leaksFail: $0).state, logText: SampleRun.logText)
    }
    for seed in 1000..<1030 as Range<UInt64> {
      var random = RandomRun(seed: seed)
      let state = random.state()
      texts.append(JUnitReport.render(state, logText: random.logText(_:)))
    }
    let folder = try TemporaryFolder()
    let paths = texts.indices.map { folder.path(of: "\($0).xml") }
    for (path, text) in zip(paths, texts) { try Data(text.utf8).write(to: URL(filePath: path)) }
    let counts = try await ForeignXML.read(paths).map { $0.descendants("testcase").count }
    #expect(counts == (try texts.map { try StrictXML.parse($0).number("tests") ?? -1 }))
  }

  @Test func timestamps() throws {
    for (time, text) in [
      (0.0, "1970-01-01T00:00:00Z"), (951_782_400, "2000-02-29T00:00:00Z"),
      (1_772_368_205.999, "2026-03-01T12:30:05Z"), (-0.5, "1969-12-31T23:59:59Z"),
      (-1, "1969-12-31T23:59:59Z"), (-86_400, "1969-12-31T00:00:00Z"),
      (4_102_444_799, "2099-12-31T23:59:59Z"), (1e300, "9999-12-31T23:59:59Z"),
      (-.infinity, "1970-01-01T00:00:00Z"), (-2_203_891_200, "1900-03-01T00:00:00Z"),
    ] {
      var run = SampleRun()
      run.run(SampleRun.id("M.f()"), .passed) { $0.startedAt = time }
      let root = try StrictXML.parse(JUnitReport.render(run.state, logText: { _ in nil }))
      #expect(root.all("testsuite").first?.attributes["timestamp"] == text)
    }
  }
}
