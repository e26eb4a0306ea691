import Evidence
import RunEngine
import RunModel
import SwiftTests

/// The option that names a run archive in the place of a package.
enum ArchiveOptions {
  static let spec = OptionSpec(
    "--archive", value: "FILE",
    help: "the tests that 'carrel archive' has packed; nothing is built, and neither sources nor a "
      + "compiler are needed")

  /// What an option of a build would be asked of an archive.
  private static let ofBuilds = ["--skip-build", "--configuration", "--scratch-path"]

  /// - Parameters:
  ///   - path: Of the archive, absolute.
  ///   - package: The package as it was typed; `nil` for none.
  /// - Throws: ``UsageError`` when a package is named, too, or something is said about its build;
  ///   ``EvidenceError`` when the archive cannot be read.
  static func configuration(
    _ arguments: ParsedArguments, path: String, package: String?, _ context: CommandContext
  ) throws -> PackageConfiguration {
    if let package, arguments.has("--archive") {
      throw UsageError(
        message: "'\(package)' and --archive both say where the tests are: leave out one of them")
    }
    let option =
      ofBuilds.first { arguments.has($0) && arguments.has("--archive") } ?? arguments.rest.first
    if let option {
      throw UsageError(
        message: "'\(option)' is for a build, and --archive builds nothing: leave out one of them")
    }
    let archive = try PackageArchive(path: path, carrel: carrelVersion)
    var result = PackageConfiguration(
      location: archive.location, buildFlags: archive.manifest.buildFlags,
      environment: context.environment, passedVariables: arguments.all("--pass-env"))
    result.archive = archive
    return result
  }

  /// The folder of run records that a command line means.
  ///
  /// - Returns: `nil` for that of the package; a run of an archive has it in the current folder.
  static func runsFolder(
    _ arguments: ParsedArguments, _ package: PackageConfiguration, _ context: CommandContext
  ) -> String? {
    if let path = arguments.string("--output") { return context.absolute(path) }
    guard package.archive != nil else { return nil }
    return RunRecord.runsFolder(ofPackage: context.absolute("."))
  }
}
