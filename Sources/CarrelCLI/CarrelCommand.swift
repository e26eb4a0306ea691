import Glibc
import RunModel
import SystemFiles
import Workers

/// The version of Carrel.
package let carrelVersion = "0.1.0"

/// A command of the tool.
private struct Command: Sendable {
  let spec: CommandSpec
  /// Is given arguments that do not ask for help; returns the status to end with.
  let run: @Sendable (ParsedArguments, CommandContext) throws -> Int32

  init(
    _ spec: CommandSpec,
    _ run: @escaping @Sendable (ParsedArguments, CommandContext) throws -> ExitCode
  ) {
    self.init(spec, status: { try run($0, $1).rawValue })
  }

  /// A command that may end with the status of another program.
  init(
    _ spec: CommandSpec,
    status: @escaping @Sendable (ParsedArguments, CommandContext) throws -> Int32
  ) {
    self.spec = spec
    run = status
  }
}

/// The command line tool.
package enum CarrelCommand {
  /// Runs a command line.
  ///
  /// - Parameter arguments: Without the name of the executable.
  /// - Returns: The exit status.
  package static func main(_ arguments: [String]) -> Int32 {
    // Writing then fails with an error, which is told like others.
    signal(SIGPIPE, SIG_IGN)
    signal(SIGXFSZ, SIG_IGN)
    // Whoever ignores it, and hands that on, takes the status of children away (wait(2)).
    signal(SIGCHLD, SIG_DFL)
    let context = CommandContext(StandardDescriptors.fill())
    var status: Int32
    do {
      status = try run(arguments, context)
    } catch {
      let error = CommandError(error)
      context.complain("\(error.message)")
      status = error.exitCode.rawValue
    }
    if let number = context.output.flush(), number != EPIPE {
      context.complain("cannot write to standard output: \(errorText(number))")
      if status == 0 { status = ExitCode.notWritten.rawValue }
    }
    _ = context.errors.flush()
    return status
  }

  private static func run(
    _ arguments: [String], _ context: CommandContext
  ) throws -> Int32 {
    let rest = arguments.dropFirst()
    if let command = commands.first(where: { $0.spec.name == arguments.first }) {
      let parsed = try ParsedArguments(rest, spec: command.spec)
      guard parsed.asksForHelp else { return try command.run(parsed, context) }
      context.output.print(command.spec.help)
      return ExitCode.success.rawValue
    }
    switch arguments.first {
    case "--version", "version":
      context.output.print("carrel \(carrelVersion)")
      return ExitCode.success.rawValue
    case "--help", "-h", "help":
      guard let name = rest.first, arguments.first == "help" else {
        context.output.print(overview)
        return ExitCode.success.rawValue
      }
      guard let command = commands.first(where: { $0.spec.name == name }) else {
        throw unknown(name)
      }
      context.output.print(command.spec.help)
      return ExitCode.success.rawValue
    case nil:
      context.errors.print(overview)
      return ExitCode.usage.rawValue
    case .some(let name): throw unknown(name)
    }
  }

  private static func unknown(_ name: String) -> UsageError {
    if name == "test" {
      return UsageError(message: "there is no command 'test'; 'carrel run' runs tests")
    }
    if name.hasPrefix("-") {
      let options = ["--help", "--version"].filter { isNear($0, name) }
      return UsageError(
        message: "there is no option '\(name)'"
          + (options.isEmpty ? "; see 'carrel --help'" : didYouMean(options)))
    }
    let near = commands.map(\.spec.name).filter { isNear($0, name) }
    let hint = near.isEmpty ? "; see 'carrel --help'" : didYouMean(Array(near.prefix(1)))
    return UsageError(message: "there is no command '\(name)'" + hint)
  }

  private static let commands = [
    Command(RunCommand.spec, RunCommand.run), Command(ListCommand.spec, ListCommand.run),
    Command(ArchiveCommand.spec, ArchiveCommand.run),
    Command(BundleCommand.spec, BundleCommand.run),
    Command(ReproCommand.spec, status: ReproCommand.run),
    Command(RerunCommand.spec, RerunCommand.run), Command(ResumeCommand.spec, ResumeCommand.run),
    Command(ReportCommand.spec, ReportCommand.run),
    Command(RunsCommand.spec, RunsCommand.run), Command(MergeCommand.spec, MergeCommand.run),
    Command(ToolchainCommand.spec, ToolchainCommand.run),
    Command(MetadataCommand.spec, MetadataCommand.run),
    Command(DoctorCommand.spec, DoctorCommand.run),
  ]

  private static var overview: String {
    let width = commands.map(\.spec.name.count).max() ?? 0
    let rows = commands.map(\.spec).map { spec in
      "  " + spec.name + String(repeating: " ", count: width - spec.name.count + 2) + spec.summary
    }
    return """
      carrel runs the tests of a Swift package on isolated workers and packs what fails.

      usage: carrel COMMAND [OPTION]... [ARGUMENT]...

      \(rows.joined(separator: "\n"))

      'carrel COMMAND --help' explains a command; 'carrel --version' prints the version.
      """
  }
}
