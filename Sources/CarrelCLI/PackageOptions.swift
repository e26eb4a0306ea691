import RunEngine
import SwiftTests

/// The options that say which package's tests are meant and how they are built.
enum PackageOptions {
  static let specs = [
    OptionSpec("--skip-build", help: "use what was built last"),
    OptionSpec(
      "--configuration", "-c", value: "debug|release",
      help: "build configuration (default: debug)"),
    OptionSpec(
      "--scratch-path", value: "PATH", help: "SwiftPM's scratch folder (default: PACKAGE/.build)"),
    OptionSpec(
      "--pass-env", value: "NAME", isRepeatable: true,
      help: "pass this variable of the caller's to the tests too; NAME may end in '*'"),
    OptionSpec(
      "--listing-timeout", value: "SECONDS",
      help: "limit for listing one product's tests (default: 60)"),
  ]

  static func configuration(
    _ arguments: ParsedArguments, package: String, _ context: CommandContext
  ) throws(UsageError) -> PackageConfiguration {
    let configuration = try arguments.choice("--configuration", of: ["debug", "release"])
    let limit = try arguments.seconds("--listing-timeout")
    return PackageConfiguration(
      location: BuildLocation(
        package: context.absolute(package),
        scratch: arguments.string("--scratch-path").map { context.absolute($0) },
        configuration: configuration ?? "debug"),
      buildFlags: arguments.rest, skipsBuild: arguments.has("--skip-build"),
      listingLimit: limit.map { $0 ?? 1e6 } ?? 60, environment: context.environment,
      passedVariables: arguments.all("--pass-env"))
  }
}

/// The options that say which tests are meant.
enum FilterOptions {
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
