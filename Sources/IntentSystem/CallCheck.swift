import IntentWire
import RunModel

/// Finds names that an app does not have before its process is asked, with what was meant.
func check(
  _ method: String, _ parameters: WireJSON, _ app: AppDescription
) throws(WireError) {
  switch method {
  case "intent.perform":
    let name = parameters["intent"]?.string ?? ""
    guard let intent = app.intents.first(where: { $0.identifier == name }) else {
      throw unknown("intent", name, app.intents.map(\.identifier), of: app.bundleIdentifier)
    }
    for member in parameters["parameters"]?.members ?? []
    where !intent.parameters.contains(where: { $0.name == member.key }) {
      var error = unknown(
        "parameter", member.key, intent.parameters.map(\.name), of: "the intent \(name)")
      error.parameter = member.key
      throw error
    }
  case "entity.query":
    let name = parameters["query"]?["type"]?.string ?? ""
    guard app.entities.contains(where: { $0.identifier == name }) else {
      throw unknown("entity", name, app.entities.map(\.identifier), of: app.bundleIdentifier)
    }
  default: break
  }
}

private func unknown(
  _ kind: String, _ name: String, _ known: [String], of owner: String
) -> WireError {
  let wanted = Array(name.lowercased().utf8.prefix(200))
  let limit = max(2, name.count / 3)
  let near = known.compactMap { candidate in
    editDistance(wanted, Array(candidate.lowercased().utf8.prefix(200)), limit: limit)
      .map { (candidate, $0) }
  }.min { $0.1 < $1.1 }
  let hint: String
  if let near {
    hint = didYouMean([near.0])
  } else if known.isEmpty {
    hint = "; it has none"
  } else {
    hint = "; it has \(known.sorted().prefix(20).joined(separator: ", "))"
  }
  return WireError(
    .unknownName,
    "\(owner.shortened(to: 200)) has no \(kind) '\(name.shortened(to: 200))'\(hint)")
}
