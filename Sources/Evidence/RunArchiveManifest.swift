import FoundationEssentials
package import RunModel

/// The version of the run archive's format, `MAJOR.MINOR`; see docs/run-archive.md.
package let runArchiveFormat = FormatVersion(major: 1, minor: 0)

/// What a run archive holds: `manifest.json`, its first entry.
package struct RunArchiveManifest: Codable, Hashable, Sendable {
  /// What tells it from the manifest of a failure bundle.
  package static let kind = "run-archive"

  /// A test executable.
  package struct Product: Codable, Hashable, Sendable {
    /// The name that SwiftPM gives it.
    package var name: String
    /// File name of the executable, in the folder of products.
    package var executable: String

    package init(name: String, executable: String) {
      self.name = name
      self.executable = executable
    }
  }

  package var format = runArchiveFormat
  package var kind = Self.kind
  /// Version of Carrel that packed the archive.
  package var carrel: String
  /// Tells the observer's sources from others: what is packed speaks with Carrel as they say.
  package var observer: String
  /// Absolute path of the package where it was built.
  package var package: String
  /// Absolute path of the folder of products there.
  package var builtProducts: String
  /// `debug` or `release`.
  package var buildConfiguration: String
  /// Flags for `swift build` that the user gave.
  package var buildFlags: [String]
  /// The compiler's one-line description of itself.
  package var compiler: String
  /// Digests and versions of what it was built and linked with.
  package var facts: ToolchainFacts
  package var products: [Product]
  /// What the listing of the tests warned of.
  package var warnings: [String]
  /// Number of tests.
  package var tests: Int
  /// Paths of files of the package that were named to be packed, relative to it.
  package var includes: [String]
  /// Whether the libraries of the toolchain that the tests load are in it.
  package var hasRuntime: Bool

  package init(
    carrel: String, observer: String, package: String, builtProducts: String,
    buildConfiguration: String, buildFlags: [String], compiler: String, facts: ToolchainFacts,
    products: [Product], warnings: [String], tests: Int, includes: [String], hasRuntime: Bool
  ) {
    self.carrel = carrel
    self.observer = observer
    self.package = package
    self.builtProducts = builtProducts
    self.buildConfiguration = buildConfiguration
    self.buildFlags = buildFlags
    self.compiler = compiler
    self.facts = facts
    self.products = products
    self.warnings = warnings
    self.tests = tests
    self.includes = includes
    self.hasRuntime = hasRuntime
  }

  /// Reads the manifest of the archive at a path.
  ///
  /// - Throws: ``EvidenceError`` with the code `malformed` when it is no such manifest, or names
  ///   what cannot be in such an archive, and `newer-format`.
  init(reading bytes: [UInt8], path: String) throws {
    struct Head: Decodable { var kind: String? }
    let name = "run archive '\(ByteName(path).displayName)'"
    func malformed(_ reason: String) -> EvidenceError {
      EvidenceError(.malformed, reason, context: ["path": path])
    }
    guard let head = try? decodedJSON(Head.self, from: bytes) else {
      throw malformed("\(RunArchivePaths.manifest) is no JSON object")
    }
    guard head.kind == Self.kind else {
      let isBundle = (try? decodedJSON(BundleManifest.self, from: bytes)) != nil
      throw malformed(isBundle ? "it is a failure bundle" : "its manifest is of another kind")
    }
    self = try decodedJSON(Self.self, from: bytes, reading: runArchiveFormat, name: name)
    for product in products where !Self.isPlain(product.executable) {
      throw malformed(
        "it names the executable '\(ByteName(product.executable).displayName)', which is no file "
          + "name")
    }
    guard package.hasPrefix("/"), !package.utf8.contains(0) else {
      throw malformed("the path of its package is not absolute")
    }
  }

  /// Whether a text is the name of a file in a folder.
  private static func isPlain(_ name: String) -> Bool {
    !name.isEmpty && name != "." && name != ".." && !name.utf8.contains(0)
      && !name.utf8.contains(UInt8(ascii: "/"))
  }
}

/// Names in a run archive.
package enum RunArchivePaths {
  package static let manifest = "manifest.json"
  /// The configuration of the package.
  package static let configuration = "carrel.json"
  /// The tests in the order of the listing, a JSON object a line.
  package static let tests = "tests.jsonl"
  /// The library that is loaded into test processes.
  package static let observer = "observer/libCarrelObserver.so"
  /// Files of the package.
  package static let package = "package"
  /// What the build made.
  package static let products = "products"
  /// Libraries and programs of the toolchain, as they lie in its `usr`.
  package static let runtime = "runtime"
  package static let contents = "contents.json"

  /// Where libraries of the toolchain are.
  package static let runtimeLibraries = "runtime/lib/swift/linux"
}

extension BundleLimits {
  /// Limits of run archives: executables with their debug information are large.
  package static let runArchive: BundleLimits = {
    var limits = BundleLimits()
    limits.totalBytes = 64 << 30
    return limits
  }()
}
