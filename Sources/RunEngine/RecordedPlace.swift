/// The place of a batch in a run as its tests see it in their variables.
///
/// A test can make names, ports or paths from these numbers; so a reproduction says what the batch
/// said that it repeats.
package struct RecordedPlace: Hashable, Sendable {
  package var runID: String
  /// From 1.
  package var worker: Int
  /// From 1.
  package var workers: Int
  /// From 1.
  package var batch: Int

  package init(runID: String, worker: Int, workers: Int, batch: Int) {
    self.runID = runID
    self.worker = worker
    self.workers = workers
    self.batch = batch
  }
}
