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
  package var fixtureToken: String?

  package var json: WireJSON {
    var members: [WireJSON.Member] = [
      .init("time", .double(time)), .init("duration", .double(duration)),
      .init("bundle", .string(bundleIdentifier)), .init("runtime", .string(runtime)),
      .init("method", .string(method)), .init("intent", intent.map { .string($0) } ?? .null),
      .init("parameters", parameters),
    ]
    if let result { members.append(.init("result", result)) }
    if let error {
      members.append(
        .init(
          "error", ["code": .int(Int64(error.code.rawValue)), "message": .string(error.message)]))
    }
    members.append(.init("queries", queries ?? .array([])))
    members.append(.init("fixtureToken", fixtureToken.map { .string($0) } ?? .null))
    return .object(members)
  }
}
