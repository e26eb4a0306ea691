package import IntentWire

/// An app that tests can call: an executable with intents in it.
package struct InstalledApp: Hashable, Sendable {
  package var description: AppDescription
  /// Absolute path.
  package var executable: String

  package init(description: AppDescription, executable: String) {
    self.description = description
    self.executable = executable
  }

  package var bundleIdentifier: String { description.bundleIdentifier }
}
