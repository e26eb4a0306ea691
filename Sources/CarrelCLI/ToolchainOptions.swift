import RunEngine
import RunModel

/// The options that say which toolchain is used, and what a difference from the manifest is.
enum ToolchainOptions {
  static let path = OptionSpec(
    "--toolchain", value: "PATH",
    help: "the toolchain to use: its folder, or the one with its programs (default: what "
      + "carrel-toolchain.json or .swift-version wants, else the first on PATH)")
  static let policy = OptionSpec(
    "--toolchain-policy", value: "exact|compatible|off",
    help: "what a difference from carrel-toolchain.json is: an error; an error or a warning; "
      + "nothing, the file is not read (default: compatible)")

  static func request(
    _ arguments: ParsedArguments, _ context: CommandContext
  ) throws(UsageError) -> ToolchainRequest {
    var request = ToolchainRequest(
      path: arguments.string("--toolchain").map { context.absolute($0) })
    if let policy = try given(arguments) { request.policy = policy }
    return request
  }

  /// The policy of the command line; `nil` without one.
  static func given(_ arguments: ParsedArguments) throws(UsageError) -> ToolchainPolicy? {
    try arguments.choice("--toolchain-policy", of: ToolchainPolicy.allCases.map(\.rawValue))
      .flatMap { ToolchainPolicy(rawValue: $0) }
  }
}
