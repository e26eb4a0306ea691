import IntentWire
import RunModel

/// The options that limit what an attempt may use, and the same keys of `carrel.json`.
///
/// What stands on the command line wins; `none` there takes back a limit of the file.
enum LimitOptions {
  static let memorySizes = (64 << 20)...(1 << 50)
  static let processCounts = 1...4_000_000
  static let fileCounts = 32...1_000_000
  static let diskSizes = 4096...(1 << 50)
  static let cpuCounts = 1...8192

  static let specs = [
    OptionSpec(
      "--memory-limit", value: "SIZE",
      help: "memory of a batch's processes, like 2GiB; 'none' for no limit (default: none)"),
    OptionSpec(
      "--process-limit", value: "N",
      help: "processes and threads of a batch, or 'none' (default: none)"),
    OptionSpec(
      "--file-limit", value: "N",
      help: "files that a process has open at once, or 'none' (default: none)"),
    OptionSpec(
      "--disk-limit", value: "SIZE",
      help: "size of a file that is written, and of all files in a container, or 'none' (default: "
        + "none)"),
    OptionSpec(
      "--cpus", value: "N",
      help: "cores that the processes of a batch run on, or 'none' for all (default: none)"),
    OptionSpec(
      "--silence-limit", value: "SECONDS",
      help: "end a test without output or event for so long, or 'none' (default: none)"),
  ]

  /// - Returns: The given limits with those of the command line in their places.
  static func limits(
    _ arguments: ParsedArguments, over limits: ResourceLimits = ResourceLimits()
  ) throws(UsageError) -> ResourceLimits {
    var result = limits
    try take(&result.memory, arguments.size("--memory-limit", in: memorySizes))
    try take(&result.processes, arguments.count("--process-limit", in: processCounts))
    try take(&result.files, arguments.count("--file-limit", in: fileCounts))
    try take(&result.disk, arguments.size("--disk-limit", in: diskSizes))
    try take(&result.cpus, arguments.count("--cpus", in: cpuCounts))
    if let seconds = try arguments.limit("--silence-limit") {
      result.silence = seconds.isFinite ? seconds : nil
    }
    return result
  }

  private static func take(_ limit: inout Int?, _ given: Int??) throws(UsageError) {
    if let given { limit = given }
  }

  static let keys = ["cpus", "disk", "files", "memory", "processes", "silence"]

  /// The limits of the object `limits` of a configuration.
  ///
  /// - Parameter json: The object; its keys are known.
  static func read(_ json: WireJSON) throws(ConfigurationFile.Problem) -> ResourceLimits {
    var limits = ResourceLimits()
    limits.memory = try size(json["memory"], "limits.memory", in: memorySizes)
    limits.processes = try count(json["processes"], "limits.processes", in: processCounts)
    limits.files = try count(json["files"], "limits.files", in: fileCounts)
    limits.disk = try size(json["disk"], "limits.disk", in: diskSizes)
    limits.cpus = try count(json["cpus"], "limits.cpus", in: cpuCounts)
    if let silence = json["silence"] {
      let most = ParsedArguments.mostSeconds
      guard let seconds = silence.double, seconds > 0, seconds <= Double(most) else {
        throw ConfigurationFile.Problem(
          text: "'limits.silence' must be a number of seconds of more than 0 and at most \(most)")
      }
      limits.silence = seconds
    }
    return limits
  }

  private static func size(
    _ json: WireJSON?, _ path: String, in range: ClosedRange<Int>
  ) throws(ConfigurationFile.Problem) -> Int? {
    guard let json else { return nil }
    guard let bytes = json.string.flatMap({ ByteSize.parse($0) }), range.contains(bytes) else {
      throw ConfigurationFile.Problem(text: "'\(path)' must be \(sizes(range))")
    }
    return bytes
  }

  private static func count(
    _ json: WireJSON?, _ path: String, in range: ClosedRange<Int>
  ) throws(ConfigurationFile.Problem) -> Int? {
    guard let json else { return nil }
    guard case .int(let number) = json, range.contains(Int(number)) else {
      throw ConfigurationFile.Problem(
        text: "'\(path)' must be a whole number from \(range.lowerBound) to \(range.upperBound)")
    }
    return Int(number)
  }

  fileprivate static func sizes(_ range: ClosedRange<Int>) -> String {
    "a size like \"512MiB\" or \"2GiB\" (units: B, KiB, MiB, GiB, TiB), from "
      + "\(ByteSize.text(range.lowerBound)) to \(ByteSize.text(range.upperBound))"
  }
}

extension ParsedArguments {
  /// A size in bytes; `.some(nil)` for `none`, `nil` when the option is not there.
  fileprivate func size(
    _ name: String, in range: ClosedRange<Int>
  ) throws(UsageError) -> Int?? {
    guard let text = string(name) else { return nil }
    if text == "none" { return .some(nil) }
    guard let bytes = ByteSize.parse(text), range.contains(bytes) else {
      throw UsageError(
        message: "\(name) needs \(LimitOptions.sizes(range)), or 'none', not '\(text)'")
    }
    return bytes
  }

  /// A whole number; `.some(nil)` for `none`, `nil` when the option is not there.
  fileprivate func count(
    _ name: String, in range: ClosedRange<Int>
  ) throws(UsageError) -> Int?? {
    guard let text = string(name) else { return nil }
    if text == "none" { return .some(nil) }
    guard let number = Int(text), range.contains(number) else {
      throw UsageError(
        message: "\(name) needs a whole number from \(range.lowerBound) to \(range.upperBound), or "
          + "'none', not '\(text)'")
    }
    return number
  }
}
