package import IntentWire

/// One call that crossed the intent system, as a line of the journal.
package struct JournalEntry: Hashable, Sendable {
  /// Seconds since 1970.
  package var time: Double
  /// Seconds from the arrival of the call to its answer.
  package var duration: Double
  package var bundleIdentifier: String
  /// What ran the app.
  package var runtime: String
  /// `intent.perform`, `entity.query`, …
  package var method: String
  /// The name of the intent; `nil` for other calls.
  package var intent: String?
  package var parameters: WireJSON
  package var result: WireJSON?
  package var error: WireError?
  /// Queries of the app during the call.
  package var queries: WireJSON?
  /// Updates of the index that could not be found yet when it was asked.
  package var pendingUpdates = 0
  package var fixtureToken: String?

  package var json: WireJSON {
    var members: [WireJSON.Member] = [
      .init("time", .double(time)), .init("duration", .double(duration)),
      .init("bundle", .string(bundleIdentifier)), .init("runtime", .string(runtime)),
      .init("method", .string(method)), .init("intent", intent.map { .string($0) } ?? .null),
      .init("parameters", parameters),
    ]
    if let result { members.append(.init("result", result)) }
    if let error { members.append(.init("error", Self.json(of: error))) }
    if pendingUpdates > 0 {
      members.append(.init("pendingUpdates", .int(Int64(pendingUpdates))))
    }
    members.append(.init("queries", queries ?? .array([])))
    members.append(.init("fixtureToken", fixtureToken.map { .string($0) } ?? .null))
    return .object(members)
  }

  /// What is in `data` of an answer stands beside the message, but for the app's output and what
  /// its queries were asked.
  private static func json(of error: WireError) -> WireJSON {
    var members: [WireJSON.Member] = [
      .init("code", .int(Int64(error.code.rawValue))), .init("name", .string(error.code.name)),
      .init("message", .string(error.message)),
    ]
    members += (error.json["data"]?.members ?? []).filter {
      ["parameter", "prompt", "origin"].contains($0.key)
    }
    return .object(members)
  }
}
