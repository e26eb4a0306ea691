import Evidence
import Glibc
import IntentSystem
import RunModel
import SwiftTests
import SystemFiles
import Workers

/// The tests of a run archive: nothing is built, and nothing listed.
extension CatalogMaker {
  /// - Throws: ``SwiftTestsError`` with the code `toolchainDiffers`; ``WorkersError`` when there is
  ///   no place for what is remembered.
  func make(from archive: UnpackedArchive) throws -> TestCatalog {
    let cache = try PrivateFolder.cache(environment: configuration.environment)
    Leftovers.remove(in: cache)
    var check = ToolchainCheck(choice, cache: cache)
    var problems = try check.beforeBuild()
    let observer = try observer(of: archive, cache: cache)
    let products = archive.products.filter { isLoadable($0, &problems) }
    let apps = AppFinder.appExecutables(in: archive.location.products)
    let digests = digests(check, of: products.map(\.executable) + apps + [observer.path])
    let names = Set(products.map(\.name))
    for warning in archive.manifest.warnings {
      problems.append(RunProblem(severity: .warning, code: .inheritedTests, message: warning))
    }
    var catalog = TestCatalog(
      products: products, tests: archive.tests.filter { names.contains($0.id.product) },
      problems: problems, compiler: archive.manifest.compiler, observer: observer, cache: cache)
    for product in products {
      catalog.executables[product.name] = ExecutableIdentity(of: product.executable)
    }
    catalog.archive = archive.reference
    catalog.archiveFacts = archive.manifest.facts.only(\.isOfBuild)
    let compiled = archive.manifest.facts.only { kind in
      [.compilerVersion, .compilerBuild, .clangVersion, .compilerDigest].contains(kind)
    }
    catalog.toolchain = record((digests() ?? check).facts.merging(compiled))
    return catalog
  }

  /// The packed observer, in a place that can be named to the dynamic linker: `LD_PRELOAD` has no
  /// way to write a space, a colon or a dollar sign (ld.so(8)).
  ///
  /// - Throws: ``EvidenceError`` when it cannot be copied to the user's cache folder.
  private func observer(
    of archive: UnpackedArchive, cache: String
  ) throws -> ObserverLibrary {
    guard archive.observer.contains(where: { " :$".contains($0) }) else {
      return ObserverLibrary(at: archive.observer)
    }
    let digest = try fileDigest(archive.observer).split(separator: ":").last ?? ""
    let folder = "\(cache)/observer-\(digest.prefix(32))"
    let observer = ObserverLibrary(at: "\(folder)/\(lastComponent(of: archive.observer))")
    guard !observer.exists else { return observer }
    do throws(FileError) {
      try makeFolders(folder, mode: 0o700)
      try writeFileAtomically(
        readFile(archive.observer, maxBytes: 1 << 30), to: observer.path, mode: 0o700)
    } catch {
      throw EvidenceError(
        .unwritable, "cannot copy the observer to '\(folder)'", context: ["path": folder],
        cause: error)
    }
    return observer
  }

  /// Where tests of an archive see the package in sandboxes: where it was when it was built, so
  /// that paths that were compiled into them lead to what was packed of it.
  ///
  /// - Parameter needed: What must be seen as it is.
  /// - Returns: `nil` when nothing can be put there: a folder of the machine's, something that has
  ///   to be seen, or nothing at all where nothing can be made.
  static func view(of archive: UnpackedArchive, needed: [String]) -> String? {
    let old = archive.manifest.package
    let shared = ["/dev", "/etc", "/proc", "/sys", "/usr", "/lib", "/bin", "/sbin", "/var"]
    guard old.split(separator: "/").count > 1, !shared.contains(old),
      !needed.contains(where: { $0 == old || $0.hasPrefix(old + "/") || old.hasPrefix($0 + "/") })
    else { return nil }
    var status = stat()
    if stat(old, &status) == 0 {
      return status.isFolder && existingPath(old) == old && !SandboxPlan.holdsPrivateFolders(old)
        ? old : nil
    }
    return SandboxPlan.isHidden(old) ? old : nil
  }
}
