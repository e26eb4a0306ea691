import RunEngine
import RunModel
import SwiftTests
import Workers

/// The options that say which package's tests are meant and how they are built.
enum PackageOptions {
  static let specs = [
    ToolchainOptions.path, ToolchainOptions.policy,
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
      help: "limit for listing one product's tests; 'none' for no limit (default: 60)"),
  ]

  /// - Parameter earlier: A run whose build is to be repeated as far as the options say nothing
  ///   else.
  /// - Parameter archive: Absolute path of a run archive that is taken when the options name none.
  /// - Throws: ``UsageError``; ``EvidenceError`` when a run archive cannot be read.
  static func configuration(
    _ arguments: ParsedArguments, package given: String?, _ context: CommandContext,
    asIn earlier: RunHeader? = nil, archive: String? = nil
  ) throws -> PackageConfiguration {
    for name in arguments.all("--pass-env") { try check(variable: name) }
    if let path = arguments.string("--archive").map({ context.absolute($0) }) ?? archive {
      var result = try ArchiveOptions.configuration(
        arguments, path: path, package: given, context)
      result.toolchain = try ToolchainOptions.request(arguments, context)
      return result
    }
    let package = given ?? context.enclosingPackage()
    let configuration = try arguments.choice("--configuration", of: ["debug", "release"])
    try check(buildFlags: arguments.rest)
    if let flag = arguments.rest.first, arguments.has("--skip-build") {
      throw UsageError(
        message: "'\(flag)' after the '--' is for a build, and --skip-build builds nothing: leave "
          + "out one of them")
    }
    let limit = try arguments.limit("--listing-timeout")
    var result = PackageConfiguration(
      location: BuildLocation(
        package: context.absolute(package),
        scratch: arguments.string("--scratch-path").map { context.absolute($0) },
        configuration: configuration ?? earlier?.buildConfiguration ?? "debug"),
      buildFlags: arguments.rest.isEmpty ? earlier?.buildFlags ?? [] : arguments.rest,
      skipsBuild: arguments.has("--skip-build"),
      listingLimit: min(limit ?? 60, Double(ParsedArguments.mostSeconds)),
      environment: context.environment,
      passedVariables: arguments.all("--pass-env"))
    result.toolchain = try ToolchainOptions.request(arguments, context)
    return result
  }
}

extension PackageOptions {
  /// Flags that would build something else than what is run afterwards, and those that only
  /// `swift test` knows.
  private static let refusedFlags = [
    "--filter": "give it before the '--'", "--skip": "give it before the '--'",
    "--skip-build": "give it before the '--'", "--specifier": "use --filter before the '--'",
    "-s": "use --filter before the '--'", "--list-tests": "use 'carrel list'",
    "-l": "use 'carrel list'", "--num-workers": "use --workers before the '--'",
    "--parallel": "use --workers before the '--'",
    "--no-parallel": "use --workers 1 before the '--'",
    "--xunit-output": "use --junit before the '--'",
    "--attachments-path": "attachments are not collected",
    "--enable-testable-imports": "use -Xswiftc -enable-testing",
    "--disable-testable-imports": "it is a flag of 'swift test'",
    "--show-codecov-path": "it builds nothing", "--show-code-coverage-path": "it builds nothing",
    "--show-coverage-path": "it builds nothing",
    "-c": "give -c before the '--'", "--configuration": "give it before the '--'",
    "--scratch-path": "give it before the '--'",
    "--build-path": "use --scratch-path before the '--'",
    "--package-path": "give the package's path as PACKAGE", "-C": "give the path as PACKAGE",
    "--chdir": "give the path as PACKAGE", "--show-bin-path": "it builds nothing",
    "--help": "it builds nothing", "-h": "it builds nothing", "-help": "it builds nothing",
    "--version": "it builds nothing", "--print-manifest-job-graph": "it builds nothing",
    "--product": "all test products are built", "--target": "all test products are built",
  ]

  private static func check(variable name: String) throws(UsageError) {
    if Container(root: "/").environment.keys.contains(name) {
      throw UsageError(
        message: "--pass-env \(name) would lead tests out of their container, whose own they get")
    }
    if let equals = name.firstIndex(of: "=") {
      let before = name[..<equals]
      throw UsageError(
        message: "--pass-env takes the name of a variable without a value, not '\(name)'; "
          + "set it for carrel: \(name) carrel ... --pass-env \(before.isEmpty ? "NAME" : before)")
    }
    if name.dropLast().contains("*") {
      throw UsageError(message: "--pass-env takes a '*' only at the end of a name, not '\(name)'")
    }
  }

  private static func check(buildFlags flags: [String]) throws(UsageError) {
    var isValue = false
    for flag in flags {
      // The word after -Xswiftc and the like is for another program.
      if isValue {
        isValue = false
        continue
      }
      isValue = flag.hasPrefix("-X")
      let name = String(flag.prefix { $0 != "=" })
      if let advice = refusedFlags[name] {
        throw UsageError(message: "'\(name)' cannot be passed on to 'swift build': \(advice)")
      }
    }
  }
}
