import Orchestration
import RunEngine
import SystemFiles
import Testing

@testable import CarrelCLI

@Suite struct RunOptionsTests {
  private func configuration(_ words: [String]) throws -> SchedulerOptions {
    let parsed = try ParsedArguments(words, spec: RunCommand.spec)
    return try RunOptions.configuration(parsed, commandLine: words).scheduling
  }

  @Test(arguments: [
    ("--workers", 1...1000), ("--retries", 0...1000), ("--max-failures", 1...1_000_000_000),
    ("--batch", 1...1_000_000),
  ]) func numbersHaveARangeThatIsTold(name: String, range: ClosedRange<Int>) throws {
    for value in [range.lowerBound, range.upperBound] {
      _ = try configuration([name, "\(value)"])
    }
    for value in [
      range.lowerBound - 1, range.upperBound + 1, .min, 1 << 62, .max,
    ] {
      let error = #expect(throws: UsageError.self) { try configuration(["\(name)=\(value)"]) }
      #expect(
        error?.message.contains("from \(range.lowerBound) to \(range.upperBound), not '\(value)'")
          == true)
    }
  }

  @Test func valuesArriveWhereTheyBelong() throws {
    let options = try configuration([
      "-j", "3", "--retries", "2", "--max-failures", "4", "--batch", "5",
    ])
    #expect(options.workers == 3 && options.retries == 2 && options.maxFailures == 4)
    #expect(options.batch == .fixed(5))
    #expect(try configuration([]).batch == .auto)
  }

  @Test func thereIsAWorkerForEachCoreThatIsOnline() throws {
    let text = String(decoding: try #require(readSmallFile("/proc/stat")), as: UTF8.self)
    let cores = text.split(separator: "\n").count { $0.hasPrefix("cpu") && !$0.hasPrefix("cpu ") }
    #expect(try configuration([]).workers == cores)
  }

  private func context(_ environment: [String: String]) -> CommandContext {
    CommandContext(environment: environment)
  }

  @Test(arguments: ["A=B", "=B", "A=", "A*B", "**"])
  func onlyNamesOfVariablesArePassed(name: String) throws {
    let parsed = try ParsedArguments(["--pass-env", name], spec: RunCommand.spec)
    let error = #expect(throws: UsageError.self) {
      try PackageOptions.configuration(parsed, package: ".", context([:]))
    }
    #expect(error?.message.contains("--pass-env takes") == true)
    #expect(error?.message.contains("not '\(name)'") == true)
  }

  /// Tests have the container's, whatever is passed.
  @Test(arguments: ["HOME", "TMPDIR", "XDG_CACHE_HOME"]) func foldersAreNotPassed(name: String)
    throws
  {
    let parsed = try ParsedArguments(["--pass-env", name], spec: RunCommand.spec)
    let error = #expect(throws: UsageError.self) {
      try PackageOptions.configuration(parsed, package: ".", context([:]))
    }
    #expect(error?.message.hasPrefix("--pass-env \(name) would lead tests out") == true)
  }

  @Test(arguments: ["A", "A_*", "*"]) func namesMayEndInAStar(name: String) throws {
    let parsed = try ParsedArguments(["--pass-env", name], spec: RunCommand.spec)
    let package = try PackageOptions.configuration(parsed, package: ".", context([:]))
    #expect(package.passedVariables == [name])
  }

  private func package(_ words: [String]) throws -> PackageConfiguration {
    let parsed = try ParsedArguments(words, spec: RunCommand.spec)
    return try PackageOptions.configuration(parsed, package: ".", context([:]))
  }

  /// What `swift test` knows and `swift build` does not would look like a build that fails.
  @Test(arguments: [
    ("--filter", "before the '--'"), ("--skip=x", "before the '--'"), ("--parallel", "--workers"),
    ("--num-workers", "--workers"), ("--xunit-output", "--junit"), ("-l", "'carrel list'"),
    ("--enable-testable-imports", "-enable-testing"), ("--show-codecov-path", "builds nothing"),
    ("-c", "before the '--'"), ("--product", "all test products"),
  ])
  func whatIsNoFlagOfTheBuildIsRefused(flag: String, advice: String) throws {
    let error = #expect(throws: UsageError.self) { try package(["--", "-v", flag, "x"]) }
    let name = flag.prefix { $0 != "=" }
    #expect(error?.message.hasPrefix("'\(name)' cannot be passed on to 'swift build': ") == true)
    #expect(error?.message.contains(advice) == true, "\(error?.message ?? "")")
    // It is another program's.
    let flags = ["-Xlinker", flag, "-v"]
    #expect(try package(["--"] + flags).buildFlags == flags)
  }

  @Test func flagsWithoutABuildAreRefused() throws {
    let error = #expect(throws: UsageError.self) {
      try package(["--skip-build", "--", "-Xswiftc", "-DFOO"])
    }
    #expect(error?.message.contains("'-Xswiftc' after the '--'") == true)
    #expect(error?.message.contains("--skip-build") == true)
    #expect(try package(["--skip-build", "--"]).buildFlags == [])
  }

  @Test func theWorkFolderIsAbsolute() throws {
    #expect(try context([:]).workFolder() == nil)
    #expect(try context(["CARREL_WORK_DIR": "/var/tmp"]).workFolder() == "/var/tmp")
    for path in ["", "work", "./work", "~/work"] {
      let error = #expect(throws: CommandError.self) {
        try context(["CARREL_WORK_DIR": path]).workFolder()
      }
      #expect(error?.exitCode == .environment)
      #expect(error?.message.contains("absolute path of a folder, not '\(path)'") == true)
    }
  }
}
