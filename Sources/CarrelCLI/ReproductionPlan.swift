import Evidence
import Glibc
import Orchestration
import RunEngine
import RunModel
import SwiftTests
import Workers

/// What is run to reproduce a failure: everything as it was, as far as the command line says
/// nothing else.
struct ReproductionPlan {
  let failure: OriginalFailure
  private(set) var request: RunRequest
  /// Puts the bundle's files into each container.
  let restoration: ContainerRestoration
  /// Whether it does.
  let restores: Bool
  let hasPredecessors: Bool
  /// What makes two failures comparable when secrets were taken out of one.
  let comparable: (AttemptResult) -> AttemptResult
  /// Whether a person looks around instead of the test's being run.
  let opensProgram: Bool
  /// What a person should know before it is run.
  private(set) var warnings: [String] = []

  init(
    _ failure: OriginalFailure, _ arguments: ParsedArguments, _ context: CommandContext,
    opensProgram: Bool = false, inCompany: Bool = false
  ) throws {
    self.failure = failure
    self.opensProgram = opensProgram
    hasPredecessors = inCompany || arguments.has("--with-predecessors")
    restoration = ContainerRestoration(failure.bundle)
    restores = try Self.restores(
      failure, arguments, opensProgram: opensProgram, hasPredecessors: hasPredecessors)
    let (manifest, header) = (failure.manifest, failure.header)
    let redactions = try RedactedReproduction(failure.bundle, context)
    var package = try Self.package(failure, arguments, without: redactions.variables, context)
    // What was built for the test alone is what its company needs.
    if inCompany { package.skipsBuild = true }
    let tests = hasPredecessors ? manifest.predecessors + [manifest.test] : [manifest.test]
    let limit = try arguments.limit("--timeout")
    var configuration = RunConfiguration(
      scheduling: SchedulerOptions(
        workers: 1, batch: .fixed(tests.count), retries: 0, checksCompany: false),
      timeLimit: limit.map { $0.isFinite ? $0 : nil } ?? manifest.timeLimit.map(Self.seconds),
      seed: header?.seed ?? "", carrel: carrelVersion, arguments: arguments.commandLine)
    configuration.place = failure.place
    configuration.fileMask = failure.command?.fileMask
    configuration.folder = context.absolute(".")
    configuration.limits = try LimitOptions.limits(
      arguments, over: header?.limits?.limits ?? ResourceLimits())
    configuration.limits.silence = configuration.limits.silence.map(Self.seconds)
    try RedactionOption.take(arguments, into: &configuration)
    try ConfigurationFile.read(
      into: &configuration, &package, arguments, recorded: .some(header?.configuration), context)
    // The bundle has it.
    configuration.intents.extractsMetadata = false
    var warnings = Self.takeOverIsolation(
      failure, into: &configuration.isolation, of: package, arguments, context)
    try IsolationOptions.take(arguments, into: &configuration, of: package, context)
    comparable = try redactions.comparison(
      configuration.redaction, environment: package.environment)
    warnings += redactions.warnings(
      restoresContainer: restores, environment: package.environment)
    self.warnings = warnings
    let restoration = restoration
    if restores { configuration.prepareContainer = { try restoration.restore(into: $0) } }
    if opensProgram { (configuration.timeLimit, configuration.limits.silence) = (nil, nil) }
    request = RunRequest(
      package: package, configuration: configuration,
      tests: .filter(try TestFilter(ids: tests.map { "\($0)" })), order: tests,
      runsFolder: ArchiveOptions.runsFolder(arguments, package, context), becomesLatest: false,
      workFolder: try context.workFolder())
    request.keepsRecord = !opensProgram
  }

  /// The same for one more time: what was built stays.
  var again: RunRequest {
    var request = request
    request.package.skipsBuild = true
    return request
  }

  /// A bundle may say anything.
  private static func seconds(_ value: Double) -> Double {
    min(max(value, 0.001), Double(ParsedArguments.mostSeconds))
  }

  // MARK: what is taken over

  private static func package(
    _ failure: OriginalFailure, _ arguments: ParsedArguments, without removed: Set<String>,
    _ context: CommandContext
  ) throws -> PackageConfiguration {
    let source = try ReproductionSource(
      given: arguments.positionals.dropFirst().first, isArchive: arguments.has("--archive"),
      failure, context)
    var package = try PackageOptions.configuration(
      arguments, package: source.path, context, asIn: failure.header)
    package.toolchain.original = failure.manifest.toolchainDetails?.facts
    // Who gives flags wants what they make.
    package.reusesBuild = arguments.rest.isEmpty && !arguments.has("--build")
    takeOverVariables(failure, without: removed, into: &package)
    return package
  }

  /// Lets the tests see the variables that they saw: those the user passed, not those that belong
  /// to a machine.
  ///
  /// - Parameter removed: Variables of which the bundle does not have the values; those of the
  ///   caller stay.
  private static func takeOverVariables(
    _ failure: OriginalFailure, without removed: Set<String>,
    into package: inout PackageConfiguration
  ) {
    guard let command = failure.command else { return }
    let ofMachine: Set = ["PATH", "USER", "LOGNAME", "SHELL"]
    let passed = (failure.header?.passedVariables ?? []).filter { !ofMachine.contains($0) }
    for name in passed where !removed.contains(name) {
      package.environment[name] = command.environment[name]
    }
    if !passed.contains("CI") { package.environment["CI"] = nil }
    package.passedVariables += passed
  }

  /// A test is run at the level at which it failed; in a sandbox again where that can be had.
  ///
  /// - Returns: Warnings about what cannot be taken over.
  private static func takeOverIsolation(
    _ failure: OriginalFailure, into request: inout IsolationRequest,
    of package: PackageConfiguration, _ arguments: ParsedArguments, _ context: CommandContext
  ) -> [String] {
    guard !arguments.has("--isolation") else { return [] }
    let header = failure.header
    request = IsolationRequest(level: IsolationLevel(rawValue: failure.manifest.isolation))
    // The other ways need not work here, and give the same.
    if header?.clone == CloneWay.copy.rawValue { request.clone = .copy }
    guard request.level == .sandbox else { return [] }
    if let problem = Sandbox.problem() {
      request.level = .processes
      return ["warning: the test failed in a sandbox, and is run without: \(problem)"]
    }
    // What lay in the package lies in this copy of it.
    let here = { (path: String) -> String? in
      let folder = package.location.package
      let new = ReproCommand.moved(path, from: header?.packagePath ?? "", to: folder)
      // What is in an archive is known when it is unpacked.
      let isInArchive = package.archive != nil && new.hasPrefix(folder + "/")
      return isInArchive || access(new, F_OK) == 0 ? new : nil
    }
    request.writable = (header?.writable ?? []).compactMap(here)
    request.scratch = (header?.scratch ?? []).compactMap(here)
    let home = userHome(in: context.environment) ?? ""
    let names = header?.home ?? []
    request.home = names.filter { access("\(home)/\($0)", F_OK) == 0 }
    if let network = header?.network.flatMap({ SandboxNetwork(rawValue: $0) }) {
      request.network = network
    }
    return names.filter { !request.home.contains($0) }.map {
      "warning: the test saw '~/\($0)' of the home folder, and it is not there"
    }
  }

  /// A test that ran first found an empty container; one that had company found what the others
  /// left, and the bundle is as near to that as can be had. Who looks around wants to see what the
  /// test has left.
  private static func restores(
    _ failure: OriginalFailure, _ arguments: ParsedArguments, opensProgram: Bool,
    hasPredecessors: Bool
  ) throws(UsageError) -> Bool {
    switch try arguments.choice("--container", of: ["auto", "fresh", "restored"]) {
    case "fresh": false
    case "restored": true
    default: opensProgram || (!failure.manifest.predecessors.isEmpty && !hasPredecessors)
    }
  }
}
