import IntentWire
import RunModel

/// Finds names that an app does not have before its process is asked, with what was meant.
///
/// - Parameter isReleaseBuild: Whether the app was built for release.
func check(
  _ method: String, _ parameters: WireJSON, _ app: AppDescription, isReleaseBuild: Bool = false
) throws(WireError) {
  switch method {
  case "intent.perform":
    let name = parameters["intent"]?.string ?? ""
    guard let intent = app.intents.first(where: { $0.identifier == name }) else {
      var error = unknown("intent", name, app.intents.map(\.identifier), of: app.bundleIdentifier)
      if isReleaseBuild {
        error.message += "; what stands in '#if DEBUG' is not in a release build"
      }
      throw error
    }
    for member in parameters["parameters"]?.members ?? []
    where !intent.parameters.contains(where: { $0.name == member.key }) {
      var error = unknown(
        "parameter", member.key, intent.parameters.map(\.name), of: "the intent \(name)")
      error.parameter = member.key
      throw error
    }
  case "entity.query":
    let query = parameters["query"]
    let entity = try entity(query?["type"]?.string ?? "", of: app)
    if query?["kind"]?.string == "spotlight", !entity.isIndexed {
      throw WireError(
        .unsupported,
        "\(entity.identifier) is no IndexedEntity, so the index never has one; make it an "
          + "IndexedEntity and index it, or ask its query")
    }
  case "screen.read":
    if let name = parameters["entity"]?.string { _ = try entity(name, of: app) }
  default: break
  }
}

private func entity(
  _ name: String, of app: AppDescription
) throws(WireError) -> AppDescription.Entity {
  if let entity = app.entities.first(where: { $0.identifier == name }) { return entity }
  throw unknown("entity", name, app.entities.map(\.identifier), of: app.bundleIdentifier)
}

private func unknown(
  _ kind: String, _ name: String, _ known: [String], of owner: String
) -> WireError {
  let near = NearNames(to: name, among: known).names
  let hint =
    if !near.isEmpty {
      didYouMean(near)
    } else if known.isEmpty {
      "; it has none"
    } else {
      "; it has \(known.sorted().prefix(20).joined(separator: ", "))"
    }
  return WireError(
    .unknownName,
    "\(owner.shortened(to: 200)) has no \(kind) '\(name.shortened(to: 200))'\(hint)")
}
