import Evidence
import IntentSystem
import IntentWire
import Orchestration
import RunModel
import SwiftTests
import SystemFiles
import Workers

/// The start and the end of batches, and what is kept of those that failed.
extension RunSession {
  /// Writes down that a batch starts, and how its container and its process are made.
  func logStart(of spec: BatchSpec, _ start: ProcessStart) {
    let way = cloneWays[spec.batch]
    let event = BatchStart(
      batch: spec.batch, worker: spec.worker, purpose: spec.purpose, tests: spec.tests,
      start: start, clone: way?.rawValue,
      cloneReason: way == nil ? nil : cloneDecision.takeReason())
    starts[spec.batch] = event
    log(.batchStarted(event))
    recorder.flush()
  }

  /// Starts a batch that the scheduler wants.
  func start(_ spec: BatchSpec) {
    let nonce = hexadecimal(random.next())
    let batch = BatchRun(
      spec, descriptors: spec.tests.compactMap { descriptors[$0] }, session: self, nonce: nonce
    ) { [unowned self] batch, ended in batchEnded(batch, ended) }
    batch.checksHomes = homesChecked.insert(spec.group).inserted
    batches[spec.batch] = batch
    batch.start()
  }

  /// Writes the end of a batch down, has its container removed or packed, and tells the scheduler
  /// what came of it.
  func batchEnded(_ batch: BatchRun, _ ended: BatchRun.Ended) {
    let spec = batch.spec
    batch.limits?.end()
    if batch.sandbox != nil { sandboxRoom.wasEnded() }
    log(
      .batchFinished(
        BatchFinish(
          batch: spec.batch, worker: spec.worker, end: ended.end, duration: ended.duration)))
    let failed = ended.results.filter { $0.verdict.needsBundle }
    let layers = root.layers(of: batch.container)
    // A container that apps have used is not looked at; a clone is made as it was.
    let isOver = batch.usesIntents && !root.isClone(batch.container)
    if let folder = root.retire(batch.container, keepsFiles: !failed.isEmpty || isOver) {
      if failed.isEmpty {
        disposal.remove(folder)
      } else {
        disposal.pack(
          failed,
          with: bundleTask(batch, ended, container: Container(root: folder), layers: layers))
      }
    }
    batches[spec.batch] = nil
    starts[spec.batch] = nil
    cloneWays[spec.batch] = nil
    if batch.isReplaced {
      perform(scheduler.handle(.interrupted(reason: "another program was started in its place")))
    }
    perform(
      scheduler.handle(
        .batchEnded(
          batch: spec.batch, results: ended.results,
          startCost: ended.startCost, duration: ended.duration)))
  }

  /// What packs the failed attempts of a batch.
  ///
  /// - Parameters:
  ///   - container: Where the batch's container is now.
  ///   - layers: What it consists of when that is more than its folders.
  func bundleTask(
    _ batch: BatchRun, _ ended: BatchRun.Ended, container: Container, layers: ContainerLayers?
  ) -> BundleTask {
    var task = BundleTask(
      startOrder: ended.startOrder, start: starts[batch.spec.batch] ?? batch.spec.unstarted,
      request: ended.request, original: batch.container, container: container, layers: layers,
      header: header,
      record: record, compression: configuration.compression, selection: ended.selection,
      calls: batch.intents.map { CallEvidence($0) }, hang: ended.hang, stop: disposal.stopsPacking)
    task.cache = catalog.cache
    task.redaction = redaction
    task.executables = executables(of: batch.spec.product, withApps: batch.intents != nil)
    for app in catalog.apps where batch.intents != nil {
      let bundle = app.bundleIdentifier
      task.metadata.append((bundle, .registered, app.description.json.bytes))
      if let declared = catalog.metadata[bundle] {
        task.metadata.append((bundle, .declared, declared))
      }
    }
    return task
  }
}

extension BatchSpec {
  /// The start of a batch that ended before it was written down.
  fileprivate var unstarted: BatchStart {
    BatchStart(batch: batch, worker: worker, purpose: purpose, tests: tests)
  }
}
