package import Evidence
import Glibc
import IntentSystem
package import RunModel
import SwiftTests
import SystemFiles
import Workers

/// Builds a package's tests and packs what another machine needs to run them.
package struct ArchiveMaker {
  /// What is to be packed, and where.
  package struct Request: Sendable {
    package var package: PackageConfiguration
    /// Version of Carrel.
    package var carrel: String
    /// Absolute path of the archive.
    package var path: String
    package var compression: BundleCompression
    /// The text of the configuration; `nil` without one.
    package var configuration: String?
    /// Absolute paths of files and folders in the package that tests need.
    package var includes: [String]
    /// Whether the libraries of the toolchain that the tests load are packed as well.
    package var withRuntime: Bool

    package init(
      package: PackageConfiguration, carrel: String, path: String,
      compression: BundleCompression = .zstd, configuration: String? = nil, includes: [String] = [],
      withRuntime: Bool = false
    ) {
      self.package = package
      self.carrel = carrel
      self.path = path
      self.compression = compression
      self.configuration = configuration
      self.includes = includes
      self.withRuntime = withRuntime
    }
  }

  /// What came of it.
  package struct Outcome {
    /// `nil` when nothing was packed.
    package var archive: RunArchive.Outcome?
    package var tests = 0
    package var problems: [RunProblem]
    /// Name of the signal that asked for the end.
    package var interruption: String?
  }

  private let request: Request
  private let workFolder: String?
  private let listener: any RunListener

  /// - Parameter workFolder: The folder for the folders of all runs; `nil` for the usual one.
  package init(_ request: Request, workFolder: String?, listener: any RunListener) {
    self.request = request
    self.workFolder = workFolder
    self.listener = listener
  }

  /// - Returns: Also when there is an error among the problems; nothing is packed then.
  /// - Throws: As the build does; ``EvidenceError`` when something cannot be packed.
  package func perform() throws -> Outcome {
    let workplace = try Workplace(request.package, folder: workFolder, listener: listener)
    defer { workplace.close() }
    let supervisor = workplace.supervisor
    let catalog = try workplace.makeCatalog()
    var outcome = Outcome(problems: catalog.problems, interruption: supervisor.interruption)
    guard outcome.interruption == nil, !catalog.problems.contains(where: { $0.severity == .error })
    else { return outcome }
    catalog.remember([], seconds: [:])
    guard !catalog.tests.isEmpty else { return outcome }
    let contents = try contents(of: catalog, workplace)
    let stop = StopFlag()
    supervisor.onInterruption = { _ in stop.set() }
    let (path, compression) = (request.path, request.compression)
    var result: Result<RunArchive.Outcome, any Error>?
    supervisor.loop.inBackground {
      Result {
        try RunArchive.write(
          contents, to: path, compression: compression, isStopped: { stop.isSet })
      }
    } then: {
      result = $0
    }
    if supervisor.interruption != nil { stop.set() }
    supervisor.loop.run { result != nil }
    outcome.interruption = supervisor.interruption
    do {
      outcome.archive = try result?.get()
      outcome.tests = catalog.tests.count
    } catch let error as EvidenceError where error.code == .stopped {}
    return outcome
  }

  private func contents(
    of catalog: TestCatalog, _ workplace: Workplace
  ) throws -> RunArchiveContents {
    let location = workplace.package.location
    var survey = ToolchainSurvey(workplace.choice, cache: catalog.cache)
    let found = (catalog.toolchain?.facts ?? ToolchainFacts()).merging(survey.facts())
      .merging(survey.buildFacts(catalog.products, in: location.products))
    survey.save()
    var facts = ToolchainSurvey.pinned(found, withBuild: true)
    // What a machine that runs the tests can do is its own.
    facts[.sandbox] = nil
    var items = try ProductFiles(in: location, products: catalog.products).items
    items.append(.init(RunArchivePaths.observer, from: catalog.observer.path))
    let includes = try includedPaths(in: location.package)
    for name in Self.ownFiles + includes {
      let path = "\(location.package)/\(name)"
      if Self.ownFiles.contains(name), access(path, F_OK) != 0 { continue }
      items.append(.init("\(RunArchivePaths.package)/\(name)", from: path))
    }
    if request.withRuntime { items += runtime(of: items, workplace.choice.toolchain) }
    let manifest = RunArchiveManifest(
      carrel: request.carrel, observer: ObserverLibrary.sourceKey, package: location.package,
      builtProducts: location.products, buildConfiguration: location.configuration,
      buildFlags: workplace.package.buildFlags, compiler: catalog.compiler, facts: facts,
      products: catalog.products.map {
        .init(name: $0.name, executable: lastComponent(of: $0.executable))
      },
      warnings: catalog.warnings.sorted { $0.key < $1.key }.flatMap(\.value),
      tests: catalog.tests.count, includes: includes, hasRuntime: request.withRuntime)
    return RunArchiveContents(
      manifest: manifest, configuration: request.configuration.map { Array($0.utf8) },
      tests: catalog.tests, items: Self.withoutRepetitions(items),
      excluded: [
        location.scratch, location.package + "/.build", location.package + "/.carrel",
        location.package + "/.git",
      ])
  }

  /// Files of a package that say how it is run.
  private static let ownFiles = [SwiftVersionFile.name, ToolchainManifest.name]

  /// - Returns: The paths relative to the package, sorted; none lies in another.
  private func includedPaths(in package: String) throws -> [String] {
    let root = existingPath(package) ?? package
    var result: [String] = []
    for path in Set(request.includes).sorted() {
      guard let real = existingPath(path) else {
        throw EvidenceError(
          .notPackable, "'\(ByteName(path).displayName)' is to be packed and is not there",
          context: ["path": path])
      }
      guard real.hasPrefix(root + "/") else {
        throw EvidenceError(
          .notPackable,
          "'\(ByteName(path).displayName)' cannot be packed: it does not lie in the package "
            + "'\(ByteName(package).displayName)'", context: ["path": path])
      }
      let name = String(real.dropFirst(root.count + 1))
      if !result.contains(where: { name == $0 || name.hasPrefix($0 + "/") }) {
        result.append(name)
      }
    }
    return result
  }

  /// The libraries of the toolchain that what is packed loads, and the program that writes crash
  /// reports, in the places in which they look for each other.
  private func runtime(
    of items: [RunArchiveContents.Item], _ toolchain: Toolchain
  ) -> [RunArchiveContents.Item] {
    Self.runtime(of: items.map(\.source), runtimeFolder: toolchain.runtimeFolder)
  }

  /// - Parameters:
  ///   - files: Absolute paths of what is packed.
  ///   - runtimeFolder: Where the toolchain has its libraries.
  static func runtime(of files: [String], runtimeFolder: String) -> [RunArchiveContents.Item] {
    let usr = folder(of: folder(of: folder(of: runtimeFolder)))
    let programs = ["swift-backtrace", "swift-backtrace-static"].map {
      "libexec/swift/linux/\($0)"
    }.filter { access("\(usr)/\($0)", X_OK) == 0 }
    // The program that writes crash reports loads more of them than tests do.
    let libraries = RuntimeLibraries(
      of: files + programs.map { "\(usr)/\($0)" }, runtimeFolder: runtimeFolder)
    var result = libraries.loaded.sorted { $0.key < $1.key }.map { name, path in
      RunArchiveContents.Item("\(RunArchivePaths.runtimeLibraries)/\(name)", from: path)
    }
    for program in programs {
      result.append(.init("\(RunArchivePaths.runtime)/\(program)", from: "\(usr)/\(program)"))
    }
    return result
  }

  /// The first of items with the same path, and none that lies in another one.
  private static func withoutRepetitions(
    _ items: [RunArchiveContents.Item]
  ) -> [RunArchiveContents.Item] {
    var paths: Set<String> = []
    let unique = items.filter { paths.insert($0.path).inserted }
    return unique.filter { item in
      var parent = folder(of: item.path)
      while parent.contains("/") {
        if paths.contains(parent) { return false }
        parent = folder(of: parent)
      }
      return true
    }
  }
}

/// What the build made, as far as tests need it when they run: test executables, programs,
/// libraries and resources.
struct ProductFiles {
  private(set) var items: [RunArchiveContents.Item] = []
  private static let trees = [".resources", ".bundle"]

  /// - Throws: ``EvidenceError`` when two files have the same name.
  init(in location: BuildLocation, products: [TestProduct]) throws {
    let current = AppFinder.programs(in: location.products)
    var names = Set(products.map { lastComponent(of: $0.executable) })
    for entry in folderEntries(location.products) ?? [] {
      var status = stat()
      guard stat("\(location.products)/\(entry)", &status) == 0 else { continue }
      let isTree = status.isFolder && Self.trees.contains { entry.hasSuffix($0) }
      let isLibrary = status.isRegular && entry.hasSuffix(".so")
      if isTree || isLibrary || current.contains(entry) { names.insert(entry) }
    }
    for name in names.sorted() {
      items.append(
        .init("\(RunArchivePaths.products)/\(name)", from: "\(location.products)/\(name)"))
    }
    for product in products where folder(of: product.executable) != location.products {
      items.append(
        .init(
          "\(RunArchivePaths.products)/\(lastComponent(of: product.executable))",
          from: product.executable))
    }
    addLibraries(of: location)
  }

  /// Libraries that lie elsewhere in the package: beside the products they are found, too.
  private mutating func addLibraries(of location: BuildLocation) {
    guard let package = existingPath(location.package) else { return }
    var queue = items.map(\.source)
    var known = Set(items.map { lastComponent(of: $0.path) })
    while let path = queue.popLast() {
      guard let dynamic = ELFDynamic(of: path) else { continue }
      for name in dynamic.needed where !known.contains(name) {
        let place = dynamic.searchFolders.lazy.compactMap { existingPath("\($0)/\(name)") }.first
        guard let place, place.hasPrefix(package + "/") else { continue }
        known.insert(name)
        queue.append(place)
        items.append(.init("\(RunArchivePaths.products)/\(name)", from: place))
      }
    }
  }
}
