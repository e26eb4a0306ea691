import Orchestration
import RunModel
import SwiftTests
import Workers

/// What a run knows of the products whose tests it runs.
extension RunSession {
  /// Whether the batch has all tests of its product and library, so that no selection is needed.
  func isWholeProduct(_ spec: BatchSpec) -> Bool {
    groupSizes[spec.group] == spec.tests.count
  }

  /// Makes the selections of Swift Testing tests of a product.
  func patterns(of product: String) -> FilterPatterns {
    if let known = patterns[product] { return known }
    let made = FilterPatterns(
      catalog.tests.lazy.filter { $0.id.product == product && $0.id.library == .testing }
        .map(\.libraryID))
    patterns[product] = made
    return made
  }

  /// Makes sure that a product is the build that was listed: processes of several builds would be
  /// mixed in one run otherwise.
  ///
  /// - Throws: ``RunEngineError`` with code `executableChanged`. Once a product has changed it
  ///   stays refused, also when the build that was listed comes back.
  func checkExecutable(of product: TestProduct) throws(RunEngineError) {
    guard let listed = catalog.executables[product.name] else { return }
    let isSame =
      !changedProducts.contains(product.name)
      && ExecutableIdentity(of: product.executable) == listed
    guard !isSame else { return }
    let message =
      "\(product.executable) is not the file any more that was listed; it was built anew or "
      + "removed during the run, so no more tests of \(product.name) are started"
    if changedProducts.insert(product.name).inserted {
      log(.problem(RunProblem(severity: .error, code: .executableChanged, message: message)))
    }
    throw RunEngineError(
      .executableChanged, message,
      context: ["path": product.executable, "product": product.name])
  }

  /// Checks where Foundation's folders are in the first process of each product and library.
  func checkHomes(_ homes: [String: String], of spec: BatchSpec, container: Container) {
    if let problem = CatalogMaker.homeProblem(
      homes, product: spec.product, container: container)
    {
      log(.problem(problem))
    }
  }
}
