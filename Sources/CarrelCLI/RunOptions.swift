import Evidence
import Glibc
import Orchestration
import RunEngine
import RunModel

/// The options that say how tests are run.
enum RunOptions {
  static let workerCounts = 1...1000
  static let batchSizes = 1...1_000_000
  static let retryCounts = 0...1000
  static let failureCounts = 1...1_000_000_000

  static let specs =
    [
      OptionSpec(
        "--workers", "-j", value: "N",
        help: "batches that run at once, up to 1000 (default: number of cores; 1 is serial)"),
      OptionSpec(
        "--batch", value: "auto|N",
        help: "tests that share a process and a container; 1 is full isolation (default: auto)"),
      OptionSpec(
        "--start", value: "cold|warm|auto",
        help:
          "load the test executable for each process, or once and copy it; auto: warm when many "
          + "processes are planned (default: auto)"),
      OptionSpec(
        "--timeout", value: "SECONDS",
        help: "limit for each test; 'none' for no limit (default: 300)"),
      OptionSpec(
        "--grace", value: "SECONDS",
        help: "time between SIGTERM and SIGKILL for a test that is ended (default: 2)"),
      OptionSpec(
        "--slow", value: "SECONDS",
        help: "report a test that runs longer than this; 'none' for never (default: 60)"),
    ] + LimitOptions.specs + [
      OptionSpec(
        "--retries", value: "N",
        help: "try a failed test again, alone, up to N times, at most 1000 (default: 0)"),
      OptionSpec(
        "--leaks", value: "pass|fail",
        help: "what a test that leaves processes behind counts as (default: fail)"),
      OptionSpec("--max-failures", value: "N", help: "end the run after N failed tests"),
      OptionSpec(
        "--company-check", value: "on|off",
        help: "try each failed test once more without, or with, its neighbours (default: on)"),
      OptionSpec(
        "--seed", value: "TEXT",
        help: "seed of the run, from which fixture tokens are made (default: drawn)"),
      OptionSpec(
        "--metadata",
        help:
          "build once more to extract the apps' App Intents metadata, hold it against what they "
          + "register, and put it into bundles"),
      ConfigurationFile.spec,
      OptionSpec(
        "--junit", value: "PATH",
        help: "write a JUnit XML report there too, and make the folders that are missing"),
      OptionSpec(
        "--output", value: "PATH", help: "folder of run records (default: PACKAGE/.carrel/runs)"),
      OptionSpec(
        "--bundle-compression", value: "none|gzip|zstd",
        help: "compression of failure bundles (default: zstd)"),
      RedactionOption.spec,
      OptionSpec(
        "--quiet", "-q",
        help: "print no line at the start and for tests that succeed, and no build output"),
    ]

  static func configuration(
    _ arguments: ParsedArguments, commandLine: [String]
  ) throws(UsageError) -> RunConfiguration {
    let batchText = arguments.string("--batch") ?? "auto"
    guard let batch = BatchPolicy(batchText), batch.isIn(batchSizes) else {
      throw UsageError(
        message: "--batch needs 'auto' or a whole number from \(batchSizes.lowerBound) to "
          + "\(batchSizes.upperBound), not '\(batchText)'")
    }
    let compression = try arguments.choice(
      "--bundle-compression", of: BundleCompression.allCases.map(\.rawValue))
    let start = try arguments.choice("--start", of: StartPolicy.allCases.map(\.rawValue))
    let limit = try arguments.limit("--timeout") ?? 300
    var random = SystemRandomNumberGenerator()
    var scheduling = SchedulerOptions(
      workers: try arguments.integer("--workers", in: workerCounts)
        ?? min(availableCores(), workerCounts.upperBound), batch: batch,
      retries: try arguments.integer("--retries", in: retryCounts) ?? 0,
      checksCompany: try arguments.choice("--company-check", of: ["on", "off"]) != "off",
      leaksFail: try arguments.choice("--leaks", of: ["pass", "fail"]) != "pass",
      maxFailures: try arguments.integer("--max-failures", in: failureCounts))
    scheduling.checksTimeouts = limit <= longestCheckedLimit
    var configuration = RunConfiguration(
      scheduling: scheduling, timeLimit: limit.isFinite ? limit : nil,
      grace: try arguments.seconds("--grace") ?? 2,
      slowAfter: min(
        try arguments.limit("--slow") ?? 60, Double(ParsedArguments.mostSeconds)),
      compression: compression.flatMap { BundleCompression(rawValue: $0) } ?? .zstd,
      start: start.flatMap { StartPolicy(rawValue: $0) } ?? .auto,
      seed: arguments.string("--seed") ?? hexadecimal(random.next()), carrel: carrelVersion,
      arguments: commandLine)
    configuration.limits = try LimitOptions.limits(arguments)
    try RedactionOption.take(arguments, into: &configuration)
    configuration.intents.extractsMetadata = arguments.has("--metadata")
    return configuration
  }

  /// Longest time limit, in seconds, after which a test is tried once more alone.
  private static let longestCheckedLimit = 30.0

  /// Cores that are online.
  static func availableCores() -> Int {
    max(1, sysconf(Int32(_SC_NPROCESSORS_ONLN)))
  }
}

extension BatchPolicy {
  /// Whether a fixed size is in the range.
  fileprivate func isIn(_ range: ClosedRange<Int>) -> Bool {
    guard case .fixed(let size) = self else { return true }
    return range.contains(size)
  }
}
