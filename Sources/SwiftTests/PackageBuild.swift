import Glibc
package import Workers

/// How the tests of a package are built.
package struct PackageBuild: Sendable {
  package var toolchain: Toolchain
  package var location: BuildLocation
  /// Flags for `swift build`, as the user gave them.
  package var extraFlags: [String]

  package init(toolchain: Toolchain, location: BuildLocation, extraFlags: [String]) {
    self.toolchain = toolchain
    self.location = location
    self.extraFlags = extraFlags
  }

  /// Checks that there is a package to build.
  ///
  /// - Throws: ``SwiftTestsError`` with code `noPackage`.
  package func checkPackage() throws(SwiftTestsError) {
    var info = stat()
    guard stat(location.package, &info) == 0 else {
      throw SwiftTestsError(
        .noPackage,
        "there is no folder \(location.package); the argument is the path of a package, tests are "
          + "selected by --filter")
    }
    guard access(location.package + "/Package.swift", R_OK) == 0 else {
      throw SwiftTestsError(
        .noPackage,
        "\(location.package) holds no Package.swift; give the path of a Swift package, or change "
          + "into its folder")
    }
  }

  /// The command that builds the tests.
  ///
  /// - Parameter environment: The caller's environment; a build is not a test and gets all of it.
  package func request(environment: [String: String]) -> ProcessRequest {
    var arguments = [
      "build", "--build-tests", "--package-path", location.package, "--scratch-path",
      location.scratch, "--configuration", location.configuration,
    ]
    if location.configuration == "release" { arguments += ["-Xswiftc", "-enable-testing"] }
    return ProcessRequest(
      executable: toolchain.swift, arguments: arguments + extraFlags, environment: environment,
      directory: location.package, scope: "build-\(getpid())")
  }
}
