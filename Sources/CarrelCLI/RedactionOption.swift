import Evidence
import RunEngine

/// The option that says whether secrets are taken out of bundles.
enum RedactionOption {
  static let spec = OptionSpec(
    "--redaction", value: "on|off",
    help: "take secrets out of failure bundles (default: on)")

  /// What the command line says wins over the configuration.
  static func take(
    _ arguments: ParsedArguments, into configuration: inout RunConfiguration
  ) throws(UsageError) {
    guard let choice = try arguments.choice("--redaction", of: ["on", "off"]) else { return }
    configuration.redaction.isEnabled = choice == "on"
  }

  /// Reads the member `redaction` of a configuration.
  ///
  /// - Throws: ``ConfigurationFile/Problem``.
  static func check(_ options: RedactionOptions) throws(ConfigurationFile.Problem) {
    do throws(EvidenceError) {
      _ = try SecretSearch(options, environment: [:])
    } catch {
      throw ConfigurationFile.Problem(text: "'redaction.patterns': \(error)")
    }
  }
}
