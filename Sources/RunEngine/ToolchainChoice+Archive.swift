import Evidence
import Glibc
import RunModel
import SwiftTests
import SystemFiles

/// The toolchain of a run archive: no compiler is needed, only the libraries that its products
/// load.
extension ToolchainChoice {
  /// Where a machine without a toolchain has them mostly.
  private static let usualFolders = ["/usr/lib/swift/linux", "/usr/local/lib/swift/linux"]

  /// Finds the libraries: those of a toolchain that was named, else those in the archive, else
  /// where the products look for them, else those of an installed toolchain, the nearest version
  /// first, else where `LD_LIBRARY_PATH` leads, else in the usual folders.
  ///
  /// Without any the choice is made all the same; the products then say what they lack.
  ///
  /// - Throws: ``SwiftTestsError`` when the toolchain that was named is none.
  static func choose(
    _ request: ToolchainRequest, archive: UnpackedArchive, environment: [String: String],
    probe: ToolchainProbe
  ) throws -> ToolchainChoice {
    let manifest = archive.manifest
    let (toolchain, reason) = try runtime(request, archive, environment, probe)
    var description = ToolchainDescription(identity: "")
    description.version = manifest.compiler
    description.target = target(like: manifest.facts[.target])
    description.clang = manifest.facts[.clangVersion]
    description.runtimeFolder = toolchain.runtimeFolder
    // What compiled it is as it was; what it runs on can be another.
    let compared = manifest.facts.only { kind in
      switch kind {
      case .compilerVersion, .compilerBuild, .clangVersion, .compilerDigest, .product, .host: false
      default: true
      }
    }
    return ToolchainChoice(
      toolchain: toolchain, description: description, reason: reason, policy: request.policy,
      manifest: request.policy == .off ? nil : ToolchainManifest(facts: compared),
      manifestPath: archive.reference.path, isOfArchive: true)
  }

  private static func runtime(
    _ request: ToolchainRequest, _ archive: UnpackedArchive, _ environment: [String: String],
    _ probe: ToolchainProbe
  ) throws -> (Toolchain, reason: String) {
    func only(_ folder: String) -> Toolchain {
      var toolchain = Toolchain(binFolder: folder)
      toolchain.runtimeFolder = existingPath(folder) ?? folder
      return toolchain
    }
    func described(_ toolchain: Toolchain) -> Toolchain {
      var toolchain = toolchain
      if let folder = probe.describe(toolchain).runtimeFolder { toolchain.runtimeFolder = folder }
      return toolchain
    }
    func isRuntime(_ folder: String) -> Bool {
      access("\(folder)/libswiftCore.so", R_OK) == 0
    }
    if let path = request.path {
      return (described(try ToolchainSearch.toolchain(at: path)), "--toolchain names it")
    }
    if archive.manifest.hasRuntime {
      return (
        only("\(archive.folder)/\(RunArchivePaths.runtimeLibraries)"), "the run archive has it"
      )
    }
    let executables = archive.products.map(\.executable) + [archive.observer]
    let named = executables.lazy.compactMap { ELFDynamic(of: $0) }.flatMap(\.searchFolders)
    if let folder = named.first(where: isRuntime) {
      return (only(folder), "the products look there")
    }
    let search = ToolchainSearch(environment: environment)
    let wanted = archive.manifest.facts.swiftVersion
    let installed = search.installed().map(described).filter { isRuntime($0.runtimeFolder) }
    let near = installed.first { toolchain in
      guard let wanted, let version = probe.describe(toolchain).swiftVersion else { return false }
      return version.numbers == wanted.numbers
    }
    if let toolchain = near ?? installed.first {
      return (
        toolchain, "the products look for their libraries where none are, and it is installed"
      )
    }
    let passed = (environment["LD_LIBRARY_PATH"] ?? "").split(separator: ":").map { String($0) }
    if let folder = (passed + usualFolders).first(where: isRuntime) {
      return (only(folder), "the libraries of Swift are there")
    }
    return (
      only(named.first { $0.hasSuffix("/swift/linux") } ?? usualFolders[0]), "it was not found"
    )
  }

  /// The target that a machine is, in the words of another one.
  private static func target(like wanted: String?) -> String? {
    var names = utsname()
    guard let wanted, uname(&names) == 0 else { return wanted }
    let machine = withUnsafeBytes(of: names.machine) {
      String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
    }
    guard let dash = wanted.firstIndex(of: "-") else { return wanted }
    return machine + wanted[dash...]
  }
}
