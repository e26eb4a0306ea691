import FoundationEssentials
import Glibc
import SystemFiles

/// Finds toolchains on this machine.
package struct ToolchainSearch: Sendable {
  private let environment: [String: String]

  /// - Parameter environment: The caller's.
  package init(environment: [String: String]) { self.environment = environment }

  /// The toolchain whose `swift` comes first on `PATH`; of swiftly's proxies, the one that is in
  /// use.
  package func onPath() -> Toolchain? {
    for folder in pathFolders {
      if let toolchain = toolchain(in: folder) { return toolchain }
    }
    return nil
  }

  /// All toolchains in the usual places, those on `PATH` first.
  package func installed() -> [Toolchain] {
    var seen: Set<String> = []
    let folders = pathFolders + Self.usualFolders + ownFolders
    return folders.compactMap { toolchain(in: $0) }.filter { seen.insert($0.binFolder).inserted }
  }

  /// The toolchain that a path names: its folder, the `usr` in it, the folder of its programs, or
  /// one of these.
  ///
  /// - Throws: ``SwiftTestsError`` with the code `invalidToolchainRequest`.
  package static func toolchain(at path: String) throws(SwiftTestsError) -> Toolchain {
    var status = stat()
    guard stat(path, &status) == 0 else {
      throw SwiftTestsError(
        .invalidToolchainRequest, "there is no toolchain at \(path): \(errorText(errno))",
        context: ["path": path])
    }
    let folders =
      status.isFolder ? ["\(path)/usr/bin", "\(path)/bin", path] : [SystemFiles.folder(of: path)]
    for folder in folders {
      if let toolchain = Toolchain(programsIn: folder) { return toolchain }
    }
    throw SwiftTestsError(
      .invalidToolchainRequest,
      "\(path) is no toolchain: it has no usr/bin with 'swift' and 'swiftc'",
      context: ["path": path])
  }

  private var pathFolders: [String] {
    (environment["PATH"] ?? "").split(separator: ":").map { String($0) }
  }

  /// Where packages of systems and people put toolchains.
  private static var usualFolders: [String] {
    ["/usr/bin", "/usr/local/bin", "/usr/libexec/swift/bin"] + below("/opt", "usr/bin")
      + below("/usr/local", "usr/bin") + below("/usr/libexec/swift", "bin")
  }

  /// Where the tools that manage versions put toolchains, for this user.
  private var ownFolders: [String] {
    let home = environment["HOME"]
    var folders: [String] = []
    if let folder = environment["SWIFTLY_TOOLCHAINS_DIR"] {
      folders += Self.below(folder, "usr/bin")
    }
    if let folder = swiftlyFolder { folders += Self.below(folder + "/toolchains", "usr/bin") }
    if let home { folders += Self.below(home + "/.swiftenv/versions", "usr/bin") }
    return folders
  }

  private var swiftlyFolder: String? {
    environment["SWIFTLY_HOME_DIR"] ?? environment["HOME"].map { $0 + "/.local/share/swiftly" }
  }

  private static func below(_ folder: String, _ rest: String) -> [String] {
    (folderEntries(folder) ?? []).sorted().map { "\(folder)/\($0)/\(rest)" }
  }

  private func toolchain(in folder: String) -> Toolchain? {
    guard let program = existingPath(folder + "/swift"),
      lastComponent(of: program) == "swiftly"
    else { return Toolchain(programsIn: folder) }
    // A proxy would choose by the folder it is called in; only its own default counts here.
    guard let swiftly = swiftlyFolder,
      let bytes = readSmallFile(swiftly + "/config.json"),
      let config = try? JSONDecoder().decode(SwiftlyConfiguration.self, from: Data(bytes)),
      let name = config.inUse
    else { return nil }
    let folders = environment["SWIFTLY_TOOLCHAINS_DIR"] ?? swiftly + "/toolchains"
    return Toolchain(programsIn: "\(folders)/\(name)/usr/bin")
  }

  /// The part of swiftly's configuration that matters here.
  private struct SwiftlyConfiguration: Decodable {
    var inUse: String?
  }
}
