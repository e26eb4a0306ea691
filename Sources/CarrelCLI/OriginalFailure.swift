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

  /// Tests of its batch that ran after it, in its container; 0 when the bundle does not say.
  var laterTests: Int {
    // A process that ended with the test ran no other.
    guard let start, manifest.end == nil else { return 0 }
    return Self.laterTests(
      than: manifest.test, in: start.tests, predecessors: manifest.predecessors)
  }

  /// - Parameter predecessors: Those that ran before it, as a bundle names them: all, or those that
  ///   ran last.
  static func laterTests(
    than test: TestID, in batch: [TestID], predecessors: [TestID]
  ) -> Int {
    Set(batch).subtracting(predecessors).subtracting([test]).count
  }

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
