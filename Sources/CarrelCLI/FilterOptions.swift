import Orchestration

/// The options that say which tests are meant.
enum FilterOptions {
  /// - Throws: `OrchestrationError` for what is no regular expression.
  static func filter(_ arguments: ParsedArguments) throws -> TestFilter {
    try TestFilter(
      include: arguments.all("--filter"), skip: arguments.all("--skip"),
      ids: arguments.all("--test"))
  }

  static let specs = [
    OptionSpec(
      "--filter", "-f", value: "REGEX", isRepeatable: true,
      help: "only tests whose ID has a match"),
    OptionSpec(
      "--skip", value: "REGEX", isRepeatable: true, help: "no tests whose ID has a match"),
    OptionSpec(
      "--test", value: "ID", isRepeatable: true, help: "exactly this test, as listed"),
  ]
}
