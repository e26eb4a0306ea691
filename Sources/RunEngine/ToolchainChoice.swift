import Evidence
import Glibc
import IntentSystem
package import RunModel
import SwiftTests
import SystemFiles
import Workers

/// What a caller says about the toolchain of a package.
package struct ToolchainRequest: Sendable, Hashable {
  /// Absolute path of a toolchain; `nil` to find one.
  package var path: String?
  package var policy: ToolchainPolicy
  /// What is known of the toolchain and the build of a run that is to be repeated; `nil` for none.
  package var original: ToolchainFacts?

  package init(path: String? = nil, policy: ToolchainPolicy = .compatible) {
    self.path = path
    self.policy = policy
  }
}

/// The toolchain that a package is built and run with, and why it is this one.
struct ToolchainChoice {
  var toolchain: Toolchain
  var description: ToolchainDescription
  /// For people, after "because": `the manifest carrel-toolchain.json wants Swift 6.3.1`.
  var reason: String
  var policy: ToolchainPolicy
  /// What it shall be like; `nil` without a manifest, and when that does not count.
  var manifest: ToolchainManifest?
  var manifestPath: String
  /// Whether the products are from a run archive, so that only the runtime libraries count.
  var isOfArchive = false

  /// Chooses: the path that was given, else what the manifest says, else `.swift-version`, else an
  /// installed one of the version that a run to be repeated had, else `PATH`. What a file wants is
  /// never replaced by something else.
  ///
  /// - Throws: ``SwiftTestsError``, ``EvidenceError`` when the manifest cannot be read.
  static func choose(
    _ request: ToolchainRequest, package: String, environment: [String: String],
    probe: ToolchainProbe
  ) throws -> ToolchainChoice {
    let manifestPath = "\(package)/\(ToolchainManifest.name)"
    var manifest: ToolchainManifest?
    if request.policy != .off, exists(manifestPath) {
      manifest = try ToolchainManifest(readingFrom: manifestPath)
    }
    let search = ToolchainSearch(environment: environment)
    func choice(_ toolchain: Toolchain, _ reason: String) throws(SwiftTestsError) -> Self {
      let description = probe.describe(toolchain)
      if let runtime = description.runtimeFolder {
        var toolchain = toolchain
        toolchain.runtimeFolder = runtime
        return Self(
          toolchain: toolchain, description: description, reason: reason, policy: request.policy,
          manifest: manifest, manifestPath: manifestPath)
      }
      return Self(
        toolchain: toolchain, description: description, reason: reason, policy: request.policy,
        manifest: manifest, manifestPath: manifestPath)
    }
    if let path = request.path {
      return try choice(try ToolchainSearch.toolchain(at: path), "--toolchain names it")
    }
    if let manifest, let wanted = manifest.facts.swiftVersion {
      let found = candidates(search, probe)
      let chosen = best(for: wanted, target: manifest.facts[.target], request.policy, found)
      guard let chosen else {
        throw notInstalled(manifestPath, "Swift \(wanted)", found, wanted.build)
      }
      let isSame = probe.describe(chosen).swiftVersion?.numbers == wanted.numbers
      return try choice(
        chosen,
        "\(manifestPath) wants Swift \(wanted)" + (isSame ? "" : ", and this is the nearest"))
    }
    if let file = try versionFile(for: package) {
      let found = candidates(search, probe)
      let matching = found.filter { candidate in
        candidate.version.map {
          file.requirement.isMet(by: $0, in: candidate.toolchain.binFolder)
        } ?? false
      }
      // The first of equals: it is on PATH.
      let chosen = matching.enumerated().max { first, second in
        let keys = [first, second].map { candidate in
          (
            ToolchainRequirement.day(ofSnapshotIn: candidate.element.toolchain.binFolder) ?? "",
            candidate.element.version ?? SwiftVersion([])
          )
        }
        return keys[0] == keys[1] ? first.offset > second.offset : keys[0] < keys[1]
      }
      guard let chosen else {
        throw notInstalled(file.path, "\(file.text) (\(file.requirement))", found, nil)
      }
      return try choice(chosen.element.toolchain, "\(file.path) wants \(file.text)")
    }
    guard let toolchain = search.onPath() else {
      throw SwiftTestsError(
        .noToolchain,
        "no Swift toolchain was found on PATH; install Swift 6.2 or newer and make sure that "
          + "'swift --version' works in this shell, or name one with --toolchain PATH")
    }
    let first = try choice(toolchain, "it comes first on PATH")
    guard let original = request.original, let wanted = original.swiftVersion,
      first.description.swiftVersion != wanted,
      let same = best(for: wanted, target: original[.target], .exact, candidates(search, probe))
    else { return first }
    return try choice(same, "the test failed with Swift \(wanted)")
  }

  /// The nearest `.swift-version`: in the package or in a folder above it, up to the one with
  /// `.git`.
  private static func versionFile(
    for package: String
  ) throws -> SwiftVersionFile? {
    var place = package
    while true {
      let path = place == "/" ? "/\(SwiftVersionFile.name)" : "\(place)/\(SwiftVersionFile.name)"
      if exists(path) {
        let bytes: [UInt8]
        do throws(FileError) {
          bytes = try readFile(path, maxBytes: 1 << 16)
        } catch {
          throw SwiftTestsError(
            .invalidToolchainRequest, "the wanted version of Swift cannot be read",
            context: ["path": path], cause: error)
        }
        return try SwiftVersionFile(path: path, content: bytes)
      }
      let parent = folder(of: place)
      guard !exists(place + "/.git"), parent != place, parent != "." else { return nil }
      place = parent
    }
  }

  /// Whether something has the path, be it a link that leads nowhere.
  private static func exists(_ path: String) -> Bool {
    var status = stat()
    return lstat(path, &status) == 0
  }

  /// What apps shall have been compiled with, when a manifest pins it.
  var expectedCompiler: ExpectedCompiler? {
    guard manifest != nil, let version = description.swiftVersion else { return nil }
    return ExpectedCompiler(
      version: version, clang: description.clang, path: toolchain.binFolder)
  }

  private struct Candidate {
    var toolchain: Toolchain
    var description: ToolchainDescription
    var version: SwiftVersion? { description.swiftVersion }

    /// `6.3.1 in /opt/swift-6.3.1/usr/bin`.
    var shown: String {
      "\(version.map { "\($0)" } ?? "one that does not tell its version") in "
        + toolchain.binFolder
    }
  }

  private static func candidates(
    _ search: ToolchainSearch, _ probe: ToolchainProbe
  ) -> [Candidate] {
    search.installed().map { Candidate(toolchain: $0, description: probe.describe($0)) }
  }

  /// The toolchain for a manifest: of the very build, else of the version, else, where the policy
  /// takes it, of the newest patch.
  private static func best(
    for wanted: SwiftVersion, target: String?, _ policy: ToolchainPolicy, _ found: [Candidate]
  ) -> Toolchain? {
    func isSame(_ candidate: Candidate) -> Bool {
      candidate.version?.numbers == wanted.numbers
        && candidate.version?.isDevelopment == wanted.isDevelopment
    }
    let same = found.filter(isSame)
    if let exact = same.first(where: { $0.version?.build == wanted.build }) {
      return exact.toolchain
    }
    if let first = same.first { return first.toolchain }
    guard policy == .compatible else { return nil }
    let near = found.filter { $0.version?.isSameMinor(as: wanted) ?? false }
    return near.max { ($0.version ?? wanted) < ($1.version ?? wanted) }?.toolchain
  }

  private static func notInstalled(
    _ file: String, _ wanted: String, _ found: [Candidate], _ build: String?
  ) -> SwiftTestsError {
    let list = found.map(\.shown).joined(separator: "; ")
    let failures = found.compactMap { candidate in
      candidate.description.failure.map { "'\(candidate.toolchain.swift) --version' \($0)" }
    }
    return SwiftTestsError(
      .toolchainNotInstalled,
      "\(file) wants \(wanted)\(build.map { " (\($0))" } ?? ""), which is not installed; found: "
        + (list.isEmpty ? "no toolchain" : list)
        + failures.map { "; \($0)" }.joined()
        + ". Install it, or name another toolchain with --toolchain PATH",
      context: ["path": file])
  }
}
