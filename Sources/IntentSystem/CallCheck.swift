import IntentWire

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
  let near = known.min { distance(name, $0) < distance(name, $1) }
  let hint: String
  if let near, distance(name, near) <= max(2, name.count / 3) {
    hint = "; did you mean '\(near)'?"
  } else if known.isEmpty {
    hint = "; it has none"
  } else {
    hint = "; it has \(known.sorted().prefix(20).joined(separator: ", "))"
  }
  return WireError(.unknownName, "\(owner) has no \(kind) '\(name)'\(hint)")
}

/// Edit distance without regard to ASCII case: insertions, deletions and substitutions of bytes.
private func distance(_ first: String, _ second: String) -> Int {
  let first = Array(first.lowercased().utf8.prefix(200))
  let second = Array(second.lowercased().utf8.prefix(200))
  var row = Array(0...second.count)
  for (index, byte) in first.enumerated() {
    var diagonal = row[0]
    row[0] = index + 1
    for (column, other) in second.enumerated() {
      let above = row[column + 1]
      row[column + 1] = min(above + 1, row[column] + 1, diagonal + (byte == other ? 0 : 1))
      diagonal = above
    }
  }
  return row[second.count]
}
