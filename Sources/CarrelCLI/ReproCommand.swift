import Evidence
import Glibc
import Orchestration
import RunEngine
import RunModel
import SwiftTests
import Workers

/// `carrel repro`.
enum ReproCommand {
  static let spec = CommandSpec(
    name: "repro", summary: "run the test of a failure bundle again",
    positionals: ["BUNDLE", "[PACKAGE]"],
    options: [
      OptionSpec(
        "--container", value: "auto|fresh|restored",
        help: "start with an empty container, or with the bundle's files; auto: empty if the test "
          + "ran first in its container, else the bundle's (default: auto)"),
      OptionSpec(
        "--with-predecessors", help: "run the tests that ran before it in its process first"),
      OptionSpec("--timeout", value: "SECONDS", help: "limit for the test (default: as it was)"),
    ] + LimitOptions.specs + [
      OptionSpec("--force", help: "use a bundle that is not whole"),
      ConfigurationFile.reproductionSpec,
      OptionSpec(
        "--output", value: "PATH", help: "folder of run records (default: PACKAGE/.carrel/runs)"),
    ] + IsolationOptions.specs + PackageOptions.specs,
    rest: "flags for 'swift build'",
    discussion: """
      Exit status: 0 reproduced (same verdict and same message), 10 passed, 11 failed differently,
      12 the test could not be run, 8 the bundle cannot be read; see also 'carrel run --help'.
      """)

  /// How reports say that a test can be run after those that it fails after.
  static let companyAdvice = "carrel repro --with-predecessors runs them first"

  static func run(_ parsed: ParsedArguments, _ context: CommandContext) throws -> ExitCode {
    guard let path = parsed.positionals.first else {
      throw UsageError(message: "which bundle? carrel repro BUNDLE [PACKAGE]")
    }
    let bundle = BundleReader(path: context.absolute(path))
    let check = try bundle.verify()
    if !check.isWhole {
      guard parsed.has("--force"), check.manifest != nil else {
        let hint = check.manifest == nil ? "" : "; --force uses it all the same"
        throw CommandError(.badBundle, BundleCommand.damage(bundle, check) + hint)
      }
      context.complain("warning: \(BundleCommand.damage(bundle, check))")
    }
    return try Reproduction(bundle, parsed, context).perform()
  }
}

extension ReproCommand {
  /// Where a path is when a folder that it may lie in is somewhere else now.
  static func moved(_ path: String, from old: String, to new: String) -> String {
    let (bytes, folder) = (Array(path.utf8), Array(old.utf8))
    guard !folder.isEmpty, bytes.starts(with: folder),
      bytes.count == folder.count || bytes[folder.count] == 47
    else { return path }
    return new + String(decoding: bytes.dropFirst(folder.count), as: UTF8.self)
  }
}

/// One attempt to reproduce a failure.
private struct Reproduction {
  private let bundle: BundleReader
  private let manifest: BundleManifest
  /// That of the run that the bundle is from.
  private let header: RunHeader?
  private let arguments: ParsedArguments
  private let context: CommandContext

  init(_ bundle: BundleReader, _ arguments: ParsedArguments, _ context: CommandContext) throws {
    self.bundle = bundle
    self.arguments = arguments
    self.context = context
    manifest = try bundle.manifest()
    header = try bundle.runHeader()
  }

  func perform() throws -> ExitCode {
    let command = try bundle.command()
    var package = try PackageOptions.configuration(
      arguments, package: arguments.positionals.dropFirst().first ?? recordedPackage, context,
      asIn: header)
    takeOver(command, into: &package)
    let tests =
      arguments.has("--with-predecessors")
      ? manifest.predecessors + [manifest.test] : [manifest.test]
    let limit = try arguments.limit("--timeout")
    let restores = try restoresContainer()
    var configuration = RunConfiguration(
      scheduling: SchedulerOptions(
        workers: 1, batch: .fixed(tests.count), retries: 0, checksCompany: false),
      timeLimit: limit.map { $0.isFinite ? $0 : nil } ?? manifest.timeLimit,
      seed: header?.seed ?? "", carrel: carrelVersion, arguments: arguments.commandLine)
    configuration.limits = try LimitOptions.limits(
      arguments, over: header?.limits?.limits ?? ResourceLimits())
    try ConfigurationFile.read(
      into: &configuration, &package, arguments, recorded: .some(header?.configuration), context)
    // The bundle has it.
    configuration.intents.extractsMetadata = false
    takeOverIsolation(into: &configuration.isolation, package: package.location.package)
    try IsolationOptions.take(arguments, into: &configuration, context)
    let restoration = ContainerRestoration(bundle)
    if restores { configuration.prepareContainer = { try restoration.restore(into: $0) } }
    let request = RunRequest(
      package: package, configuration: configuration,
      tests: .filter(try TestFilter(ids: tests.map { "\($0)" })), order: tests,
      runsFolder: arguments.string("--output").map { context.absolute($0) }, becomesLatest: false,
      workFolder: try context.workFolder())
    let run = TestRun(context, request, kind: .reproduction)
    let code = try run.perform()
    for line in restoration.notes { context.complain(line) }
    warnOfAnotherToolchain(run.outcome?.session.state.header?.toolchainDetails)
    if code == .nothingMatched {
      context.errors.print(
        "carrel: the bundle is about \(manifest.test.printableName) of the package "
          + "'\(ByteName(manifest.package).displayName)'")
    }
    guard let outcome = run.outcome, outcome.didRun,
      let attempt = outcome.session.state.test(manifest.test)?.attempts.last
    else {
      return code == .nothingMatched || code == .success ? .cannotReproduce : code
    }
    if outcome.session.interruption != nil || code == .notWritten { return code }
    return judge(attempt, command: command, newContainer: outcome.containerPath)
  }

  /// Another compiler or system can be why a failure is another one, or none.
  private func warnOfAnotherToolchain(_ details: ToolchainRecord?) {
    guard let details, let then = manifest.toolchainDetails else { return }
    let differences = details.facts.differences(
      from: then.facts.only { !$0.isOfBuild && $0 != .sandbox }
    ).filter { $0.weight(.compatible) != .ignored }
    guard !differences.isEmpty else { return }
    let rest = differences.count - 3
    context.complain(
      "warning: the test failed with another toolchain or system: "
        + differences.prefix(3).map { difference in
          "\(difference.fact) was \(difference.wanted), is \(difference.found ?? "not there")"
        }.joined(separator: "; ")
        + (rest > 0 ? "; and \(rest) more ('carrel toolchain verify --against' shows all)" : ""))
  }

  /// A test is run at the level at which it failed; in a sandbox again where that can be had.
  private func takeOverIsolation(into request: inout IsolationRequest, package: String) {
    guard !arguments.has("--isolation") else { return }
    request = IsolationRequest(level: IsolationLevel(rawValue: manifest.isolation))
    // The other ways need not work here, and give the same.
    if header?.clone == CloneWay.copy.rawValue { request.clone = .copy }
    guard request.level == .sandbox else { return }
    if let problem = Sandbox.problem() {
      context.complain(
        "warning: the test failed in a sandbox, and is run without: \(problem)")
      request.level = .processes
      return
    }
    // What lay in the package lies in this copy of it.
    let here = { (path: String) -> String? in
      let new = ReproCommand.moved(path, from: header?.packagePath ?? "", to: package)
      return access(new, F_OK) == 0 ? new : nil
    }
    request.writable = (header?.writable ?? []).compactMap(here)
    request.scratch = (header?.scratch ?? []).compactMap(here)
    if let network = header?.network.flatMap({ SandboxNetwork(rawValue: $0) }) {
      request.network = network
    }
  }

  /// The package of the bundle's run, when nobody named one and none is around.
  private var recordedPackage: String? {
    guard let path = header?.packagePath,
      access(context.enclosingPackage() + "/Package.swift", F_OK) != 0,
      access(path + "/Package.swift", F_OK) == 0
    else { return nil }
    return path
  }

  /// Lets the tests see the variables that they saw: those the user passed, not those that belong
  /// to a machine.
  private func takeOver(_ command: RecordedCommand?, into package: inout PackageConfiguration) {
    guard let command else { return }
    let ofMachine: Set = ["PATH", "USER", "LOGNAME", "SHELL"]
    let passed = (header?.passedVariables ?? []).filter { !ofMachine.contains($0) }
    for name in passed { package.environment[name] = command.environment[name] }
    if !passed.contains("CI") { package.environment["CI"] = nil }
    package.passedVariables += passed
  }

  /// A test that ran first found an empty container; one that had company found what the others
  /// left, and the bundle is as near to that as can be had.
  private func restoresContainer() throws -> Bool {
    switch try arguments.choice("--container", of: ["auto", "fresh", "restored"]) {
    case "fresh": false
    case "restored": true
    default: !manifest.predecessors.isEmpty && !arguments.has("--with-predecessors")
    }
  }

  private func judge(
    _ attempt: AttemptResult, command: RecordedCommand?, newContainer: String?
  ) -> ExitCode {
    let wanted = FailureSignature(manifest.attemptResult, container: command?.container)
    let found = FailureSignature(attempt, container: newContainer)
    let name = manifest.test.printableName
    if wanted == found {
      let verdict = wanted.verdict == .failed ? "failed" : "ended as \(wanted.verdict.rawValue)"
      context.output.print("REPRODUCED: \(name) \(verdict) with the same message")
      return .success
    }
    if attempt.verdict.isSuccess(leaksFail: true) {
      context.output.print("PASSED: \(name) did not fail this time (\(attempt.verdict.rawValue))")
      if !manifest.predecessors.isEmpty, !arguments.has("--with-predecessors") {
        context.output.print(
          "  it failed after other tests in the same process (\(manifest.predecessors.count)); "
            + "--with-predecessors runs them first")
      }
      return .notReproduced
    }
    context.output.print("FAILED DIFFERENTLY: \(name)")
    context.output.print("  then: \(wanted.safeText)")
    context.output.print("  now:  \(found.safeText)")
    return .failedDifferently
  }
}
