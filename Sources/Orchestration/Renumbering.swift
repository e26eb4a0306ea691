import RunModel

/// Numbers for batches and workers that several runs have numbered from 1.
struct Renumbering {
  private struct Key: Hashable {
    var run: String
    var number: Int
  }

  private var batches: [Key: Int] = [:]
  private var workers: [Key: Int] = [:]
  /// Whether workers have the numbers that their run gave them.
  var keepsWorkers = false

  /// - Parameter runs: In the order in which they get their numbers.
  init(_ runs: [(id: String, events: [RunEvent])]) {
    for (id, events) in runs {
      var batches: Set<Int> = []
      var workers: Set<Int> = []
      for event in events {
        guard let (batch, worker) = event.place else { continue }
        batches.insert(batch)
        workers.insert(worker)
      }
      for batch in batches.sorted() {
        self.batches[Key(run: id, number: batch)] = self.batches.count + 1
      }
      for worker in workers.sorted() {
        self.workers[Key(run: id, number: worker)] = self.workers.count + 1
      }
    }
  }

  /// Number of batches of all runs.
  var batchCount: Int { batches.count }

  func renumbered(_ event: RunEvent) -> RunEvent {
    guard let run = event.run, let (batch, worker) = event.place,
      let newBatch = batches[Key(run: run, number: batch)],
      let newWorker = keepsWorkers ? worker : workers[Key(run: run, number: worker)]
    else { return event }
    var event = event
    switch event.kind {
    case .batchStarted(var start):
      (start.batch, start.worker) = (newBatch, newWorker)
      event.kind = .batchStarted(start)
    case .attemptStarted(var start):
      (start.batch, start.worker) = (newBatch, newWorker)
      event.kind = .attemptStarted(start)
    case .attemptFinished(var result):
      (result.batch, result.worker) = (newBatch, newWorker)
      event.kind = .attemptFinished(result)
    case .batchFinished(var finish):
      (finish.batch, finish.worker) = (newBatch, newWorker)
      event.kind = .batchFinished(finish)
    default: break
    }
    return event
  }
}

extension RunEvent {
  /// The batch and the worker that it tells of.
  var place: (batch: Int, worker: Int)? {
    switch kind {
    case .batchStarted(let start): (start.batch, start.worker)
    case .attemptStarted(let start): (start.batch, start.worker)
    case .attemptFinished(let result): (result.batch, result.worker)
    case .batchFinished(let finish): (finish.batch, finish.worker)
    default: nil
    }
  }
}
