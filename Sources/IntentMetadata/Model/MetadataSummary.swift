import IntentWire

/// What an intent's `parameterSummary` says: one sentence, or several for different values of
/// parameters.
package indirect enum MetadataSummary: Hashable, Sendable {
  /// A sentence with `${parameter}` in it, and parameters that are shown below it.
  case sentence(String, parameters: [String], others: [String])
  /// Depends on a comparison of a parameter.
  case when(parameter: String, then: MetadataSummary?, otherwise: MetadataSummary?)
  /// Depends on the value of a parameter.
  case cases(parameter: String, [MetadataSummary?])

  init?(_ json: WireJSON?) {
    guard let member = json?.members?.first, let value = member.value["wrapper"] else { return nil }
    switch member.key {
    case "actionSummary":
      self = .sentence(
        value["summaryString"]?["formatString"]?.string ?? "",
        parameters: Self.strings(value["summaryString"]?["parameterIdentifiers"]),
        others: Self.strings(value["otherParameterIdentifiers"]))
    case "whenClause":
      self = .when(
        parameter: value["condition"]?["parameterIdentifier"]?.string ?? "",
        then: MetadataSummary(value["when"]), otherwise: MetadataSummary(value["otherwise"]))
    case "switchStatement":
      self = .cases(
        parameter: value["parameterIdentifier"]?.string ?? "",
        (value["cases"]?.array ?? []).map { MetadataSummary($0["configuration"]) })
    default: return nil
    }
  }

  /// The parameters that people can set in one of the sentences or below one, each once.
  package var parameters: [String] {
    var seen: Set<String> = []
    return all.filter { seen.insert($0).inserted }
  }

  /// Each sentence, in the order of the file.
  package var sentences: [String] {
    switch self {
    case .sentence(let text, _, _): [text]
    case .when(_, let then, let otherwise): [then, otherwise].flatMap { $0?.sentences ?? [] }
    case .cases(_, let cases): cases.flatMap { $0?.sentences ?? [] }
    }
  }

  private var all: [String] {
    switch self {
    case .sentence(_, let parameters, let others): parameters + others
    case .when(let parameter, let then, let otherwise):
      [parameter] + (then?.all ?? []) + (otherwise?.all ?? [])
    case .cases(let parameter, let cases): [parameter] + cases.flatMap { $0?.all ?? [] }
    }
  }

  private static func strings(_ json: WireJSON?) -> [String] {
    (json?.array ?? []).compactMap(\.string)
  }
}
