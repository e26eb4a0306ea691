import RunModel
import TestSupport

/// A JUnit report as a foreign XML parser reads it.
struct JUnitFile: Sendable {
  typealias Element = ForeignXML

  /// What a test case says about its test.
  struct Status: Hashable, Sendable {
    /// `passed`, `failure`, `error` or `skipped`.
    var kind: String
    var message: String?
  }

  var root: Element

  /// Parses a file; throws what the parser says when it is not well-formed.
  init(_ path: String) async throws {
    root = try await ForeignXML.read([path])[0]
  }

  var cases: [Element] { root.descendants("testcase") }

  /// Test cases by the test ID in their property `carrel.id`.
  var statuses: [String: Status] {
    var result: [String: Status] = [:]
    for testCase in cases {
      let properties = testCase.descendants("property")
      guard let id = properties.first(where: { $0.attributes["name"] == "carrel.id" }) else {
        continue
      }
      let end = testCase.children.first { ["failure", "error", "skipped"].contains($0.tag) }
      result[id.attributes["value"] ?? id.text] = Status(
        kind: end?.tag ?? "passed", message: end?.attributes["message"])
    }
    return result
  }

  /// The test case of one test.
  func testCase(_ id: TestID) -> Element? {
    cases.first { testCase in
      testCase.descendants("property").contains {
        $0.attributes["name"] == "carrel.id" && $0.attributes["value"] == id.description
      }
    }
  }

  /// What does not add up in the counters, one sentence each.
  var miscounts: [String] {
    var problems: [String] = []
    for suite in [root] + root.descendants("testsuite") {
      let cases = suite.descendants("testcase")
      let name = suite.attributes["name"] ?? suite.tag
      for (attribute, found) in [
        ("tests", cases.count), ("failures", cases.count { !$0.children("failure").isEmpty }),
        ("errors", cases.count { !$0.children("error").isEmpty }),
        ("skipped", cases.count { !$0.children("skipped").isEmpty }),
      ] where suite.count(attribute) != found {
        problems.append("\(name): \(attribute) says \(suite.count(attribute)), found \(found)")
      }
    }
    return problems
  }
}

extension CarrelRun {
  /// The report in the run's record.
  var junit: JUnitFile {
    get async throws { try await JUnitFile("\(record)/junit.xml") }
  }
}
