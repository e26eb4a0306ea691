import Evidence
package import Orchestration
import RunModel
import Workers

/// Builds a package's tests and lists them, without running any.
package struct PackageListing {
  /// What came of it.
  package struct Outcome {
    package var catalog: TestCatalog
    /// `nil` when a signal came first.
    package var selection: TestSelection?
    /// Name of the signal that asked for the end.
    package var interruption: String?
  }

  private let package: PackageConfiguration
  private let filter: TestFilter
  private let workFolder: String?
  private let listener: any RunListener

  /// - Parameter workFolder: The folder for the folders of all runs; `nil` for the usual one.
  package init(
    _ package: PackageConfiguration, filter: TestFilter, workFolder: String?,
    listener: any RunListener
  ) {
    self.package = package
    self.filter = filter
    self.workFolder = workFolder
    self.listener = listener
  }

  package func perform() throws -> Outcome {
    if let archive = package.archive { return try perform(archive) }
    let workplace = try Workplace(package, folder: workFolder, listener: listener)
    let supervisor = workplace.supervisor
    defer { workplace.close() }
    let catalog = try workplace.makeCatalog()
    // The run that mostly follows need not list them again; an interrupted listing is no listing.
    if supervisor.interruption == nil { catalog.remember([], seconds: [:]) }
    return try outcome(of: catalog, supervisor)
  }

  /// Lists what is in a run archive, when all of it is as it was packed. Nothing is unpacked, and
  /// no library of a toolchain is needed.
  private func perform(_ archive: PackageArchive) throws -> Outcome {
    let supervisor = try Supervisor()
    defer { supervisor.watchdog?.end() }
    let reader = RunArchiveReader(path: archive.path)
    _ = try supervisor.compute { Result { try reader.verify() } }?.get()
    var catalog = TestCatalog.empty()
    catalog.tests = archive.tests
    catalog.problems = archive.manifest.warnings.map {
      RunProblem(severity: .warning, code: .inheritedTests, message: $0)
    }
    return try outcome(of: catalog, supervisor)
  }

  private func outcome(of catalog: TestCatalog, _ supervisor: Supervisor) throws -> Outcome {
    let (filter, tests) = (filter, Plan(catalog.tests).tests)
    let selected = supervisor.compute { Result { try filter.select(from: tests) } }
    let interruption = supervisor.interruption
    return Outcome(
      catalog: catalog, selection: interruption == nil ? try selected?.get() : nil,
      interruption: interruption)
  }
}
