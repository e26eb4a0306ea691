import Testing

@testable import CarrelCLI
@testable import Evidence

/// Holds docs/redaction.md to the code.
@Suite struct RedactionDocumentationTests {
  private func rows(below heading: String) throws -> [[String]] {
    DocumentationPage.rows(of: try DocumentationFiles.text("docs/redaction.md"), below: heading)
  }

  @Test func everyRuleIsInTheTable() throws {
    let rows = try rows(below: "## What is found")
    let rules = (SecretRule.builtIn + SecretRule.general).filter { !$0.summary.isEmpty }
    #expect(
      rows.map { $0.prefix(2).joined(separator: " ") }.dropLast(2)
        == rules.map { "`\($0.id)` \($0.summary)" }[...])
    #expect(rows.suffix(2).map { $0[0] } == ["`\(SecretSearch.variableRule)`", "`crash-memory`"])
    let all = Set((SecretRule.builtIn + SecretRule.general).map(\.id))
    #expect(all == Set(rules.map(\.id)))
  }

  @Test func everyKeyOfTheReportIsInTheTable() throws {
    let keys = try rows(below: "## redactions.json").flatMap {
      DocumentationPage.quoted(in: $0[0])
    }
    let text = String(decoding: try encodedJSON(RedactionReport(isEnabled: true)), as: UTF8.self)
    for key in keys { #expect(text.contains("\"\(key)\":"), "\(key)") }
    #expect(keys.count == text.split(separator: ",").count)
  }

  @Test func theExampleIsReadable() throws {
    let text = try DocumentationFiles.text("docs/redaction.md")
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
    let start = try #require(lines.firstIndex(of: "```json"))
    let example = lines[(start + 1)...].prefix { $0 != "```" }.joined(separator: "\n")
    let content = try ConfigurationFile.read(Array(example.utf8))
    #expect(content.unknown.isEmpty)
    #expect(content.redaction.patterns.map(\.id) == ["ticket"])
    #expect(content.redaction.names == ["LICENSE", "VAULT_*"])
    #expect(content.redaction.keep.count == 1 && content.redaction.isEnabled)
  }

  @Test(arguments: [
    (#"{"enabled": 1}"#, "'redaction.enabled' must be true or false"),
    (#"{"names": "A"}"#, "'redaction.names' must be an array of names"),
    (#"{"keep": [1]}"#, "'redaction.keep' must be an array of texts"),
    (#"{"patterns": []}"#, "'redaction.patterns' must hold an object"),
    (#"{"patterns": {"a": 1}}"#, "'redaction.patterns.a' must be a string"),
    (#"{"patterns": {"a": "x"}}"#, "the pattern 'a' is not possible"),
  ])
  func mistakesAreTold(_ value: String, _ message: String) {
    let text = #"{"format": "1.0", "redaction": "# + value + "}"
    do throws(ConfigurationFile.Problem) {
      _ = try ConfigurationFile.read(Array(text.utf8))
      Issue.record("it is taken")
    } catch {
      #expect(error.text.contains(message), "\(error.text)")
    }
  }

  /// The text in a bundle, out of which a secret was taken.
  @Test func patternsOfARecordedConfigurationMayBeBroken() throws {
    let text = #"{"format":"1.0","redaction":{"patterns":{"a":"[redacted: x]**","b":"abcd"}}}"#
    let content = try ConfigurationFile.read(Array(text.utf8), isRecorded: true)
    #expect(content.redaction.patterns.map(\.id) == ["b"])
    #expect(content.unknown.count == 1)
  }
}
