import Evidence
import IntentSystem
import Orchestration
import RunModel
import SearchIndex
import SwiftTests
import Workers

/// Where the processes of a package are run, and how its tests are found.
struct Workplace {
  let supervisor: Supervisor
  let root: WorkRoot
  /// Path of an empty index.
  let indexTemplate: String
  private let maker: CatalogMaker
  /// What the tests are from; `nil` when they are built, and after a signal.
  let archive: UnpackedArchive?
  private let listener: any RunListener
  /// The package with the environment that programs of its toolchain get.
  var package: PackageConfiguration { maker.configuration }
  var choice: ToolchainChoice { maker.choice }

  /// - Parameters:
  ///   - folder: The folder for the folders of all runs; `nil` for the usual one.
  ///   - makesSandboxes: Whether sandboxes may be needed.
  /// - Throws: An error when there is no package, no toolchain, or no place for containers.
  init(
    _ package: PackageConfiguration, folder: String?, makesSandboxes: Bool = false,
    listener: any RunListener
  ) throws {
    self.listener = listener
    supervisor = try Supervisor()
    if makesSandboxes { try supervisor.registry.prepareForSandboxes() }
    if package.archive == nil {
      maker = try CatalogMaker(supervisor: supervisor, configuration: package, listener: listener)
      archive = nil
      root = try WorkRoot(base: folder)
    } else {
      root = try WorkRoot(base: folder)
      archive = try Self.unpack(package, in: root, supervisor)
      maker = try CatalogMaker(
        supervisor: supervisor, configuration: package, archive: archive, listener: listener)
    }
    indexTemplate = root.path + "/index.sqlite"
    try SearchIndex.createEmpty(at: indexTemplate)
  }

  /// - Returns: `nil` after a signal.
  private static func unpack(
    _ package: PackageConfiguration, in root: WorkRoot, _ supervisor: Supervisor
  ) throws -> UnpackedArchive? {
    do {
      return try package.archive?.unpack(to: root.path + "/archive", supervisor)
    } catch let error as EvidenceError where error.code == .stopped {
      return nil
    }
  }

  /// Removes the folders and ends the watchdog, when everything that ran has ended.
  func close() {
    supervisor.watchdog?.end()
    supervisor.registry.endMaker()
    root.close()
  }

  /// Finds out which level of isolation the run has; from then on containers are seen where that
  /// level has them.
  func chooseIsolation(
    _ configuration: RunConfiguration, _ catalog: TestCatalog
  ) throws -> (choice: IsolationChoice, plan: SandboxPlan?) {
    try IsolationChoice.choose(
      configuration.isolation,
      plan: { try maker.sandboxPlan(configuration, catalog, root: root, archive: archive) },
      in: root, indexTemplate: indexTemplate, supervisor: supervisor)
  }

  /// Makes sure that containers can come to have the data of the seed intent in the way that was
  /// asked for.
  ///
  /// - Parameter plan: What the run's sandboxes are like; `nil` when it has none.
  /// - Returns: `nil` when no container has such data, or it is to be found out when the data is
  ///   there.
  func chooseClones(
    _ configuration: RunConfiguration, _ catalog: TestCatalog, plan: SandboxPlan?
  ) throws(RunEngineError) -> CloneChoice? {
    guard configuration.isolation.clone != nil, configuration.sharesSeed,
      catalog.tests.contains(where: \.usesIntents)
    else { return nil }
    return try CloneCheck.choose(
      configuration.isolation.clone, plan: plan, in: root.path,
      using: (supervisor.loop, supervisor.registry),
      until: { [supervisor] in supervisor.interruption != nil })
  }

  /// Finds out which apps there are.
  func findApps(for catalog: inout TestCatalog) throws {
    try maker.findApps(into: &catalog, root: root, indexTemplate: indexTemplate)
  }

  /// Finds out before the first test what is wrong with the registration of apps: names in tests
  /// that none has and, when that is asked for, differences to what the sources declare.
  ///
  /// - Parameter tests: Those that are run.
  func checkRegistration(
    for catalog: inout TestCatalog, _ tests: [TestDescriptor], _ configuration: RunConfiguration
  ) {
    guard supervisor.interruption == nil else { return }
    let modules = Set(
      tests.lazy.filter(\.usesIntents).map { String($0.id.name.prefix { $0 != "." }) })
    let check = IntentNameCheck(
      apps: catalog.apps.map(\.description), isComplete: catalog.appProblems.isEmpty)
    let location = package.location
    catalog.problems += check.problems(
      inModules: modules, products: location.products, package: location.package)
    guard configuration.intents.extractsMetadata, !catalog.apps.isEmpty else { return }
    let extraction = MetadataExtraction(
      package, version: configuration.carrel, listener: listener)
    let metadata = RunMetadata(of: catalog.apps) {
      try extraction.perform(choice, supervisor, asksApps: false)
    }
    catalog.problems += metadata.problems
    catalog.metadata = metadata.declared
  }

  /// Builds the package's tests and lists them.
  func makeCatalog() throws -> TestCatalog {
    guard package.archive != nil else {
      return try maker.make(root: root, indexTemplate: indexTemplate)
    }
    guard let archive, supervisor.interruption == nil else { return .empty() }
    return try maker.make(from: archive)
  }
}
