import Glibc
package import IntentSystem
package import Orchestration
package import RunModel
package import SwiftTests
import Workers

/// A built package with the tests found in it.
package struct TestCatalog {
  package var products: [TestProduct]
  /// Tests in the order of the listing, product by product.
  package var tests: [TestDescriptor]
  /// Products that could not be listed, and what is odd about the rest.
  package var problems: [RunProblem]
  /// The compiler's one-line description of itself.
  package var compiler: String
  /// The toolchain and what is known of it; `nil` when that was not found out.
  package var toolchain: ToolchainRecord?
  /// What apps shall have been compiled with; `nil` when no manifest pins it.
  var expectedCompiler: ExpectedCompiler?
  package var observer: ObserverLibrary
  /// The run archive that the tests are from; `nil` when they were built here.
  var archive: ArchiveReference?
  /// Digests of what the run archive holds, as its manifest has them; what was unpacked is gone
  /// after the run.
  var archiveFacts = ToolchainFacts()
  /// Folder for what is remembered between runs.
  var cache: String
  /// The apps that tests can call; empty when no test calls any.
  package var apps: [InstalledApp] = []
  /// What is wrong with executables that should be apps.
  package var appProblems: [AppProblem] = []
  /// The metadata that apps declare, as `extract.actionsdata` has it, by bundle identifier; empty
  /// when it was not asked for.
  package var metadata: [String: [UInt8]] = [:]
  /// What earlier runs have measured.
  package var history: [GroupMeasurement] = []
  /// Seconds of the tests that took long in earlier runs.
  package var slowTests: [TestID: Double] = [:]
  /// The state of each executable before it was listed.
  var identities: [String: String] = [:]
  /// The executables as they were before they were listed, by product.
  var executables: [String: ExecutableIdentity] = [:]
  /// Products whose tests were remembered, not listed.
  var remembered: Set<String> = []
  /// What the listing of each product warned of.
  var warnings: [String: [String]] = [:]

  /// A catalog without tests, for a package that could not be built.
  package static func empty() -> TestCatalog {
    TestCatalog(
      products: [], tests: [], problems: [], compiler: "unknown",
      observer: ObserverLibrary(toolchain: Toolchain(binFolder: ""), cache: ""), cache: "")
  }

  /// Remembers what the next run can use. Nothing is remembered of a product that could not be
  /// listed.
  ///
  /// - Parameter seconds: Times of the tests that ran.
  package func remember(_ measurements: [GroupMeasurement], seconds: [TestID: Double]) {
    guard !problems.contains(where: { $0.severity == .error }) else { return }
    for product in products {
      guard let identity = identities[product.name] else { continue }
      let old = history.filter { $0.product == product.name }
      let new = measurements.filter { $0.product == product.name }
      let kept = old.filter { known in !new.contains { $0.library == known.library } }
      var slow = slowTests.filter { $0.key.product == product.name && seconds[$0.key] == nil }
      slow.merge(
        seconds.filter { $0.key.product == product.name && $0.value >= ProductMemory.slow }
      ) { _, new in new }
      ProductMemory(
        identity: identity, tests: tests.filter { $0.id.product == product.name },
        warnings: warnings[product.name] ?? [], measurements: new + kept,
        slowTests: Dictionary(
          slow.map { ("\($0.key)", $0.value) }, uniquingKeysWith: { max($0, $1) })
      ).save(for: product, in: cache, isListed: !remembered.contains(product.name))
    }
  }

  /// The product of a name; `nil` when none was listed.
  package func product(_ name: String) -> TestProduct? { products.first { $0.name == name } }
}
