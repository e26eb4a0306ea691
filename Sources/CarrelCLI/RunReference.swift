import Evidence
import Glibc
import RunModel

/// The options and words that name recorded runs, the same for all commands.
enum RunReference {
  static let outputSpec = OptionSpec(
    "--output", value: "PATH", help: "folder of run records (default: PACKAGE/.carrel/runs)")
  static let packageSpec = OptionSpec(
    "--package", value: "PATH", help: "the package whose runs are meant (default: .)")

  /// The folder of run records that a command line means.
  ///
  /// - Parameter package: The package as it was typed; `nil` for the one around.
  static func runsFolder(
    _ arguments: ParsedArguments, package: String?, _ context: CommandContext
  ) -> String {
    if let path = arguments.string("--output") { return context.absolute(path) }
    let package = package.map { context.absolute($0) } ?? context.enclosingPackage()
    return RunRecord.runsFolder(ofPackage: package)
  }

  /// The words `[RUN] [PACKAGE]`; a package alone stands for its newest run: `carrel rerun PACKAGE`
  /// is what comes to mind after `carrel run PACKAGE`.
  static func split(
    _ words: [String], _ context: CommandContext
  ) -> (run: String, package: String?) {
    if words.count == 1, access(context.absolute(words[0]) + "/Package.swift", F_OK) == 0 {
      return ("latest", words[0])
    }
    return (words.first ?? "latest", words.dropFirst().first)
  }
}
