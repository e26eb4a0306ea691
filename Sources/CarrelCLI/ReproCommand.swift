/// `carrel repro`.
enum ReproCommand {
  static let spec = CommandSpec(name: "repro", summary: "run the test of a failure bundle again")
  static func run(_ arguments: ArraySlice<String>, _ context: CommandContext) throws -> ExitCode { .usage }
}
