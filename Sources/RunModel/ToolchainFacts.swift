/// What is known of a toolchain, the system below it and what was built with it, fact by fact;
/// docs/toolchain-manifest.md has a table of them.
package struct ToolchainFacts: Codable, Hashable, Sendable {
  /// Texts by the name of the fact.
  package var values: [String: String]

  package init(_ values: [String: String] = [:]) { self.values = values }

  package init(from decoder: any Decoder) throws {
    values = try decoder.singleValueContainer().decode([String: String].self)
  }

  package func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(values)
  }

  package subscript(kind: ToolchainFactKind) -> String? {
    get { values[kind.rawValue] }
    set { values[kind.rawValue] = newValue }
  }

  package subscript(kind: ToolchainFactKind, name: String) -> String? {
    get { values[kind.rawValue + name] }
    set { values[kind.rawValue + name] = newValue }
  }

  package var isEmpty: Bool { values.isEmpty }

  /// These and others, which win.
  package func merging(_ others: ToolchainFacts) -> ToolchainFacts {
    ToolchainFacts(values.merging(others.values) { _, new in new })
  }

  /// The facts of some kinds.
  package func only(_ isWanted: (ToolchainFactKind) -> Bool) -> ToolchainFacts {
    ToolchainFacts(values.filter { ToolchainFactKind(of: $0.key).map(isWanted) ?? false })
  }

  /// The version of the compiler; `nil` when there is none.
  package var swiftVersion: SwiftVersion? {
    guard var version = self[.compilerVersion].flatMap({ SwiftVersion(parsing: $0) }) else {
      return nil
    }
    version.build = self[.compilerBuild]
    return version
  }
}

/// A kind of fact. The order of the cases is that of their weight: what comes first explains most
/// of what comes after it.
package enum ToolchainFactKind: String, CaseIterable, Sendable {
  case compilerVersion = "compiler.version"
  case target
  case compilerBuild = "compiler.build"
  case clangVersion = "compiler.clang"
  case libc
  case kernelMinimum = "kernel.minimum"
  case kernelRelease = "kernel.release"
  case sandbox
  case sqlite = "library.sqlite"
  case libarchive = "library.libarchive"
  case compilerDigest = "compiler.digest"
  /// Followed by the name of a file.
  case runtimeLibrary = "runtime."
  /// Followed by the name of a test product.
  case product = "product."
  /// Followed by the file name of an app's executable.
  case host = "host."

  /// The kind of the fact of a name; `nil` when this version does not know it.
  package init?(of name: String) {
    guard
      let kind = Self.allCases.first(where: { kind in
        kind.isFamily
          ? name.hasPrefix(kind.rawValue) && name.utf8.count > kind.rawValue.utf8.count
          : name == kind.rawValue
      })
    else { return nil }
    self = kind
  }

  /// The file name in the name of a fact about a library; `nil` for other facts.
  package static func libraryName(of fact: String) -> String? {
    let prefix = runtimeLibrary.rawValue
    return fact.hasPrefix(prefix) ? String(fact.dropFirst(prefix.count)) : nil
  }

  /// Whether there can be many facts of the kind, each with a name of its own at the end.
  package var isFamily: Bool { rawValue.hasSuffix(".") }

  /// Whether a manifest that is checked in holds facts of the kind. What changes with each build,
  /// or with each update of the system, is only in records and bundles.
  package var isPinned: Bool {
    switch self {
    case .product, .host, .kernelRelease: false
    default: true
    }
  }

  /// Whether it tells of what was built, not of what it was built with.
  package var isOfBuild: Bool { self == .product || self == .host }

  /// What it is, for people.
  package var meaning: String {
    switch self {
    case .compilerVersion: "version of the compiler, like `6.3.1`"
    case .target: "target triple that the compiler builds for"
    case .compilerBuild: "the build of the compiler, like `swift-6.3.1-RELEASE`"
    case .clangVersion: "version and revision of the toolchain's `clang`"
    case .libc: "the C library and its version"
    case .kernelMinimum: "oldest Linux that gives tests what they were given when it was pinned"
    case .kernelRelease: "release of the running Linux"
    case .sandbox: "whether the machine lets Carrel make sandboxes: `yes` or `no`"
    case .sqlite: "version of SQLite, which searches the index"
    case .libarchive: "version of libarchive, which writes bundles"
    case .compilerDigest: "digest of the compiler's executable"
    case .runtimeLibrary: "digest of a library of the toolchain that tests or apps load"
    case .product: "digest of a test executable"
    case .host: "digest of the executable of an app"
    }
  }
}
