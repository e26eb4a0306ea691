import Orchestration
import RunEngine
import RunModel
import Testing
import Workers

@testable import CarrelCLI

@Suite struct IsolationOptionsTests {
  private func take(
    _ words: [String], over isolation: IsolationRequest = IsolationRequest(),
    limits: ResourceLimits = ResourceLimits()
  ) throws -> IsolationRequest {
    let parsed = try ParsedArguments(words[...], spec: RunCommand.spec)
    var configuration = RunConfiguration(
      scheduling: SchedulerOptions(workers: 1, batch: .fixed(1), retries: 0), timeLimit: nil,
      seed: "s", carrel: "0", arguments: [])
    configuration.isolation = isolation
    configuration.limits = limits
    try IsolationOptions.take(parsed, into: &configuration, CommandContext())
    return configuration.isolation
  }

  @Test func optionsWinOverTheConfiguration() throws {
    let configured = IsolationRequest(level: .sandbox, network: .none, writable: ["/a"])
    #expect(try take([], over: configured) == configured)
    #expect(
      try take(["--network", "host", "--writable", "/b"], over: configured)
        == IsolationRequest(level: .sandbox, network: .host, writable: ["/a", "/b"]))
    #expect(
      try take(["--scratch", "/usr", "--scratch", "/etc", "--clone", "copy"], over: configured)
        == IsolationRequest(
          level: .sandbox, network: .none, writable: ["/a"], scratch: ["/usr", "/etc"], clone: .copy
        ))
    #expect(
      try take(["--clone", "auto"], over: IsolationRequest(clone: .copy)) == IsolationRequest())
    #expect(try take(["--clone", "reflink"]).clone == .reflink)
    #expect(try take(["--isolation", "processes"], over: configured).level == .processes)
    #expect(try take([]).level == nil)
    // Where sandboxes work they are the default.
    #expect(try take(["--network", "host"]) == IsolationRequest(network: .host))
  }

  @Test(arguments: [
    (["--isolation", "strong"], "--isolation needs one of"),
    (
      ["--network", "host", "--isolation", "directories"],
      "--network needs a sandbox; the level is 'directories'"
    ),
    (
      ["--writable", "/a", "--isolation", "processes"],
      "--writable needs a sandbox; the level is 'processes'"
    ),
    (["--isolation", "sandbox", "--network", "x"], "--network needs one of"),
    (["--scratch", "/no/such/folder"], "--scratch needs a folder that is there"),
    (
      ["--scratch", "/usr", "--isolation", "processes"],
      "--scratch needs a sandbox; the level is 'processes'"
    ),
    (
      ["--clone", "overlay", "--isolation", "processes"],
      "--clone overlay needs a sandbox; the level is 'processes'"
    ),
    (["--clone", "x"], "--clone needs one of"),
  ])
  func whatMakesNoSenseIsRefused(words: [String], message: String) throws {
    let error = #expect(throws: UsageError.self) { try take(words) }
    #expect(error?.message.contains(message) == true, "\(error?.message ?? "")")
  }

  @Test func limitsNeedALevelThatHasThem() throws {
    let limits = ResourceLimits(files: 100)
    #expect(throws: UsageError.self) { try take(["--isolation", "directories"], limits: limits) }
    #expect(try take(["--isolation", "sandbox"], limits: limits).level == .sandbox)
  }
}
