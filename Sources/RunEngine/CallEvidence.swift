import IntentSystem

/// What the calls of an attempt left for its bundle.
struct CallEvidence: Sendable {
  var bundleIdentifier: String?
  var intentName: String?
  var fixtureToken: String?
  /// Bundle identifiers of the apps that were called.
  var apps: Set<String>
  /// Lines of the journal; `nil` when nothing was called.
  var journal: [UInt8]?

  init(_ intents: BatchIntents) {
    bundleIdentifier = intents.lastCall?.bundleIdentifier
    intentName = intents.lastCall?.intent
    fixtureToken = intents.fixtureToken
    apps = intents.calledApps
    guard !intents.journal.isEmpty else { return }
    var lines = intents.journal
    if intents.journalRest > 0 { lines += Array("{\"omitted\":\(intents.journalRest)}\n".utf8) }
    journal = lines
  }
}
