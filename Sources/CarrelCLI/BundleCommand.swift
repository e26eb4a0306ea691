/// `carrel bundle`.
enum BundleCommand {
  static let spec = CommandSpec(name: "bundle", summary: "list, show, extract or verify failure bundles")
  static func run(_ arguments: ArraySlice<String>, _ context: CommandContext) throws -> ExitCode { .usage }
}
