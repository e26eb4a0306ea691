package import IntentWire

/// Findings in the forms that people and machines read.
package enum FindingReport {
  package enum Form: String, Sendable, CaseIterable {
    case text, json, sarif, github
  }

  /// Where findings are in: the name of an app, and the place for those without one of their own.
  package struct Group: Sendable {
    package var app: String
    package var findings: [MetadataFinding]

    package init(app: String, findings: [MetadataFinding]) {
      self.app = app
      self.findings = findings
    }
  }

  /// One finding after the other, with why it counts and what to do.
  package static func text(_ groups: [Group]) -> String {
    var lines: [String] = []
    var explained: Set<MetadataRule> = []
    for group in groups {
      for finding in group.findings {
        let place = finding.location.map { "\($0): " } ?? "\(group.app): "
        lines.append(
          "\(place)\(finding.severity.rawValue): \(finding.message) [\(finding.rule.rawValue)]")
        if explained.insert(finding.rule).inserted { lines.append("  \(finding.rule.explanation)") }
        lines.append("  fix: \(finding.rule.fix)")
      }
    }
    return lines.map { $0 + "\n" }.joined()
  }

  /// Workflow commands of GitHub Actions, one a line, which make annotations.
  package static func github(_ groups: [Group]) -> String {
    groups.flatMap { group in
      group.findings.map { finding in
        let command =
          switch finding.severity {
          case .error: "error"
          case .warning: "warning"
          case .note, .off: "notice"
          }
        var properties = ["title=\(property(finding.rule.rawValue))"]
        if let location = finding.location {
          properties.insert(
            contentsOf: ["file=\(property(location.file))", "line=\(location.line)"], at: 0)
        }
        let message = "\(group.app): \(finding.message); fix: \(finding.rule.fix)"
        return "::\(command) \(properties.joined(separator: ","))::\(data(message))\n"
      }
    }.joined()
  }

  /// The characters that a command's message may not have as they are (GitHub's documentation of
  /// workflow commands).
  private static func data(_ text: String) -> String {
    replace(text, ["%": "%25", "\r": "%0D", "\n": "%0A", "\r\n": "%0D%0A"])
  }

  /// Those of a property are two more.
  private static func property(_ text: String) -> String {
    replace(
      text,
      ["%": "%25", "\r": "%0D", "\n": "%0A", "\r\n": "%0D%0A", ":": "%3A", ",": "%2C"])
  }

  private static func replace(_ text: String, _ table: [Character: String]) -> String {
    text.reduce(into: "") { $0 += table[$1] ?? String($1) }
  }

  // MARK: JSON

  /// - Parameters:
  ///   - known: Number of findings that the baseline has.
  ///   - suppressed: Number of findings that the sources switch off.
  package static func json(_ groups: [Group], known: Int, suppressed: Int) -> WireJSON {
    [
      "format": "1.0",
      "findings": .array(
        groups.flatMap { group in group.findings.map { json($0, app: group.app) } }),
      "inBaseline": .int(Int64(known)), "suppressed": .int(Int64(suppressed)),
    ]
  }

  private static func json(_ finding: MetadataFinding, app: String) -> WireJSON {
    var members = [
      WireJSON.Member("app", .string(app)), WireJSON.Member("rule", .string(finding.rule.rawValue)),
      WireJSON.Member("severity", .string(finding.severity.rawValue)),
      WireJSON.Member("message", .string(finding.message)),
      WireJSON.Member("fix", .string(finding.rule.fix)),
    ]
    if let location = finding.location {
      members.append(WireJSON.Member("file", .string(location.file)))
      members.append(WireJSON.Member("line", .int(Int64(location.line))))
    }
    return .object(members)
  }

  /// A log in SARIF 2.1.0 (OASIS), as code scanning services read it.
  ///
  /// - Parameter version: Of this program.
  package static func sarif(_ groups: [Group], version: String) -> WireJSON {
    let findings = groups.flatMap { group in group.findings.map { (group.app, $0) } }
    let used = MetadataRule.allCases.filter { rule in findings.contains { $0.1.rule == rule } }
    return [
      "version": "2.1.0",
      "$schema":
        "https://json.schemastore.org/sarif-2.1.0.json",
      "runs": [
        [
          "tool": [
            "driver": [
              "name": "carrel", "semanticVersion": .string(version),
              "rules": .array(
                used.map { rule in
                  [
                    "id": .string(rule.rawValue),
                    "fullDescription": ["text": .string(rule.explanation)],
                    "help": ["text": .string(rule.fix)],
                    "defaultConfiguration": ["level": .string(level(rule.severity))],
                  ]
                }),
            ]
          ],
          "results": .array(
            findings.map { app, finding in
              result(finding, app: app, index: used.firstIndex(of: finding.rule) ?? 0)
            }),
        ]
      ],
    ]
  }

  private static func result(_ finding: MetadataFinding, app: String, index: Int) -> WireJSON {
    var members = [
      WireJSON.Member("ruleId", .string(finding.rule.rawValue)),
      WireJSON.Member("ruleIndex", .int(Int64(index))),
      WireJSON.Member("level", .string(level(finding.severity))),
      WireJSON.Member("message", ["text": .string("\(app): \(finding.message)")]),
      WireJSON.Member("partialFingerprints", ["carrel/v1": .string(finding.fingerprint)]),
    ]
    if let location = finding.location {
      members.append(
        WireJSON.Member(
          "locations",
          [
            [
              "physicalLocation": [
                "artifactLocation": ["uri": .string(uri(location.file))],
                "region": ["startLine": .int(Int64(max(location.line, 1)))],
              ]
            ]
          ]))
    }
    return .object(members)
  }

  private static func level(_ severity: FindingSeverity) -> String {
    switch severity {
    case .error: "error"
    case .warning: "warning"
    case .note: "note"
    case .off: "none"
    }
  }

  /// A path as a relative reference (RFC 3986).
  private static func uri(_ path: String) -> String {
    let plain = Set("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~/".utf8)
    let digits = Array("0123456789ABCDEF")
    return path.utf8.reduce(into: "") { text, byte in
      if plain.contains(byte) {
        text.append(Character(Unicode.Scalar(byte)))
      } else {
        text += "%\(digits[Int(byte >> 4)])\(digits[Int(byte & 15)])"
      }
    }
  }
}
