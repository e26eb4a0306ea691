import Orchestration
import Reporting
import RunEngine
import RunModel

/// `carrel list`.
enum ListCommand {
  static let spec = CommandSpec(
    name: "list", summary: "print the IDs of a package's tests", positionals: ["[PACKAGE]"],
    options: [ArchiveOptions.spec] + FilterOptions.specs + [
      OptionSpec("--format", value: "text|json", help: "form of the output (default: text)")
    ] + PackageOptions.specs,
    rest: "flags for 'swift build'")

  static func run(_ parsed: ParsedArguments, _ context: CommandContext) throws -> ExitCode {
    let isJSON = try parsed.choice("--format", of: ["text", "json"]) == "json"
    let filter = try FilterOptions.filter(parsed)
    var package = try PackageOptions.configuration(
      parsed, package: parsed.positionals.first, context)
    try ConfigurationFile.read(into: &package, parsed, context)
    context.writeInBackground()
    let outcome = try PackageListing(
      package, filter: filter, workFolder: try context.workFolder(),
      listener: BuildPrinter(context.errors)
    ).perform()
    if let signal = outcome.interruption { return ExitCode(signal: signal) }
    guard let selection = outcome.selection else { return .environment }
    let catalog = outcome.catalog
    if isJSON {
      context.writeJSON(ListReport.json(selection.tests))
    } else {
      let text = ListReport.text(selection.tests, among: catalog.tests)
      context.output.write(Array(text.utf8))
    }
    for warning in selection.warnings { context.complain("warning: \(warning)") }
    for problem in catalog.problems {
      context.complain("\(problem.message)")
      if let output = problem.output { context.errors.print(output) }
    }
    if catalog.problems.contains(where: { $0.severity == .error }) { return .listingFailed }
    if catalog.tests.isEmpty { throw CommandError(.nothingMatched, "the package has no tests") }
    if selection.tests.isEmpty {
      throw RunEngineError.nothingSelected(selection, listed: catalog.tests.count)
    }
    return .success
  }
}

/// Passes the build's output on.
final class BuildPrinter: RunListener {
  private let errors: Terminal

  init(_ errors: Terminal) { self.errors = errors }

  func buildDidPrint(_ bytes: UnsafeRawBufferPointer) { errors.write(bytes) }
  func runDid(_ event: RunEvent, state: RunState) {}
  func testIsSlow(_ test: TestID, seconds: Double) {}
}
