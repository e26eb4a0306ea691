/// Holds metadata against all rules.
package struct MetadataCheck {
  let declared: DeclaredMetadata
  let surroundings: MetadataSurroundings
  let settings: MetadataRuleSettings
  private(set) var findings: [MetadataFinding] = []
  /// How many findings the baseline has.
  private(set) var known = 0
  /// How many findings comments in the sources switch off.
  private(set) var suppressed = 0

  /// What was found, with the worst first, then by place.
  package struct Result: Sendable {
    package var findings: [MetadataFinding]
    /// How many more the baseline has already.
    package var known: Int
    /// How many more comments in the sources switch off.
    package var suppressed: Int
  }

  package static func findings(
    in declared: DeclaredMetadata, surroundings: MetadataSurroundings = MetadataSurroundings(),
    settings: MetadataRuleSettings = MetadataRuleSettings()
  ) -> Result {
    var check = MetadataCheck(
      declared: declared, surroundings: surroundings, settings: settings)
    check.checkUnknowns()
    check.checkProviders()
    check.checkShortcuts()
    check.checkIntents()
    check.checkEntities()
    check.checkDuplicates()
    check.checkStrings()
    for difference in declared.registration {
      check.report(.registrationDiffers, difference.item, difference.message)
    }
    return Result(findings: check.sorted, known: check.known, suppressed: check.suppressed)
  }

  private init(
    declared: DeclaredMetadata, surroundings: MetadataSurroundings, settings: MetadataRuleSettings
  ) {
    self.declared = declared
    self.surroundings = surroundings
    self.settings = settings
  }

  var metadata: AppMetadata { declared.metadata }

  private var sorted: [MetadataFinding] {
    findings.sorted { left, right in
      if left.severity != right.severity { return left.severity > right.severity }
      let (first, second) = (left.location, right.location)
      return (first?.file ?? "", first?.line ?? 0, left.rule.rawValue, left.message)
        < (second?.file ?? "", second?.line ?? 0, right.rule.rawValue, right.message)
    }
  }

  mutating func report(
    _ rule: MetadataRule, _ item: MetadataItem?, _ message: String, at place: SourceLocation? = nil
  ) {
    let severity = settings.severity(rule)
    guard severity != .off else { return }
    let finding = MetadataFinding(
      rule, severity: severity, item: item, message: message,
      location: place ?? item.flatMap { declared.locations[$0] })
    if let place = finding.location,
      declared.suppressions[place.file]?.contains(rule.rawValue, line: place.line) == true
    {
      suppressed += 1
    } else if settings.baseline.contains(finding.fingerprint) {
      known += 1
    } else {
      findings.append(finding)
    }
  }
}

// MARK: What only sources tell

extension MetadataCheck {
  mutating func checkUnknowns() {
    for unknown in declared.unknowns {
      let name = unknown.item?.name ?? "the app"
      switch unknown.member {
      case "phrases", "phrase", "appShortcuts":
        report(
          .phrasesNotLiteral, unknown.item,
          "the phrases of \(shortcutName(unknown.item)) are not literals",
          at: unknown.location)
      case "type":
        report(.unknownType, unknown.item, "the type of \(name) is unknown", at: unknown.location)
      case "default", "intent", "parameterSummary":
        break
      default:
        report(
          .textNotLiteral, unknown.item, "'\(unknown.member)' of \(name) is no literal",
          at: unknown.location)
      }
    }
  }

  mutating func checkProviders() {
    for provider in declared.providers where !provider.isOfApp {
      report(
        .providerInLibrary, .provider(provider.name),
        "'\(provider.name)' provides App Shortcuts, and is not in the app's own module")
    }
    let own = declared.providers.filter(\.isOfApp)
    if own.count > 1 {
      report(
        .severalProviders, .provider(own[1].name),
        "the app has \(own.count) providers of App Shortcuts: "
          + own.map { "'\($0.name)'" }.joined(separator: ", "))
    }
  }

  mutating func checkDuplicates() {
    for duplicate in declared.duplicates {
      report(
        .duplicateName, duplicate.item,
        "\(duplicate.types.count) types are \(duplicate.item.name): "
          + duplicate.types.joined(separator: ", "), at: duplicate.location)
    }
  }

  /// A shortcut as people know it.
  func shortcutName(_ item: MetadataItem?) -> String {
    let number: Int
    switch item {
    case .shortcut(let index), .phrase(let index, _): number = index
    default: return "the App Shortcuts"
    }
    let shortcuts = metadata.shortcuts
    guard number < shortcuts.count else { return "App Shortcut \(number + 1)" }
    let title = shortcuts[number].title?.key ?? shortcuts[number].intent
    return "App Shortcut '\(title)'"
  }
}
