package import SwiftTests

/// Where the tests come from.
package struct PackageConfiguration: Sendable {
  package var location: BuildLocation
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
