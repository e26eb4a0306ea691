import Evidence
package import SwiftTests

/// Where the tests come from.
package struct PackageConfiguration: Sendable {
  package var location: BuildLocation
  /// The run archive that they are taken from; `nil` when they are built. The location then says
  /// where they were, until the archive is unpacked.
  package var archive: PackageArchive?
  /// Where tests see the package's folder, in which they start; `nil` for where it is.
  var view: String?
  /// Flags for `swift build`.
  package var buildFlags: [String]
  package var skipsBuild: Bool
  /// Whether nothing is built when what was built before is what ``ToolchainRequest/original`` says
  /// and nothing was changed since.
  package var reusesBuild = false
  /// Which toolchain builds and runs them.
  package var toolchain = ToolchainRequest()
  /// Seconds that listing one product's tests may take.
  package var listingLimit: Double
  /// The caller's environment.
  package var environment: [String: String]
  /// Names of the caller's variables that tests get besides the usual ones.
  package var passedVariables: [String]

  /// What the observer has to know of the package.
  var observerVariables: [String: String] {
    guard let archive else { return [:] }
    return [
      "CARREL_OBSERVER_MOVED_FROM": archive.manifest.package,
      "CARREL_OBSERVER_MOVED_TO": location.package,
    ]
  }

  /// The folder in which tests start.
  var workingFolder: String { view ?? location.package }

  package init(
    location: BuildLocation, buildFlags: [String] = [], skipsBuild: Bool = false,
    listingLimit: Double = 60, environment: [String: String], passedVariables: [String] = []
  ) {
    self.location = location
    self.buildFlags = buildFlags
    self.skipsBuild = skipsBuild
    self.listingLimit = listingLimit
    self.environment = environment
    self.passedVariables = passedVariables
  }
}
