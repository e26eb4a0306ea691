import Glibc
import RunEngine
import RunModel
import SwiftTests
import Workers

/// The options that say how strongly batches are kept apart.
enum IsolationOptions {
  static let specs = [
    OptionSpec(
      "--isolation", value: "directories|processes|sandbox",
      help: "how strongly batches are kept apart: own folders; the same and limits; namespaces of "
        + "their own with a read-only system (default: sandbox, or processes where the machine "
        + "does not allow it)"),
    OptionSpec(
      "--network", value: "loopback|host|none",
      help: "what tests have of the network in a sandbox (default: loopback)"),
    OptionSpec(
      "--writable", value: "PATH", isRepeatable: true,
      help:
        "a file or folder that tests may write to in a sandbox, besides their container; made as "
        + "a folder when there is nothing"),
    OptionSpec(
      "--scratch", value: "PATH", isRepeatable: true,
      help:
        "a folder that tests may write to in a sandbox while it stays as it is: what they write "
        + "ends with their batch"),
    OptionSpec(
      "--home", value: "PATH", isRepeatable: true,
      help:
        "a file or folder of your home folder, relative to it, that tests see in theirs in a "
        + "sandbox; read-only, unless --writable or --scratch names it, too"),
    OptionSpec(
      "--clone", value: "auto|overlay|reflink|copy",
      help: "how containers get the data of a seed intent (default: the first that works)"),
  ]

  /// Takes over what the options say; they win over the configuration.
  ///
  /// - Parameter package: The package whose tests are run.
  static func take(
    _ arguments: ParsedArguments, into configuration: inout RunConfiguration,
    of package: PackageConfiguration? = nil, _ context: CommandContext
  ) throws(UsageError) {
    // Paths in a run archive start from its package, and are there when it is unpacked.
    var context = context
    let isOfArchive = package?.archive != nil
    if isOfArchive { context.folder = package?.location.package }
    var request = configuration.isolation
    defer { configuration.isolation = request }
    let level = try arguments.choice("--isolation", of: IsolationLevel.allCases.map(\.rawValue))
    let network = try arguments.choice("--network", of: SandboxNetwork.allCases.map(\.rawValue))
    if let level = level.flatMap({ IsolationLevel(rawValue: $0) }) { request.level = level }
    if let network = network.flatMap({ SandboxNetwork(rawValue: $0) }) {
      request.network = network
    }
    let paths = arguments.all("--writable")
    request.writable += paths.map { nameForTests($0, context) }
    let scratch = arguments.all("--scratch")
    for path in scratch where !isOfArchive && access(context.absolute(path), F_OK) != 0 {
      throw UsageError(message: "--scratch needs a folder that is there, and '\(path)' is not")
    }
    request.scratch += scratch.map { nameForTests($0, context) }
    let home = arguments.all("--home")
    for path in home {
      let name = HomePath.name(of: path, in: userHome(in: context.environment))
      guard let name else {
        throw UsageError(
          message: "--home needs a path in your home folder, like .cache/models, not '\(path)'")
      }
      if !request.home.contains(name) { request.home.append(name) }
    }
    let ways = ["auto"] + CloneWay.allCases.map(\.rawValue)
    if let way = try arguments.choice("--clone", of: ways) {
      request.clone = CloneWay(rawValue: way)
    }
    if request.level == .directories, !configuration.limits.isEmpty {
      throw UsageError(
        message: "the level 'directories' has no limits; use --isolation processes or sandbox")
    }
    guard let level = request.level, level != .sandbox else { return }
    for (name, isGiven) in [
      ("--network", network != nil), ("--writable", !paths.isEmpty),
      ("--scratch", !scratch.isEmpty), ("--home", !home.isEmpty),
      ("--clone overlay", request.clone == .overlay),
    ] where isGiven {
      throw UsageError(message: "\(name) needs a sandbox; the level is '\(level)'")
    }
  }

  /// The path without links; with them where they lie in a folder that sandboxes do not show, in
  /// which tests would not find them otherwise.
  private static func nameForTests(_ path: String, _ context: CommandContext) -> String {
    let name = context.absoluteName(path)
    let isHidden = SandboxFolders.hidden.contains { name.hasPrefix($0 + "/") }
    return isHidden ? name : context.absolute(path)
  }
}
