package import IntentWire

/// How apps are called.
package struct IntentOptions: Sendable, Hashable {
  /// Seconds that an app has for one call.
  package var callLimit = 30.0
  /// Seconds from the start of an app's process to its hello.
  package var startLimit = 20.0
  /// Seconds from an app's update of the index to the time it can be found.
  package var indexDelay = 0.0
  /// The intent that makes the data that every attempt starts with.
  package var seed: SeedCall?
  /// Whether the metadata that the apps declare is extracted once a run, held against what they
  /// have registered, and put into bundles.
  package var extractsMetadata = false

  package init() {}
}

/// A call of an intent that makes data for tests.
package struct SeedCall: Sendable, Hashable {
  package var bundleIdentifier: String
  package var intent: String
  /// Values by the names of the parameters.
  package var parameters: [String: IntentValue]
  /// Whether the container and index that the call leaves are copied for each attempt; `false`
  /// calls the intent before each attempt.
  package var isShared: Bool

  package init(
    bundleIdentifier: String, intent: String, parameters: [String: IntentValue] = [:],
    isShared: Bool = true
  ) {
    self.bundleIdentifier = bundleIdentifier
    self.intent = intent
    self.parameters = parameters
    self.isShared = isShared
  }
}
