import Glibc
package import RunModel
import SearchIndex
package import SwiftTests
package import Workers

/// A built package with the tests found in it.
package struct TestCatalog {
  package var products: [TestProduct]
  /// Tests in the order of the listing, product by product.
  package var tests: [TestDescriptor]
  /// Products that could not be listed, and what is odd about the rest.
  package var problems: [RunProblem]
  /// The compiler's one-line description of itself.
  package var compiler: String
  package var observer: ObserverLibrary

  /// A catalog without tests, for a package that could not be built.
  package static func empty(observerFor package: PackageConfiguration) -> TestCatalog {
    TestCatalog(
      products: [], tests: [], problems: [], compiler: "unknown",
      observer: ObserverLibrary(toolchain: Toolchain(binFolder: ""), cache: package.cacheFolder))
  }

  package func product(_ name: String) -> TestProduct? { products.first { $0.name == name } }
}

/// Builds a package's tests and lists them.
package struct CatalogMaker {
  private let supervisor: Supervisor
  private let configuration: PackageConfiguration
  private let listener: (any RunListener)?

  package init(
    supervisor: Supervisor, configuration: PackageConfiguration, listener: (any RunListener)?
  ) {
    self.supervisor = supervisor
    self.configuration = configuration
    self.listener = listener
  }

  /// - Parameters:
  ///   - root: Where containers for the listing are made.
  ///   - indexTemplate: Path of an empty index.
  /// - Throws: ``SwiftTestsError`` when there is no package, no toolchain, no product, or the build
  ///   fails; ``WorkersError`` when containers cannot be made.
  package func make(root: WorkRoot, indexTemplate: String) throws -> TestCatalog {
    let location = configuration.location
    let toolchain = try Toolchain.find(path: configuration.environment["PATH"])
    let build = PackageBuild(
      toolchain: toolchain, location: location, extraFlags: configuration.buildFlags)
    try build.checkPackage()
    let observer = ObserverLibrary(toolchain: toolchain, cache: configuration.cacheFolder)
    if !configuration.skipsBuild { try self.build(build) }
    try self.build(observer)
    let products = try location.testProducts()
    var catalog = TestCatalog(
      products: products, tests: [], problems: [],
      compiler: location.compilerVersion() ?? toolchain.binFolder, observer: observer)
    try list(into: &catalog, root: root, indexTemplate: indexTemplate)
    return catalog
  }

  private func build(_ build: PackageBuild) throws {
    var output = TailBytes(limit: 1 << 16)
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
          + "are above", output: output.text)
    }
  }

  private func build(_ observer: ObserverLibrary) throws {
    guard !observer.exists, supervisor.interruption == nil else { return }
    let (steps, install) = try observer.build(environment: configuration.environment)
    for step in steps {
      var output = TailBytes(limit: 1 << 16)
      let ends = supervisor.run([step]) { _, _, bytes in output.append(bytes) }
      guard case .success(.exited(0)) = ends[0] else {
        throw SwiftTestsError(
          .observerFailed,
          "the observer for test processes does not build with this toolchain "
            + "(\(step.executable)); Carrel needs Swift 6.2 or newer", output: output.text)
      }
    }
    guard install() else {
      throw SwiftTestsError(
        .observerFailed, "the observer for test processes cannot be kept at \(observer.path)")
    }
  }

  /// Lists each product's tests of both libraries, side by side.
  private func list(
    into catalog: inout TestCatalog, root: WorkRoot, indexTemplate: String
  ) throws {
    guard supervisor.interruption == nil else { return }
    let environment = TestEnvironment(
      caller: configuration.environment, additional: configuration.passedVariables)
    var listings: [Listing] = []
    var requests: [ProcessRequest] = []
    var containers: [Container] = []
    for product in catalog.products {
      for library in [TestLibrary.xctest, .testing] {
        let container = root.container(worker: 1000 + listings.count)
        try container.create(indexTemplate: indexTemplate)
        containers.append(container)
        let listing = Listing(product: product, library: library)
        listings.append(listing)
        requests.append(
          listing.request(
            environment: environment.variables(
              container: container, run: "listing", worker: 0, workers: 0, batch: 0),
            observer: catalog.observer.path, directory: configuration.location.package,
            scope: "listing-\(getpid())-\(listings.count)"))
      }
    }
    defer { for container in containers { removeTree(container.root) } }
    let started = monotonicSeconds()
    let ends = supervisor.run(requests, limit: configuration.listingLimit) { index, stream, bytes in
      listings[index].feed(stream, bytes)
    }
    guard supervisor.interruption == nil else { return }
    for (index, listing) in listings.enumerated() {
      do {
        switch ends[index] {
        case .failure(let error): throw error
        case .success(let end): catalog.tests += try listing.result(end: end)
        }
      } catch let error as SwiftTestsError {
        let isLate = monotonicSeconds() - started >= configuration.listingLimit
        let message =
          isLate
          ? error.message + " after the limit of \(configuration.listingLimit.formattedSeconds)"
          : error.message
        catalog.problems.append(
          RunProblem(
            severity: .error, code: error.code.rawValue, message: message, output: error.output))
      }
      if let problem = homeProblem(listing, container: containers[index]) {
        catalog.problems.append(problem)
      }
    }
  }

  /// Isolation is checked with a real process of the product: each of Foundation's ways to name a
  /// folder of the user's must lead into the container.
  private func homeProblem(_ listing: Listing, container: Container) -> RunProblem? {
    let outside = listing.homes.filter { !container.contains($0.value) }.sorted { $0.key < $1.key }
    guard !outside.isEmpty else { return nil }
    let list = outside.map { "\($0.key) is \($0.value)" }.joined(separator: "; ")
    return RunProblem(
      severity: .error, code: "container-escaped",
      message: "tests of \(listing.product.name) would not stay in their container: \(list)")
  }
}

/// The last bytes of an output.
struct TailBytes {
  private var bytes: [UInt8] = []
  private let limit: Int

  init(limit: Int) { self.limit = limit }

  mutating func append(_ piece: UnsafeRawBufferPointer) {
    bytes.append(contentsOf: piece)
    if bytes.count > 2 * limit { bytes.removeFirst(bytes.count - limit) }
  }

  var text: String { String(decoding: bytes.suffix(limit), as: UTF8.self) }
}
