package import Evidence
package import Orchestration
package import RunModel
import SwiftTests

/// Which tests of a package are run.
package enum TestChoice: Sendable {
  case filter(TestFilter)
  /// Exactly these, as far as they exist.
  case only([TestID])
}

/// What a run is asked to do.
package struct RunRequest: Sendable {
  package var package: PackageConfiguration
  package var configuration: RunConfiguration
  package var tests: TestChoice
  /// The order of the tests; `nil` for that of the listing.
  package var order: [TestID]?
  /// Whether a run without any test is a success.
  package var allowsEmpty: Bool
  /// The folder of run records.
  package var runsFolder: String
  /// Whether the record stays; else it goes with the containers.
  package var keepsRecord = true
  /// Whether `latest` shall lead to the record.
  package var becomesLatest: Bool
  /// The folder for the folders of all runs; `nil` for the usual one.
  package var workFolder: String?
  /// The run that is resumed; `nil` for a run of its own.
  package var resume: ResumeRequest?
  /// The run whose tests are run again and the run archive that they must be from; `nil` when
  /// another archive may be taken.
  package var sameArchive: (run: String, archive: ArchiveReference)?

  package init(
    package: PackageConfiguration, configuration: RunConfiguration, tests: TestChoice,
    order: [TestID]? = nil, allowsEmpty: Bool = false, runsFolder: String? = nil,
    becomesLatest: Bool = true, workFolder: String? = nil
  ) {
    self.package = package
    self.configuration = configuration
    self.tests = tests
    self.order = order
    self.allowsEmpty = allowsEmpty
    self.runsFolder = runsFolder ?? RunRecord.runsFolder(ofPackage: package.location.package)
    self.becomesLatest = becomesLatest
    self.workFolder = workFolder
  }
}

/// Is told what comes of a package on its way to its tests, too.
package protocol PackageRunListener: RunListener {
  /// The record of the run exists.
  func runDidOpen(_ record: RunRecord)
  /// Tests were selected from all that were listed.
  ///
  /// - Parameter missing: Tests that were to be run and are not there.
  func runDidSelect(_ selection: TestSelection, from all: [TestDescriptor], missing: [TestID])
  /// The first test is about to start.
  func runWillStart(_ session: RunSession, tests: Int, of listed: Int)
  /// A first signal asked for the end of the run; what runs is ended now.
  func runIsInterrupted(by signal: String)
  /// The last test and everything about it is over.
  func runDidEnd(_ session: RunSession)
  /// How an error that keeps the run from its tests is told in the event log.
  func problem(for error: any Error) -> RunProblem
}

extension RunEngineError {
  /// Refuses a run archive that is not the one of an earlier run.
  ///
  /// - Throws: With the code `productsChanged` and the archive's path under `archive`.
  static func check(
    _ archive: ArchiveReference?, isThatOf run: String, _ original: ArchiveReference
  ) throws(RunEngineError) {
    guard let archive, archive.digest != original.digest else { return }
    throw RunEngineError(
      .productsChanged,
      "the run archive '\(ByteName(archive.path).displayName)' is not the one of run \(run): other "
        + "contents are in its place", context: ["run": run, "archive": archive.path])
  }

  /// Nothing is left to run.
  ///
  /// - Parameter listed: Number of tests that the package has.
  package static func nothingSelected(_ selection: TestSelection, listed: Int) -> RunEngineError {
    let context = ["listed": "\(listed)"]
    if listed == 0 {
      return RunEngineError(
        .nothingSelected, "the package has no tests", context: context)
    }
    let reasons = selection.emptyReasons
    return RunEngineError(
      .nothingSelected,
      (reasons.isEmpty ? ["no test was selected"] : reasons).joined(separator: "\n")
        + "\n0 of \(listed) tests selected", context: context)
  }
}
