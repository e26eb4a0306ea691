import IntentMetadata
import IntentWire

/// What a package's `carrel.json` says of `carrel metadata check`.
struct MetadataSettings: Hashable {
  var severities: [MetadataRule: FindingSeverity] = [:]
  /// The path of the baseline, as it was written.
  var baseline: String?

  /// - Parameter unknown: Is given a remark for each rule that is not known.
  static func read(
    _ json: WireJSON, _ unknown: inout [String]
  ) throws(ConfigurationFile.Problem) -> MetadataSettings {
    var settings = MetadataSettings()
    if let baseline = json["baseline"] {
      guard let path = baseline.string, !path.isEmpty else {
        throw ConfigurationFile.Problem(text: "'metadata.baseline' must be a path")
      }
      settings.baseline = path
    }
    guard let rules = json["rules"] else { return settings }
    guard let members = rules.members else {
      throw ConfigurationFile.Problem(text: "'metadata.rules' must hold an object")
    }
    for member in members {
      let name = "metadata.rules.\(member.key)"
      guard let rule = MetadataRule(rawValue: member.key) else {
        unknown.append("unknown key '\(name)' is ignored")
        continue
      }
      guard let severity = member.value.string.flatMap({ FindingSeverity(rawValue: $0) }) else {
        let list = FindingSeverity.allCases.map { "\"\($0.rawValue)\"" }.joined(separator: ", ")
        throw ConfigurationFile.Problem(text: "'\(name)' must be one of \(list)")
      }
      settings.severities[rule] = severity
    }
    return settings
  }
}
