import Glibc
package import Workers

/// A build of a package's products that lets the compiler write down the values that it knows of
/// the types for App Intents.
///
/// It has a scratch folder of its own: other flags would build everything anew each time.
package struct MetadataBuild: Sendable {
  package var toolchain: Toolchain
  /// With the scratch folder of this build.
  package var location: BuildLocation
  /// Flags for `swift build`, as the user gave them.
  package var extraFlags: [String]

  /// - Parameter location: Of the usual build.
  package init(toolchain: Toolchain, location: BuildLocation, extraFlags: [String]) {
    self.toolchain = toolchain
    self.location = BuildLocation(
      package: location.package, scratch: location.scratch + "/carrel-metadata",
      configuration: location.configuration)
    self.extraFlags = extraFlags
  }

  /// The protocols whose types count, as the compiler wants their names: without modules.
  package static let protocols = [
    "AppEntity", "AppEnum", "AppIntent", "AppShortcutsProvider", "EntityQuery",
  ]

  /// The file that names them, in the form that the compiler reads: a list of strings in JSON.
  package var protocolsFile: String { location.scratch + "/protocols.json" }

  package static var protocolsText: [UInt8] {
    Array("[\(protocols.map { "\"\($0)\"" }.joined(separator: ","))]\n".utf8)
  }

  /// - Parameter environment: The caller's environment.
  package func request(environment: [String: String]) -> ProcessRequest {
    ProcessRequest(
      executable: toolchain.swift,
      arguments: [
        "build", "--package-path", location.package, "--scratch-path", location.scratch,
        "--configuration", location.configuration, "-Xswiftc", "-emit-const-values", "-Xswiftc",
        "-Xfrontend", "-Xswiftc", "-const-gather-protocols-file", "-Xswiftc", "-Xfrontend",
        "-Xswiftc", protocolsFile,
      ] + extraFlags,
      environment: toolchain.buildEnvironment(environment), directory: location.package,
      scope: "\(Watchdog.programMark)-metadata")
  }

  /// Asks SwiftPM for products and targets, as JSON.
  package func description(environment: [String: String]) -> ProcessRequest {
    ProcessRequest(
      executable: toolchain.swift,
      arguments: [
        "package", "--package-path", location.package, "--scratch-path", location.scratch,
        "describe", "--type", "json",
      ],
      environment: toolchain.buildEnvironment(environment), directory: location.package,
      scope: "\(Watchdog.programMark)-describe-package")
  }
}
