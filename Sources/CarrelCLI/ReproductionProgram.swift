import Evidence
import Glibc
import RunEngine
import RunModel
import SwiftTests
import SystemFiles
import Workers

/// A shell or a debugger where the test of a bundle would run: in its container, with its variables
/// and limits, at its level of isolation.
///
/// Everything is made as for a run of the test; only the last step starts something else. When that
/// ends, everything is removed.
final class ReproductionProgram {
  private enum Kind {
    case shell
    case debugger(Debugger)
  }

  private let kind: Kind
  private let failure: OriginalFailure
  private let plan: ReproductionPlan
  private let context: CommandContext

  /// - Returns: `nil` when the command line asks for none.
  init?(
    _ arguments: ParsedArguments, _ failure: OriginalFailure, _ context: CommandContext
  ) throws {
    guard arguments.has("--shell") || arguments.has("--debugger") else { return nil }
    self.failure = failure
    self.context = context
    kind =
      if let name = arguments.string("--debugger") {
        .debugger(Debugger(named: name, context))
      } else {
        .shell
      }
    plan = try ReproductionPlan(failure, arguments, context, opensProgram: true)
    for warning in plan.warnings { context.complain(warning) }
  }

  /// Opens it and waits for its end.
  ///
  /// - Returns: Its status, or 128 and the number of the signal that ended it; the status of the
  ///   command when it could not be started.
  func perform() throws -> Int32 {
    let run = TestRun(context, plan.request, kind: .program)
    var problem: (any Error)?
    run.onProcess = { [unowned self] session, request, container in
      do {
        return try replacement(for: request, in: container, session)
      } catch {
        problem = error
        throw error
      }
    }
    let code = try run.perform()
    if let problem { throw problem }
    guard let outcome = run.outcome, outcome.didRun else {
      return (code == .nothingMatched ? ExitCode.cannotReproduce : code).rawValue
    }
    if let reason = outcome.session.state.test(failure.manifest.test)?.attempts.last?.reason {
      throw CommandError(.environment, "the program could not be started: \(reason)")
    }
    if outcome.session.interruption != nil { return code.rawValue }
    switch run.lastEnd {
    case .exited(let status): return status
    case .signaled(let signal): return 128 + signal
    case .unknown, nil: return ExitCode.environment.rawValue
    }
  }

  private func replacement(
    for test: ProcessRequest, in container: Container, _ session: RunSession
  ) throws -> ProcessRequest {
    let command = TestCommand(test)
    let script = "/run-test"
    try writeSmallFile(container.root + script, Array(command.script.utf8), mode: 0o755)
    var program = test
    (program.hasChannel, program.control) = (false, nil)
    program.environment = command.environment
    if PseudoTerminal.isWanted { program.environment["TERM"] = context.environment["TERM"] }
    let isSandboxed = container.view != container.root
    switch kind {
    case .shell:
      program.executable = Self.shell(context.environment["SHELL"], isSandboxed: isSandboxed)
      program.arguments = []
    case .debugger(let debugger):
      program.executable = try debugger.executable(toolchain: session.toolchainFolder)
      program.arguments = debugger.arguments(for: command, executable: program.executable)
    }
    tell(test, command, program, container, session)
    return program
  }

  /// The user's shell when it is one that can be started.
  static func shell(_ path: String?, isSandboxed: Bool) -> String {
    guard let path, path.hasPrefix("/"), access(path, X_OK) == 0,
      !isSandboxed || !SandboxFolders.hidden.contains(where: { path.hasPrefix($0 + "/") })
    else { return "/bin/sh" }
    return path
  }

  /// Says where everything is, before the terminal belongs to somebody else.
  private func tell(
    _ test: ProcessRequest, _ command: TestCommand, _ program: ProcessRequest,
    _ container: Container, _ session: RunSession
  ) {
    let now = Surroundings(
      session, plan, start: nil, command: RecordedCommand(test, container: container))
    let level = session.state.header?.isolation ?? ""
    var lines = ReproductionFact.lines(Surroundings(failure).differences(in: now))
    lines += [
      "\(lastComponent(of: program.executable)) for \(failure.name), at the level '\(level)'",
      "  container: \(container.view) (\(now.container))",
      "  home:      \(container.seen.home)",
      "  index:     \(container.seen.index)",
      "  folder:    \(test.directory ?? "/")",
      "  the test:  \(container.view)/run-test",
    ]
    for line in plan.restoration.notes { context.complain(line) }
    for line in lines { context.errors.print(line) }
    _ = context.errors.flush()
  }
}

/// The command of a test for people who start it by hand: what it writes goes to the terminal.
struct TestCommand {
  let executable: String
  private(set) var arguments: [String]
  /// What the test sees.
  let environment: [String: String]
  /// What it needs besides; the test does not see it.
  private(set) var own: [String: String] = [:]
  private let directory: String?

  /// - Parameter request: As Carrel starts it.
  init(_ request: ProcessRequest) {
    executable = request.executable
    directory = request.directory
    arguments = Self.withoutStream(request.arguments)
    environment = request.environment.filter { name, _ in
      !["LD_PRELOAD", "SWIFT_BACKTRACE"].contains(name) && !name.hasPrefix("CARREL_OBSERVER_")
    }
    // Names that XCTest's own argument cannot hold.
    let selection = "CARREL_OBSERVER_SELECTION"
    guard request.environment[selection] != nil else { return }
    for name in [selection, "LD_PRELOAD"] { own[name] = request.environment[name] }
  }

  /// Swift Testing's arguments without those that send its events to Carrel and nothing to people.
  private static func withoutStream(_ arguments: [String]) -> [String] {
    var result: [String] = []
    var words = arguments[...]
    while let word = words.popFirst() {
      if ["--event-stream-output-path", "--event-stream-version", "--verbosity"].contains(word) {
        _ = words.popFirst()
      } else {
        result.append(word)
      }
    }
    return result
  }

  /// Runs the test once.
  var script: String {
    let words = [executable] + arguments
    let variables = own.sorted { $0.key < $1.key }.map { "\($0.key)=\(quoted($0.value)) " }
    return """
      #!/bin/sh
      # Runs the test in this container, as often as you like; each time it finds what is there.
      cd \(quoted(directory ?? "/")) || exit
      unset TERM
      \(variables.joined())exec \(words.map(quoted).joined(separator: " "))

      """
  }

  /// One word of a shell.
  private func quoted(_ text: String) -> String {
    "'" + text.replacing("'", with: "'\\''") + "'"
  }
}
