import IntentSystem
package import RunModel
import SwiftTests
import SystemFiles

/// What was built and is run.
extension RunSession {
  /// Absolute paths of the executables that batches of a product run, by the names of the facts
  /// about them.
  ///
  /// - Parameter withApps: Whether the batches call apps.
  func executables(of product: String, withApps: Bool) -> [String: String] {
    var result: [String: String] = [:]
    if let product = catalog.product(product) {
      result[ToolchainFactKind.product.rawValue + product.name] = product.executable
    }
    for app in catalog.apps where withApps {
      result[ToolchainFactKind.host.rawValue + lastComponent(of: app.executable)] = app.executable
    }
    return result
  }

  /// Absolute path of the folder with the toolchain's programs.
  package var toolchainFolder: String { catalog.toolchain?.path ?? "" }

  /// Digests of the executables that a planned test runs, as a bundle has them.
  package func buildFacts(of test: TestID) -> ToolchainFacts {
    let usesIntents = descriptor(of: test)?.usesIntents ?? false
    var digests = DigestMemory(cache: catalog.cache)
    defer { digests.save() }
    var facts = ToolchainFacts()
    for (fact, path) in executables(of: test.product, withApps: usesIntents) {
      facts.values[fact] = catalog.archiveFacts.values[fact] ?? digests.digest(of: path)
    }
    return facts
  }
}
