import Glibc
import RunModel
import SystemFiles
import Workers

/// The version of Carrel.
package let carrelVersion = "0.1.0"

/// A command of the tool.
private struct Command: Sendable {
  let spec: CommandSpec
  /// Is given arguments that do not ask for help.
  let run: @Sendable (ParsedArguments, CommandContext) throws -> ExitCode

  init(
    _ spec: CommandSpec,
    _ run: @escaping @Sendable (ParsedArguments, CommandContext) throws -> ExitCode
  ) {
    self.spec = spec
    self.run = run
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
    var code: ExitCode
    do {
      code = try run(arguments, context)
    } catch {
      let error = CommandError(error)
      context.complain("\(error.message)")
      code = error.exitCode
    }
    if let number = context.output.flush(), number != EPIPE {
      context.complain("cannot write to standard output: \(errorText(number))")
      if code == .success { code = .notWritten }
    }
    _ = context.errors.flush()
    return code.rawValue
  }

  private static func run(
    _ arguments: [String], _ context: CommandContext
  ) throws -> ExitCode {
    let rest = arguments.dropFirst()
    if let command = commands.first(where: { $0.spec.name == arguments.first }) {
      let parsed = try ParsedArguments(rest, spec: command.spec)
      guard parsed.asksForHelp else { return try command.run(parsed, context) }
      context.output.print(command.spec.help)
      return .success
    }
    switch arguments.first {
    case "--version", "version":
      context.output.print("carrel \(carrelVersion)")
      return .success
    case "--help", "-h", "help":
      guard let name = rest.first, arguments.first == "help" else {
        context.output.print(overview)
        return .success
      }
      guard let command = commands.first(where: { $0.spec.name == name }) else {
        throw unknown(name)
      }
      context.output.print(command.spec.help)
      return .success
    case nil:
      context.errors.print(overview)
      return .usage
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
    Command(BundleCommand.spec, BundleCommand.run), Command(ReproCommand.spec, ReproCommand.run),
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
