import Glibc
import IntentMetadata
import IntentWire
import Reporting
import SystemFiles

/// `carrel metadata check`.
struct MetadataChecking {
  private static let maxBytes = 16 << 20

  private let format: FindingReport.Form
  private var settings = MetadataRuleSettings()
  private var baseline: String?
  private let writesBaseline: Bool
  private let listsRules: Bool
  private let isStrict: Bool
  private let parsed: ParsedArguments
  private let context: CommandContext

  init(_ parsed: ParsedArguments, _ context: CommandContext) throws {
    self.parsed = parsed
    self.context = context
    format =
      try parsed.choice("--format", of: FindingReport.Form.allCases.map(\.rawValue))
      .flatMap { FindingReport.Form(rawValue: $0) } ?? .text
    isStrict = parsed.has("--strict")
    listsRules = parsed.has("--list-rules")
    writesBaseline = parsed.has("--write-baseline")
    baseline = parsed.string("--baseline").map { context.absolute($0) }
    for text in parsed.all("--rule") {
      let (rule, severity) = try Self.setting(text)
      settings.severities[rule] = severity
    }
  }

  /// Takes over what the package's configuration says; the command line wins.
  private mutating func configure(_ path: String) throws {
    let path = context.absolute(path)
    let isPackage = access(path + "/Package.swift", F_OK) == 0
    let package = isPackage ? path : context.absolute(context.enclosingPackage())
    let configured = try ConfigurationFile.metadataSettings(parsed, package: package, context)
    settings.severities.merge(configured.severities) { given, _ in given }
    if baseline == nil, let path = configured.baseline {
      baseline = path.hasPrefix("/") ? path : "\(package)/\(path)"
    }
    guard !writesBaseline || baseline != nil else {
      throw UsageError(
        message: "--write-baseline needs --baseline FILE, or 'metadata.baseline' in "
          + ConfigurationFile.name)
    }
    if let baseline, !writesBaseline { settings.baseline = try read(baseline) }
  }

  private static func setting(_ text: String) throws -> (MetadataRule, FindingSeverity) {
    let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
    guard parts.count == 2, let severity = FindingSeverity(rawValue: String(parts[1])) else {
      throw UsageError(message: "--rule takes RULE=error|warning|note|off, not '\(text)'")
    }
    guard let rule = MetadataRule(rawValue: String(parts[0])) else {
      throw UsageError(
        message: "there is no rule '\(parts[0])'; 'carrel metadata check --list-rules' prints them")
    }
    return (rule, severity)
  }

  /// - Returns: `nil` when a signal asked for the end.
  mutating func perform(_ path: String) throws -> ExitCode? {
    if listsRules {
      for rule in MetadataRule.allCases {
        context.output.print("\(rule.rawValue) (\(rule.severity.rawValue))")
        context.output.print("  \(rule.explanation)")
        context.output.print("  fix: \(rule.fix)")
      }
      return .success
    }
    // What is wrong with settings is told before a package is built.
    try configure(path)
    guard let subjects = try MetadataSubject.read(path, parsed, context) else { return nil }
    var groups: [FindingReport.Group] = []
    var (known, suppressed) = (0, 0)
    for subject in subjects {
      let result = MetadataCheck.findings(
        in: subject.declared, surroundings: subject.surroundings, settings: settings)
      groups.append(
        FindingReport.Group(app: subject.name, findings: result.findings.map { shown($0, path) }))
      known += result.known
      suppressed += result.suppressed
    }
    if writesBaseline, let baseline { return try write(groups, to: baseline) }
    print(groups, known: known, suppressed: suppressed)
    let worst = groups.flatMap(\.findings).map(\.severity).max()
    return worst == .error || (isStrict && worst == .warning) ? .testsFailed : .success
  }

  /// A finding with the path of its file from the current folder.
  private func shown(_ finding: MetadataFinding, _ package: String) -> MetadataFinding {
    guard let file = finding.location?.file, !file.hasPrefix("/") else { return finding }
    var finding = finding
    finding.location?.file = context.shown("\(context.absolute(package))/\(file)")
    return finding
  }

  private func print(_ groups: [FindingReport.Group], known: Int, suppressed: Int) {
    switch format {
    case .text:
      context.output.write(Array(messageText(FindingReport.text(groups)).utf8))
      let findings = groups.flatMap(\.findings)
      let counts = [FindingSeverity.error, .warning, .note].map { severity in
        let count = findings.count { $0.severity == severity }
        return "\(count) \(severity.rawValue)\(count == 1 ? "" : "s")"
      }
      context.output.print(
        counts.joined(separator: ", ") + (known > 0 ? ", \(known) in the baseline" : "")
          + (suppressed > 0 ? ", \(suppressed) switched off in the sources" : ""))
    case .github: context.output.write(Array(FindingReport.github(groups).utf8))
    case .json:
      let json = FindingReport.json(groups, known: known, suppressed: suppressed)
      context.writeJSON(json.prettyText)
    case .sarif:
      context.writeJSON(
        FindingReport.sarif(groups, version: carrelVersion).prettyText)
    }
  }

  // MARK: The baseline

  private func write(_ groups: [FindingReport.Group], to path: String) throws -> ExitCode {
    let fingerprints = Set(groups.flatMap(\.findings).map(\.fingerprint)).sorted()
    let document: WireJSON = [
      "format": "1.0", "findings": .array(fingerprints.map { .string($0) }),
    ]
    do throws(FileError) {
      try writeFileAtomically(Array(document.prettyText.utf8), to: path)
    } catch {
      throw CommandError(.notWritten, "the baseline could not be written: \(error)")
    }
    context.output.print("\(context.shown(path)): \(fingerprints.count) findings")
    return .success
  }

  private func read(_ path: String) throws -> Set<String> {
    do {
      let json = try WireJSON(reading: try readFile(path, maxBytes: Self.maxBytes))
      guard json["format"]?.string?.hasPrefix("1.") == true, let list = json["findings"]?.array
      else {
        throw CommandError(
          .usage, "\(context.shown(path)) is no baseline; --write-baseline makes one")
      }
      return Set(list.compactMap(\.string))
    } catch let error as FileError {
      throw CommandError(
        .usage, "the baseline cannot be read: \(error); --write-baseline makes one")
    } catch let error as WireSyntaxError {
      throw CommandError(.usage, "\(context.shown(path)): not JSON: \(error)")
    }
  }
}
