import RunEngine
import RunModel
import SystemFiles
import TestSupport
import Testing

@testable import CarrelCLI

/// Limits from the command line and from the configuration.
@Suite struct LimitOptionsTests {
  private func limits(_ words: [String]) throws -> ResourceLimits {
    let parsed = try ParsedArguments(words, spec: RunCommand.spec)
    return try RunOptions.configuration(parsed, commandLine: words).limits
  }

  @Test func valuesArriveWhereTheyBelong() throws {
    #expect(try limits([]) == ResourceLimits())
    let words = [
      "--memory-limit", "2GiB", "--process-limit=64", "--file-limit", "256", "--disk-limit",
      "1.5MiB", "--cpus", "2", "--silence-limit", "0.5",
    ]
    #expect(
      try limits(words)
        == ResourceLimits(
          memory: 2 << 30, processes: 64, files: 256, disk: 3 << 19, cpus: 2, silence: 0.5))
  }

  @Test(arguments: [
    ("--memory-limit", "2GB", "a size like \"512MiB\" or \"2GiB\""),
    ("--memory-limit", "1MiB", "from 64 MiB to 1024 TiB, or 'none', not '1MiB'"),
    ("--disk-limit", "100", "(units: B, KiB, MiB, GiB, TiB)"),
    ("--process-limit", "0", "a whole number from 1 to 4000000, or 'none', not '0'"),
    ("--file-limit", "31", "a whole number from 32 to"), ("--cpus", "1.5", "a whole number from 1"),
    ("--silence-limit", "0", "a number of seconds above 0"),
  ])
  func whatIsNoLimit(name: String, value: String, message: String) {
    let error = #expect(throws: UsageError.self) { try limits([name, value]) }
    #expect(error?.message.contains("\(name) needs ") == true)
    #expect(error?.message.contains(message) == true, "\(error?.message ?? "")")
  }

  /// The command line wins, and takes limits of the file back.
  @Test func commandLineComesFirst() throws {
    let folder = try TemporaryFolder()
    let text = #"{"format": "1.0", "limits": {"memory": "1GiB", "files": 99, "cpus": 3}}"#
    try writeSmallFile(folder.path(of: "carrel.json"), Array(text.utf8))
    func read(_ words: [String], recorded: String?? = nil) throws -> ResourceLimits {
      let parsed = try ParsedArguments(words, spec: RunCommand.spec)
      var configuration = try RunOptions.configuration(parsed, commandLine: words)
      let context = CommandContext(environment: [:])
      var package = try PackageOptions.configuration(parsed, package: folder.path, context)
      try ConfigurationFile.read(
        into: &configuration, &package, parsed, recorded: recorded, context)
      return configuration.limits
    }
    #expect(try read([]) == ResourceLimits(memory: 1 << 30, files: 99, cpus: 3))
    #expect(
      try read(["--cpus", "1", "--memory-limit", "none"]) == ResourceLimits(files: 99, cpus: 1))
    // A run that is repeated has its limits from its record, not once more from its text.
    #expect(try read(["--cpus", "1"], recorded: .some(text)) == ResourceLimits(cpus: 1))
  }
}
