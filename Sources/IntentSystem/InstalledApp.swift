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

/// An executable with an intent host that cannot be called.
package struct AppProblem: Hashable, Sendable {
  /// `nil` when the executable does not say it.
  package var bundleIdentifier: String?
  /// What is wrong and what to do.
  package var message: String

  package init(bundleIdentifier: String? = nil, message: String) {
    self.bundleIdentifier = bundleIdentifier
    self.message = message
  }
}
