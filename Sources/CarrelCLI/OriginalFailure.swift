import Evidence
import RunEngine
import RunModel

/// A failed attempt as its bundle tells of it.
struct OriginalFailure {
  let bundle: BundleReader
  let manifest: BundleManifest
  /// That of the run; `nil` when the bundle does not say.
  let header: RunHeader?
  /// The attempt's batch; `nil` when the bundle does not say.
  let start: BatchStart?
  /// The command of the batch's process; `nil` when there was none.
  let command: RecordedCommand?

  /// - Throws: ``EvidenceError`` when the bundle cannot be read.
  init(_ bundle: BundleReader) throws {
    self.bundle = bundle
    manifest = try bundle.manifest()
    header = try bundle.runHeader()
    start = try bundle.batchStart()
    command = try bundle.command()
  }

  var name: String { manifest.test.printableName }

  /// What the failure is known by.
  ///
  /// - Parameter comparable: What makes two failures comparable when secrets were taken out of one.
  func signature(_ comparable: (AttemptResult) -> AttemptResult = { $0 }) -> FailureSignature {
    FailureSignature(
      comparable(manifest.attemptResult), container: command?.container,
      package: header?.packagePath)
  }

  /// The place in its run that the batch's tests saw.
  var place: RecordedPlace {
    let name = "CARREL_RUN_ID"
    return RecordedPlace(
      runID: command?.environment[name] ?? manifest.runID, worker: manifest.worker,
      workers: header?.workers ?? 1, batch: manifest.batch)
  }
}
