import Glibc
import RunModel
import SwiftTests
import SystemFiles
import Workers

/// What is made sure of a build's toolchain, and of what it has built.
extension CatalogMaker {
  /// What built the products, as far as that is known, else what would.
  var compiler: String {
    let notes = configuration.location.compilerNotes()
    let own = choice.description.swiftVersion
    return notes.last { SwiftVersion(describedBy: $0) == own } ?? notes.last
      ?? choice.description.version ?? toolchain.binFolder
  }

  func record(_ facts: ToolchainFacts) -> ToolchainRecord {
    ToolchainRecord(
      path: toolchain.binFolder, reason: choice.reason,
      policy: choice.manifest.map { _ in choice.policy }, facts: facts)
  }

  /// Computes the digests of files of the toolchain while other things are done.
  ///
  /// - Returns: Waits for the end; `nil` when a signal came first.
  func digests(
    _ check: ToolchainCheck, of executables: [String]
  ) -> () -> ToolchainCheck? {
    let (supervisor, box) = (supervisor, Box<ToolchainCheck>())
    supervisor.loop.inBackground {
      var check = check
      check.complete(with: executables)
      return check
    } then: {
      box.value = $0
    }
    return {
      supervisor.loop.run { box.value != nil || supervisor.interruption != nil }
      return box.value
    }
  }

  private final class Box<Value> {
    var value: Value?
  }

  /// Looks for products of another toolchain; before a build they are removed.
  ///
  /// - Throws: ``SwiftTestsError`` with the code `staleProducts` when they are to be used.
  func checkBuilder() throws(SwiftTestsError) -> [RunProblem] {
    let location = configuration.location
    guard let other = BuildMark.otherBuilder(of: location, than: choice) else { return [] }
    let fact = "what is in \(location.products) was built by \(other), not by \(choice.shown)"
    if configuration.skipsBuild {
      guard configuration.toolchain.policy != .off else {
        return [RunProblem(severity: .warning, code: .staleProducts, message: fact)]
      }
      throw SwiftTestsError(
        .staleProducts,
        "\(fact); leave out --skip-build, or name the toolchain that built it with --toolchain",
        context: ["path": location.products])
    }
    guard BuildMark.removeProducts(of: location) else {
      throw SwiftTestsError(
        .staleProducts, "\(fact), and cannot be removed; remove it, or give another --scratch-path",
        context: ["path": location.products])
    }
    return [
      RunProblem(
        severity: .warning, code: .staleProducts, message: fact + "; everything is built anew")
    ]
  }

  /// Notes who built, and finds out whether that is who was asked to.
  ///
  /// - Throws: ``SwiftTestsError`` with the code `toolchainDiffers` under the policy `exact`.
  func markBuild() throws(SwiftTestsError) -> [RunProblem] {
    let location = configuration.location
    let notes = location.compilerNotes()
    BuildMark(choice, notes: notes).write(in: location.products)
    let versions = notes.compactMap { SwiftVersion(describedBy: $0) }
    guard let own = choice.description.swiftVersion, let last = notes.last, !versions.isEmpty,
      !versions.contains(own)
    else { return [] }
    let message =
      "\(choice.shown) says that it is Swift \(own), and what it built was compiled by \(last)"
    guard choice.manifest == nil || choice.policy != .exact else {
      throw SwiftTestsError(.toolchainDiffers, message)
    }
    return [RunProblem(severity: .warning, code: .toolchainMixed, message: message)]
  }

  /// A product that lacks its libraries is one problem, not one for each of its tests.
  func isLoadable(_ product: TestProduct, _ problems: inout [RunProblem]) -> Bool {
    let runtime = toolchain.runtimeFolder
    let doubtful = RuntimeLibraries(
      of: [product.executable], runtimeFolder: runtime
    ).unresolved
    guard !doubtful.isEmpty else { return true }
    let missing = librariesNotFound(by: product)
    guard let first = missing.first else { return true }
    let advice =
      choice.isOfArchive
      ? "; install the libraries of \(choice.description.version ?? "Swift"), name their folder in "
        + "LD_LIBRARY_PATH, or pack them with 'carrel archive --with-runtime'"
      : access("\(runtime)/\(first)", F_OK) == 0
        ? "; the toolchain has it in \(runtime), and the product was linked for another place: "
          + "build it anew" : "; install it, or pass LD_LIBRARY_PATH on with --pass-env"
    problems.append(
      RunProblem(
        severity: .error, code: .loaderFailed,
        message: "\(product.name) cannot be loaded: \(missing.joined(separator: ", ")) "
          + "\(missing.count == 1 ? "was" : "were") not found" + advice))
    return false
  }

  /// What the dynamic linker itself says, in the environment of tests (ld.so(8)).
  private func librariesNotFound(by product: TestProduct) -> [String] {
    let passed = TestEnvironment(
      caller: configuration.environment, additional: configuration.passedVariables
    ).passed
    var environment = configuration.environment.filter { passed.contains($0.key) }
    environment["LD_TRACE_LOADED_OBJECTS"] = "1"
    var output: [UInt8] = []
    _ = supervisor.run(
      [
        ProcessRequest(
          executable: product.executable, arguments: [], environment: environment,
          directory: configuration.location.package,
          scope: "\(Watchdog.programMark)-libraries")
      ], limit: configuration.listingLimit
    ) { _, stream, bytes in
      if stream == .stdout { output += bytes }
    }
    let marker = " => not found"
    var missing: [String] = []
    for line in String(decoding: output, as: UTF8.self).split(separator: "\n")
    where line.hasSuffix(marker) {
      let name = line.dropLast(marker.count).split { $0 == "\t" || $0 == " " }.first
      if let name = name.map({ String($0) }), !missing.contains(name) { missing.append(name) }
    }
    return missing
  }
}
