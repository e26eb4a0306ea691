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
      executable: toolchain.swift, arguments: arguments + extraFlags,
      environment: toolchain.buildEnvironment(environment), directory: location.package,
      scope: "\(Watchdog.programMark)-build")
  }
}
