import Evidence
import Glibc
import IntentSystem
import Orchestration
import RunModel
import SwiftTests
import SystemFiles
package import Workers

/// Builds a package's tests and lists them.
package struct CatalogMaker {
  /// Bytes of the end of a build's output that an error holds.
  private static let keptOutput = 1 << 16

  let supervisor: Supervisor
  /// As it was given, without what would lead processes to another toolchain.
  let configuration: PackageConfiguration
  let choice: ToolchainChoice
  var toolchain: Toolchain { choice.toolchain }
  private let listener: (any RunListener)?

  /// - Throws: ``SwiftTestsError`` when there is no package, or not the toolchain that is wanted;
  ///   ``EvidenceError`` when the manifest cannot be read.
  package init(
    supervisor: Supervisor, configuration: PackageConfiguration, listener: (any RunListener)?
  ) throws {
    try configuration.location.checkPackage()
    let cache = try? PrivateFolder.cache(environment: configuration.environment)
    choice = try ToolchainChoice.choose(
      configuration.toolchain, package: configuration.location.package,
      environment: configuration.environment,
      probe: ToolchainProbe(
        supervisor: supervisor, cache: cache, environment: configuration.environment))
    self.supervisor = supervisor
    var configuration = configuration
    configuration.environment = choice.toolchain.environment(configuration.environment)
    self.configuration = configuration
    self.listener = listener
  }

  /// For what was taken from a run archive.
  ///
  /// - Parameter archive: `nil` when it was not unpacked.
  /// - Throws: ``SwiftTestsError`` when a toolchain was named that is none; ``WorkersError`` when
  ///   the libraries lie where the dynamic linker cannot look.
  init(
    supervisor: Supervisor, configuration: PackageConfiguration, archive: UnpackedArchive?,
    listener: (any RunListener)?
  ) throws {
    self.supervisor = supervisor
    self.listener = listener
    var configuration = configuration
    guard let archive else {
      choice = ToolchainChoice(
        toolchain: Toolchain(binFolder: "/"), description: ToolchainDescription(identity: ""),
        reason: "", policy: .off, manifestPath: "")
      self.configuration = configuration
      return
    }
    let cache = try? PrivateFolder.cache(environment: configuration.environment)
    choice = try ToolchainChoice.choose(
      configuration.toolchain, archive: archive, environment: configuration.environment,
      probe: ToolchainProbe(
        supervisor: supervisor, cache: cache, environment: configuration.environment))
    configuration.location = archive.location
    configuration.environment = choice.toolchain.environment(configuration.environment)
    let runtime = choice.toolchain.runtimeFolder
    guard !archive.manifest.hasRuntime || !runtime.contains(where: { ":;$".contains($0) }) else {
      throw WorkersError(
        .container, "'\(runtime)' cannot be named in LD_LIBRARY_PATH", context: ["path": runtime],
        advice: WorkRoot.advice + ", without a colon, semicolon or dollar sign in its path")
    }
    // The products know where the libraries were; when they are elsewhere, the dynamic linker has
    // to be told.
    let libraries = RuntimeLibraries(
      of: archive.products.map(\.executable) + [archive.observer], runtimeFolder: runtime)
    if libraries.folders != [runtime] || !libraries.unresolved.isEmpty {
      let name = "LD_LIBRARY_PATH"
      let passed = configuration.passedVariables.contains(name)
      let others = passed ? configuration.environment[name].map { ":\($0)" } ?? "" : ""
      configuration.environment[name] = runtime + others
      if !passed { configuration.passedVariables.append(name) }
    }
    self.configuration = configuration
  }

  /// - Parameters:
  ///   - root: Where containers for the listing are made.
  ///   - indexTemplate: Path of an empty index.
  /// - Throws: ``SwiftTestsError`` when there is no product, or the build fails; ``WorkersError``
  ///   when containers cannot be made.
  package func make(root: WorkRoot, indexTemplate: String) throws -> TestCatalog {
    let location = configuration.location
    let build = PackageBuild(
      toolchain: toolchain, location: location, extraFlags: configuration.buildFlags)
    let cache = try PrivateFolder.cache(environment: configuration.environment)
    var check = ToolchainCheck(choice, original: configuration.toolchain.original, cache: cache)
    var problems = try check.beforeBuild()
    problems += try checkBuilder()
    for folder in [cache, cache + "/products", cache + "/toolchains"] {
      Leftovers.remove(in: folder)
    }
    let observer = ObserverLibrary(toolchain: toolchain, cache: cache)
    let builds = !configuration.skipsBuild && !isBuildPresent(&check)
    if builds {
      if let owner = BuildLock.waitingOwner(ofScratch: location.scratch) {
        throw SwiftTestsError(
          .buildFailed,
          "'\(location.scratch)' is locked by process \(owner), which waits for this command: it "
            + "was started by SwiftPM, for example from a plugin; use --scratch-path with another "
            + "folder, or --skip-build", context: ["path": location.scratch])
      }
      try self.build(build)
    }
    try self.build(observer)
    if supervisor.interruption != nil {
      return TestCatalog(
        products: [], tests: [], problems: problems, compiler: choice.shown, observer: observer,
        cache: cache)
    }
    if builds { problems += try markBuild() }
    let built = try testProducts(&problems)
    problems += try check.afterBuild(built, in: location.products)
    let products = built.filter { isLoadable($0, &problems) }
    let apps = AppFinder.appExecutables(in: location.products)
    let digests = digests(check, of: products.map(\.executable) + apps + [observer.path])
    var catalog = TestCatalog(
      products: products, tests: [], problems: problems, compiler: compiler,
      observer: observer, cache: cache)
    try list(into: &catalog, root: root, indexTemplate: indexTemplate)
    catalog.toolchain = record((digests() ?? check).facts)
    catalog.expectedCompiler = choice.expectedCompiler
    return catalog
  }

  /// After a build that succeeded, a package without test products has no tests; whether that is a
  /// success is for others to say.
  ///
  /// - Throws: ``SwiftTestsError`` when nothing was built now, so that nobody knows, or when the
  ///   build tells of a product that is not there.
  private func testProducts(_ problems: inout [RunProblem]) throws -> [TestProduct] {
    let location = configuration.location
    do throws(SwiftTestsError) {
      return try location.testProducts()
    } catch {
      guard error.code == .noProducts, !configuration.skipsBuild,
        !location.hasDescribedTestProducts
      else { throw error }
      problems.append(
        RunProblem(
          severity: .warning, code: .noTestProducts,
          message: "the build made no test product in \(location.products); the package has no "
            + "test target"))
      return []
    }
  }

  /// Whether what is there is the build of a run that is to be repeated.
  private func isBuildPresent(_ check: inout ToolchainCheck) -> Bool {
    guard configuration.reusesBuild, let original = configuration.toolchain.original,
      PresentBuild(configuration.location).isUnchanged(
        as: original, found: { check.buildFacts($0, in: configuration.location.products) })
    else { return false }
    listener?.buildIsPresent()
    return true
  }

  private func build(_ build: PackageBuild) throws {
    var output = TailBuffer(capacity: Self.keptOutput)
    let ends = supervisor.run([build.request(environment: configuration.environment)]) {
      _, _, bytes in
      output.append(bytes)
      listener?.buildDidPrint(bytes)
    }
    guard supervisor.interruption == nil else { return }
    switch ends[0] {
    case .failure(let error): throw error
    case .success(.exited(0)): return
    case .success(let end):
      throw SwiftTestsError(
        .buildFailed,
        "the package's tests do not build ('swift build' ended with \(end)); the compiler's errors "
          + "are above", output: String(decoding: output.last(Self.keptOutput), as: UTF8.self))
    }
  }

  private func build(_ observer: ObserverLibrary) throws {
    guard !observer.exists, supervisor.interruption == nil else { return }
    let (steps, install) = try observer.build(environment: configuration.environment)
    for step in steps {
      var output = TailBuffer(capacity: Self.keptOutput)
      let ends = supervisor.run([step]) { _, _, bytes in output.append(bytes) }
      guard case .success(.exited(0)) = ends[0] else {
        throw SwiftTestsError(
          .observerFailed,
          "the observer for test processes does not build with this toolchain "
            + "(\(step.executable)); Carrel needs Swift 6.2 or newer",
          output: String(decoding: output.last(Self.keptOutput), as: UTF8.self))
      }
    }
    guard install() else {
      throw SwiftTestsError(
        .observerFailed, "the observer for test processes cannot be kept at \(observer.path)")
    }
  }

  /// Takes remembered listings where the product is unchanged, and lists the rest.
  private func list(
    into catalog: inout TestCatalog, root: WorkRoot, indexTemplate: String
  ) throws {
    guard supervisor.interruption == nil else { return }
    var known: [String: [TestDescriptor]] = [:]
    for product in catalog.products {
      catalog.executables[product.name] = ExecutableIdentity(of: product.executable)
      catalog.identities[product.name] = ProductMemory.identity(
        of: product, observer: catalog.observer)
      guard let memory = ProductMemory(of: product, in: catalog.cache) else { continue }
      catalog.history += memory.measurements
      for (text, seconds) in memory.slowTests {
        if let test = TestID(parsing: text) { catalog.slowTests[test] = seconds }
      }
      if memory.identity == catalog.identities[product.name] {
        known[product.name] = memory.tests
        catalog.remembered.insert(product.name)
        catalog.warnings[product.name] = memory.warnings
      }
    }
    let unknown = catalog.products.filter { known[$0.name] == nil }
    let found = try list(unknown, into: &catalog, root: root, indexTemplate: indexTemplate)
    known.merge(found) { remembered, _ in remembered }
    catalog.tests = catalog.products.flatMap { known[$0.name] ?? [] }
    for warning in catalog.products.flatMap({ catalog.warnings[$0.name] ?? [] }) {
      catalog.problems.append(
        RunProblem(severity: .warning, code: .inheritedTests, message: warning))
    }
  }

  /// Lists the tests of products, of both libraries, side by side.
  private func list(
    _ products: [TestProduct], into catalog: inout TestCatalog, root: WorkRoot,
    indexTemplate: String
  ) throws -> [String: [TestDescriptor]] {
    let environment = TestEnvironment(
      caller: configuration.environment, additional: configuration.passedVariables)
    var listings: [Listing] = []
    var requests: [ProcessRequest] = []
    var containers: [Container] = []
    for product in products {
      for library in [TestLibrary.xctest, .testing] {
        let container = try root.prepare(
          worker: listings.count + 1, indexTemplate: indexTemplate)
        containers.append(container)
        let listing = Listing(product: product, library: library)
        listings.append(listing)
        requests.append(
          listing.request(
            environment: environment.variables(
              container: container, run: "listing", worker: 0, workers: 0, batch: 0),
            observer: catalog.observer.path, directory: configuration.location.package,
            scope: "\(Watchdog.programMark)-listing-\(listings.count)"))
      }
    }
    let started = monotonicSeconds()
    let ends = supervisor.run(requests, limit: configuration.listingLimit) { index, stream, bytes in
      listings[index].feed(stream, bytes)
    }
    // Before the containers go: a link in them may lead out.
    let homeProblems = listings.indices.map { index in
      Self.homeProblem(
        listings[index].homes, product: listings[index].product.name,
        container: containers[index])
    }
    for container in containers {
      if let folder = root.retire(container, keepsFiles: false) { removeTree(folder) }
    }
    guard supervisor.interruption == nil else { return [:] }
    var found: [String: [TestDescriptor]] = [:]
    var intents: [TestProduct: IntentTestModules] = [:]
    for (index, listing) in listings.enumerated() {
      do {
        switch ends[index] {
        case .failure(let error): throw error
        case .success(let end):
          let modules = intents[listing.product] ?? IntentTestModules(of: listing.product)
          intents[listing.product] = modules
          found[listing.product.name, default: []] += try listing.result(end: end).map {
            $0.marked(asUserOf: modules)
          }
        }
      } catch let error as SwiftTestsError {
        let isLate = monotonicSeconds() - started >= configuration.listingLimit
        let message =
          isLate
          ? error.message + " after the limit of \(configuration.listingLimit.formattedSeconds)"
          : error.message
        let problem = RunProblem(
          severity: .error, code: .init(rawValue: error.code.rawValue), message: message,
          output: error.output)
        // A product that cannot be loaded is so for both libraries.
        if !catalog.problems.contains(problem) { catalog.problems.append(problem) }
      }
      catalog.warnings[listing.product.name, default: []] += listing.warnings
      if let problem = homeProblems[index] { catalog.problems.append(problem) }
    }
    return found
  }

  /// Asks the apps beside the tests what they offer; those that did not change since then are
  /// not asked again.
  ///
  /// - Throws: ``WorkersError`` when no container can be made for them.
  package func findApps(
    into catalog: inout TestCatalog, root: WorkRoot, indexTemplate: String
  ) throws {
    guard supervisor.interruption == nil else { return }
    let environment = TestEnvironment(
      caller: configuration.environment, additional: configuration.passedVariables)
    let folder = configuration.location.products
    let memory = AppMemory(folder: folder, cache: catalog.cache, environment: environment)
    // The folder of an archive has another path each time.
    let isRemembered = catalog.archive == nil
    var stamps: [String: String] = [:]
    var finder = AppFinder(folder: folder) { executable in
      stamps[executable] = FileStamp(path: executable)?.line
      return memory.answer(of: executable)
    }
    guard finder.asksApps else { return catalog.take(finder.result(ends: [])) }
    let container = try root.prepare(worker: 1, indexTemplate: indexTemplate)
    let requests = finder.requests(
      environment: environment.variables(
        container: container, run: "listing", worker: 0, workers: 0, batch: 0),
      scope: "\(Watchdog.programMark)-listing")
    let ends = supervisor.run(requests, limit: AppFinder.limit) { finder.take($0, $1, $2) }
    if let folder = root.retire(container, keepsFiles: true) { removeTree(folder) }
    guard supervisor.interruption == nil else { return }
    let found = finder.result(
      ends: ends.map { end in
        switch end {
        case .success(let end): "\(end)"
        case .failure(let error): "\(error)"
        }
      })
    if isRemembered { memory.save(found.answers, stamps: stamps) }
    catalog.take(found)
  }

  /// What sandboxes for the tests of a catalog are like: they have to see the package, what was
  /// built, and the toolchain.
  func sandboxPlan(
    _ run: RunConfiguration, _ catalog: TestCatalog, root: WorkRoot, archive: UnpackedArchive?
  ) throws(WorkersError) -> SandboxPlan {
    let location = configuration.location
    var needed = [
      location.package, location.scratch, location.products, folder(of: toolchain.binFolder),
      toolchain.runtimeFolder,
      folder(of: catalog.observer.path),
    ]
    needed += catalog.products.map { folder(of: $0.executable) }
    let view = archive.flatMap { Self.view(of: $0, needed: needed) }
    return try SandboxPlan(
      run.isolation, needed: needed, folder: root.path,
      privateSize: run.limits.disk.map { UInt64($0) },
      userHome: userHome(in: configuration.environment),
      seen: { view == nil ? $0 : archive?.seen($0) ?? $0 })
  }

  /// Isolation is checked with a real process of the product: each of Foundation's ways to name a
  /// folder of the user's must lead into the container.
  static func homeProblem(
    _ homes: [String: String], product: String, container: Container
  ) -> RunProblem? {
    let outside = homes.filter { !container.contains($0.value) }.sorted { $0.key < $1.key }
    guard !outside.isEmpty else { return nil }
    let list = outside.map { "\($0.key) is \($0.value)" }.joined(separator: "; ")
    return RunProblem(
      severity: .error, code: .containerEscaped,
      message: "tests of \(product) would not stay in their container: \(list)")
  }
}

extension TestCatalog {
  fileprivate mutating func take(_ found: AppFinder.Found) {
    apps = found.apps
    appProblems = found.problems
  }
}

extension TestDescriptor {
  fileprivate func marked(asUserOf modules: IntentTestModules) -> TestDescriptor {
    var test = self
    test.usesIntents = modules.contains(id)
    return test
  }
}
