package import Evidence
package import Orchestration
import RunModel
import SwiftTests

/// A run that is to be resumed by another one.
package struct ResumeRequest: Sendable {
  package let record: RunRecord
  package private(set) var resumable: ResumableRun
  /// Whether results of two builds may be in one record.
  package let acceptsChanges: Bool

  package init(record: RunRecord, resumable: ResumableRun, acceptsChanges: Bool) {
    self.record = record
    self.resumable = resumable
    self.acceptsChanges = acceptsChanges
  }

  /// Takes over the files that the events refer to.
  ///
  /// - Returns: The request without references to files that are missing.
  /// - Throws: ``EvidenceError`` with the code `unwritable`.
  func takingFiles(into target: RunRecord) throws -> ResumeRequest {
    func take(_ log: LogReference?) throws -> LogReference? {
      guard let log, try target.take(log.path, in: .logs, from: record) else { return nil }
      return log
    }
    var result = self
    result.resumable.events = try resumable.events.compactMap { event in
      var event = event
      switch event.kind {
      case .attemptFinished(var attempt):
        attempt.stdout = try take(attempt.stdout)
        attempt.stderr = try take(attempt.stderr)
        for app in attempt.apps { _ = try take(app.log) }
        event.kind = .attemptFinished(attempt)
      case .bundleWritten(let bundle):
        guard try target.take(bundle.path, in: .bundles, from: record) else { return nil }
        try target.addToIndex(bundle)
      default: break
      }
      return event
    }
    for source in resumable.sources {
      try target.takeJournal(of: source.runID, from: record, header: resumable.header)
    }
    return result
  }

  /// Checks that the tests are those of the build that the run had.
  ///
  /// - Throws: ``RunEngineError`` with the code `productsChanged`.
  func check(_ catalog: TestCatalog) throws(RunEngineError) {
    guard !acceptsChanges else { return }
    let run = resumable.header.runID
    // Extracted anew, but the same.
    if let archive = catalog.archive, archive.digest == resumable.header.archive?.digest { return }
    if let archive = resumable.header.archive {
      try RunEngineError.check(catalog.archive, isThatOf: run, archive)
    }
    guard let old = resumable.header.products else {
      throw RunEngineError(
        .productsChanged, "run \(run) does not say which build it had", context: ["run": run])
    }
    let new = catalog.builtProducts ?? []
    let changed = old.filter { !new.contains($0) }.map(\.name)
    guard let first = changed.first else { return }
    let names = changed.joined(separator: ", ") + (changed.count == 1 ? " was" : " were")
    throw RunEngineError(
      .productsChanged,
      "\(names) built anew since run \(run), and results of two builds would be in one record",
      context: ["run": run, "product": first])
  }

  /// Says in a header which run is resumed.
  ///
  /// - Parameter takesOver: Whether its results are in the log.
  func mark(_ header: inout RunHeader, takesOver: Bool) {
    header.continues = resumable.header.runID
    if takesOver { header.sources = resumable.sources }
    if header.products == nil { header.products = resumable.header.products }
  }
}

extension TestCatalog {
  /// What tells this build from others; `nil` when there is none.
  var builtProducts: [BuiltProduct]? {
    products.isEmpty
      ? nil : products.compactMap { executables[$0.name]?.product(named: $0.name) }
  }
}
