import IntentWire

/// Refuses a call of a test whose parameters are not as docs/protocol.md has them, before an app is
/// asked.
///
/// - Throws: ``WireError`` with the code `invalidParameters`, and the parameter's name.
func checkShape(_ method: String, _ parameters: WireJSON) throws(WireError) {
  func fail(_ name: String, _ what: String) -> WireError {
    WireError(.invalidParameters, "\(method): \(what)", parameter: name)
  }
  func missing(_ name: String) -> WireError {
    fail(name, "'\(name)' is missing or of the wrong type")
  }
  guard parameters["bundle"]?.string != nil else { throw missing("bundle") }
  switch method {
  case "intent.perform":
    guard parameters["intent"]?.string != nil else { throw missing("intent") }
    guard parameters["parameters"]?.members != nil else { throw missing("parameters") }
  case "entity.query":
    guard let query = parameters["query"] else { throw missing("query") }
    do throws(WireShapeError) {
      _ = try IntentValue.Query(json: query)
    } catch {
      throw fail("query", "\(error)")
    }
  default: break
  }
}
