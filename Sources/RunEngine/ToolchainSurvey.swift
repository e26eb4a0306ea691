import Evidence
import Glibc
import IntentSystem
import RunModel
import SearchIndex
import SwiftTests
import SystemFiles
import Workers

/// Finds out the facts of a toolchain and of the machine below it.
struct ToolchainSurvey {
  /// The oldest Linux on which sandboxes can be made, and on which Carrel runs without them.
  private static let kernelWithSandboxes = "5.12"
  private static let kernelWithout = "5.11"

  let choice: ToolchainChoice
  private(set) var digests: DigestMemory

  /// - Parameter cache: The user's cache folder.
  init(_ choice: ToolchainChoice, cache: String?) {
    self.choice = choice
    digests = DigestMemory(cache: cache)
  }

  /// Everything but what depends on products.
  ///
  /// - Parameter isWanted: Whether a fact that takes time is needed.
  mutating func facts(_ isWanted: (ToolchainFactKind) -> Bool = { _ in true }) -> ToolchainFacts {
    let description = choice.description
    var facts = ToolchainFacts()
    if let version = description.swiftVersion {
      facts[.compilerVersion] = "\(version)"
      facts[.compilerBuild] = version.build
    }
    facts[.target] = description.target
    facts[.clangVersion] = description.clang
    facts[.libc] = Self.libc
    facts[.kernelRelease] = Self.kernelRelease
    facts[.libarchive] = libarchiveVersion
    facts[.sqlite] = SearchIndex.libraryVersion
    if isWanted(.sandbox) { facts[.sandbox] = Sandbox.problem() == nil ? "yes" : "no" }
    if isWanted(.compilerDigest) {
      facts[.compilerDigest] = compilerProgram.flatMap { digests.digest(of: $0) }
    }
    return facts
  }

  /// The program that compiles: the frontend where there is one, else `swiftc`.
  private var compilerProgram: String? {
    let toolchain = choice.toolchain
    return [toolchain.binFolder + "/swift-frontend", toolchain.swiftc].lazy.compactMap {
      existingPath($0)
    }.first
  }

  /// Digests of the libraries that executables load from the toolchain.
  mutating func runtimeFacts(of executables: [String]) -> ToolchainFacts {
    var facts = ToolchainFacts()
    let libraries = RuntimeLibraries(
      of: executables, runtimeFolder: choice.toolchain.runtimeFolder)
    for (name, path) in libraries.loaded { facts[.runtimeLibrary, name] = digests.digest(of: path) }
    return facts
  }

  /// Digests of libraries of the toolchain by their names; those that are not there have none.
  mutating func runtimeFacts(named names: [String]) -> ToolchainFacts {
    var facts = ToolchainFacts()
    for name in names where !name.contains("/") {
      facts[.runtimeLibrary, name] = digests.digest(
        of: "\(choice.toolchain.runtimeFolder)/\(name)")
    }
    return facts
  }

  /// Digests of what was built.
  ///
  /// - Parameter folder: The folder with what the build made, among it apps.
  mutating func buildFacts(_ products: [TestProduct], in folder: String) -> ToolchainFacts {
    var facts = ToolchainFacts()
    for product in products {
      facts[.product, product.name] = digests.digest(of: product.executable)
    }
    for app in AppFinder.appExecutables(in: folder) {
      facts[.host, lastComponent(of: app)] = digests.digest(of: app)
    }
    return facts
  }

  /// The facts as a manifest has them that is checked in.
  ///
  /// - Parameter withBuild: Whether what was built is pinned as well.
  static func pinned(_ facts: ToolchainFacts, withBuild: Bool) -> ToolchainFacts {
    var pinned = facts.only { $0.isPinned || ($0.isOfBuild && withBuild) }
    pinned[.kernelMinimum] = facts[.sandbox] == "yes" ? kernelWithSandboxes : kernelWithout
    return pinned
  }

  func save() { digests.save() }

  /// `glibc 2.36`.
  private static let libc: String? = {
    let name = Int32(_CS_GNU_LIBC_VERSION)
    var buffer = [CChar](repeating: 0, count: 256)
    guard confstr(name, &buffer, buffer.count) > 0 else { return nil }
    return String(
      decoding: buffer.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }()

  private static let kernelRelease: String? = {
    var names = utsname()
    guard uname(&names) == 0 else { return nil }
    return withUnsafeBytes(of: names.release) {
      String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
    }
  }()
}
