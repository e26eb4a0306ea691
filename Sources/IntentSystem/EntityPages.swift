import IntentWire

/// Identifiers in parts that an app can be asked for with one message each.
///
/// - Parameter most: Identifiers of a part.
func identifierPages(_ identifiers: [String], most: Int) -> [[String]] {
  // Each byte may take six in a message: `\u001f`.
  let mostBytes = WireMessage.maximumLength / 8
  var pages: [[String]] = []
  var page: [String] = []
  var bytes = 0
  for identifier in identifiers {
    let size = identifier.utf8.count
    if page.count == most || (!page.isEmpty && bytes + size > mostBytes) {
      pages.append(page)
      (page, bytes) = ([], 0)
    }
    page.append(identifier)
    bytes += size
  }
  return page.isEmpty ? pages : pages + [page]
}

extension AppSlot {
  /// Asks the app for the entities with these identifiers.
  func askForEntities(
    _ type: String, _ identifiers: [String],
    then handler: @escaping (Result<WireJSON, WireError>) -> Void
  ) {
    let query = IntentValue.Query(type: type, kind: .identifiers(identifiers))
    enqueue(
      .init(
        method: "entity.query",
        parameters: ["bundle": .string(app.bundleIdentifier), "query": query.json],
        onAnswer: handler))
  }
}
