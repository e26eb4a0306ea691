import Evidence
import Glibc
import RunModel

/// Where the package of a test that failed comes from. The one place that decides it.
struct ReproductionSource {
  /// A path as somebody may have typed it; `nil` for the package that the current folder is in.
  let path: String?

  /// - Parameters:
  ///   - given: What the command line says.
  ///   - isArchive: Whether the tests are from a run archive, which needs no package.
  /// - Throws: ``UsageError`` when the test was from a run archive, and neither that nor a package
  ///   is named or around.
  init(
    given: String?, isArchive: Bool, _ failure: OriginalFailure, _ context: CommandContext
  ) throws(UsageError) {
    path = given ?? (isArchive ? nil : Self.recorded(failure.header, context))
    guard path == nil, !isArchive, let archive = failure.header?.archive,
      access(context.enclosingPackage() + "/Package.swift", F_OK) != 0
    else { return }
    throw UsageError(
      message: "the test ran from the run archive '\(ByteName(archive.path).displayName)', and "
        + "there is no package here: carrel repro BUNDLE --archive FILE, or "
        + "carrel repro BUNDLE PACKAGE")
  }

  /// The package of the bundle's run, when none is around.
  private static func recorded(_ header: RunHeader?, _ context: CommandContext) -> String? {
    guard let path = header?.packagePath,
      access(context.enclosingPackage() + "/Package.swift", F_OK) != 0,
      access(path + "/Package.swift", F_OK) == 0
    else { return nil }
    return path
  }
}
