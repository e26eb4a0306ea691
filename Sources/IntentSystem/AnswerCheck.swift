import IntentWire

/// What is wrong with an app's answer to a call, so that nobody has to understand it later.
///
/// - Returns: `nil` when it is as docs/protocol.md has it.
func problem(with answer: WireJSON, to method: String) -> WireShapeError? {
  do throws(WireShapeError) {
    guard answer.members != nil else { throw WireShapeError("'result' is no object") }
    switch method {
    case "intent.perform":
      if let value = answer["value"] { _ = try IntentValue(json: value) }
      try checkText(answer["dialog"], "dialog")
      try checkText(answer["opened"], "opened")
      try checkQueries(answer)
    case "entity.query":
      for value in try require(answer["entities"]?.array, "entities") {
        try checkEntity(value)
      }
      try checkQueries(answer)
    case "screen.read":
      for text in try require(answer["texts"]?.array, "texts") {
        _ = try require(text.string, "texts")
      }
      for shown in try require(answer["entities"]?.array, "entities") {
        try checkEntity(try require(shown["entity"], "entity"))
      }
    default: break
    }
    return nil
  } catch {
    return error
  }
}

private func checkEntity(_ value: WireJSON) throws(WireShapeError) {
  guard case .entity = try IntentValue(json: value) else {
    throw WireShapeError("'entities' has what is no entity")
  }
}

private func checkText(_ value: WireJSON?, _ name: String) throws(WireShapeError) {
  if let value, value != .null { _ = try require(value.string, name) }
}

private func checkQueries(_ answer: WireJSON) throws(WireShapeError) {
  guard let queries = answer["queries"], queries != .null else { return }
  for query in try require(queries.array, "queries") { _ = try require(query.members, "queries") }
}
