import Glibc
import RunModel
import SystemFiles

/// Where a package's build products are.
package struct BuildLocation: Sendable {
  /// Absolute path of the package.
  package var package: String
  /// Absolute path of the scratch folder, normally `.build` in the package.
  package let scratch: String
  /// `debug` or `release`.
  package var configuration: String
  /// Absolute path of the folder with what the build made.
  package var products: String

  package init(package: String, scratch: String?, configuration: String) {
    self.package = package
    self.scratch = scratch ?? package + "/.build"
    self.configuration = configuration
    products = "\(self.scratch)/\(configuration)"
  }

  /// Checks that there is a package to build.
  ///
  /// - Throws: ``SwiftTestsError`` with code `noPackage`; its context says what is `missing`.
  package func checkPackage() throws(SwiftTestsError) {
    var info = stat()
    guard stat(package, &info) == 0 else {
      throw SwiftTestsError(
        .noPackage, "there is no folder \(package)",
        context: ["path": package, "missing": "folder"])
    }
    guard info.isFolder else {
      throw SwiftTestsError(
        .noPackage, "\(package) is a file, not the folder of a package",
        context: ["path": package, "missing": "folder"])
    }
    guard access(package + "/Package.swift", R_OK) == 0 else {
      throw SwiftTestsError(
        .noPackage, "\(package) holds no Package.swift",
        context: ["path": package, "missing": "Package.swift"])
    }
  }

  /// The test products of the last build, sorted by name.
  ///
  /// SwiftPM's own build system writes their paths into `description.json`; the Swift Build engine
  /// does not, there they are found by their names.
  ///
  /// - Throws: ``SwiftTestsError`` with code `noProducts`.
  package func testProducts() throws(SwiftTestsError) -> [TestProduct] {
    var found = described()
    if found.isEmpty { found = searched() }
    guard !found.isEmpty else {
      throw SwiftTestsError(
        .noProducts,
        "no built test product was found in \(products); the package has no test target, or it was "
          + "not built for tests")
    }
    return found.sorted { $0.name < $1.name }
  }

  /// The descriptions that compilers gave of themselves and SwiftPM noted at builds, one for each
  /// path of a compiler; the newest last.
  package func compilerNotes() -> [String] {
    let names = (folderEntries(products) ?? []).filter {
      $0.hasPrefix("swift-version") && $0.hasSuffix(".txt")
    }
    let paths = names.sorted().map { "\(products)/\($0)" }
    return paths.sorted { modified($0) < modified($1) }.compactMap { path in
      readSmallFile(path).flatMap { bytes in
        let lines = String(decoding: bytes, as: UTF8.self).split(separator: "\n")
        return (lines.first { $0.contains("Swift version") } ?? lines.first).map { String($0) }
      }
    }
  }

  private func modified(_ path: String) -> Int {
    var info = stat()
    return stat(path, &info) == 0 ? info.st_mtim.tv_sec : 0
  }

  /// Whether the last build tells of test products, be they there or not.
  package var hasDescribedTestProducts: Bool { description?.testProducts.isEmpty == false }

  private var description: BuildDescription? {
    readSmallFile(products + "/description.json").flatMap { BuildDescription($0) }
  }

  private func described() -> [TestProduct] {
    (description?.testProducts ?? []).compactMap { product in
      // The file holds absolute paths of the place where the package was built.
      let name = lastComponent(of: product.binaryPath)
      let path = [product.binaryPath, "\(products)/\(name)"].first { isExecutableFile($0) }
      return path.map { TestProduct(name: product.productName, executable: $0) }
    }
  }

  private func searched() -> [TestProduct] {
    (folderEntries(products) ?? []).compactMap { entry in
      for suffix in [".xctest", "-test-runner"] where entry.hasSuffix(suffix) {
        let path = "\(products)/\(entry)"
        guard isExecutableFile(path) else { continue }
        return TestProduct(name: String(entry.dropLast(suffix.count)), executable: path)
      }
      return nil
    }
  }

  private func isExecutableFile(_ path: String) -> Bool {
    var info = stat()
    return stat(path, &info) == 0 && info.isRegular && access(path, X_OK) == 0
  }
}
