import IntentWire
import SearchIndex
import Workers

/// The index as apps and tests see it: an update can be found some time after it was made.
final class IndexService {
  /// `nil` once it is closed.
  private var index: SearchIndex?
  private let loop: EventLoop
  private let delay: Double
  /// Updates that cannot be found yet, in the order they came.
  private var pending: [(due: Double, update: IndexUpdate)] = []
  private var waiting: [(Result<Void, WireError>) -> Void] = []
  private var timer: EventLoop.Timer?
  private var isStopped = false
  /// The first update that failed and nobody was told of.
  private var failure: WireError?
  /// The first update for whose failure the surroundings are at fault, whoever was told.
  private var faultOfSurroundings: WireError?

  /// What has to be told at the end.
  var fault: (error: WireError, isOfSurroundings: Bool)? {
    faultOfSurroundings.map { ($0, true) } ?? failure.map { ($0, false) }
  }

  init(_ index: SearchIndex, loop: EventLoop, delay: Double) {
    self.index = index
    self.loop = loop
    self.delay = delay
  }

  /// Number of updates that cannot be found yet.
  var pendingUpdates: Int { pending.count }

  /// Answers nothing from now on; what cannot be found yet waits for ``close(settling:)``.
  func stop() {
    loop.cancel(timer)
    timer = nil
    isStopped = true
    tellWaiting()
  }

  /// Closes the file.
  ///
  /// - Parameter settling: Whether everything that apps have told is to be in it.
  func close(settling: Bool) {
    stop()
    if settling { apply(all: true) }
    index = nil
    pending = []
  }

  func enqueue(_ update: IndexUpdate) {
    guard !isStopped else { return }
    pending.append((monotonicSeconds() + delay, update))
    if timer == nil { arm() }
  }

  /// Calls the handler when every update made so far can be found.
  func whenIndexed(_ handler: @escaping (Result<Void, WireError>) -> Void) {
    waiting.append(handler)
    if pending.isEmpty { tellWaiting() }
  }

  func search(
    _ text: String?, type: String?, field: String?
  ) -> Result<[SearchIndex.Match], WireError> {
    var column: SearchField?
    if let field {
      guard let known = SearchField(rawValue: field) else {
        let names = SearchField.allCases.map(\.rawValue).joined(separator: ", ")
        return .failure(
          WireError(.unknownName, "the index has no field '\(field)'; it has \(names)"))
      }
      column = known
    }
    return ask { (index) throws(SearchIndexError) in
      try index.search(text, type: type, field: column)
    }
  }

  func entries() -> Result<[IndexUpdate.Entry], WireError> {
    ask { (index) throws(SearchIndexError) in try index.entries() }
  }

  private func ask<Answer>(
    _ question: (SearchIndex) throws(SearchIndexError) -> Answer
  ) -> Result<Answer, WireError> {
    guard let index, !isStopped else {
      return .failure(WireError(.internalError, "the index is closed"))
    }
    if let failure {
      self.failure = nil
      return .failure(failure)
    }
    do throws(SearchIndexError) {
      return .success(try question(index))
    } catch {
      let isQuestion = error.code == .queryTooLong
      return .failure(WireError(isQuestion ? .invalidParameters : .internalError, "\(error)"))
    }
  }

  /// Seconds for which an update is tried again when another process has locked the index.
  private static let busyLimit = 5.0
  private static let busyPause = 0.05

  /// - Parameter pause: Seconds to wait at least.
  private func arm(pause: Double = 0) {
    guard let first = pending.first else { return }
    timer = loop.after(max(first.due - monotonicSeconds(), pause)) { [unowned self] in
      timer = nil
      let isBusy = !apply(all: false)
      if pending.isEmpty { tellWaiting() } else { arm(pause: isBusy ? Self.busyPause : 0) }
    }
  }

  /// Applies the updates whose time has come, or all.
  ///
  /// - Returns: `false` when another process has locked the index, so that some wait on.
  @discardableResult
  private func apply(all: Bool) -> Bool {
    let now = monotonicSeconds()
    if all, pending.count > 1, (try? index?.apply(pending.lazy.map(\.update))) != nil {
      pending = []
      return true
    }
    var applied = 0
    defer { pending.removeFirst(applied) }
    for (due, update) in pending {
      guard all || due <= now else { break }
      do throws(SearchIndexError) {
        try index?.apply(update)
      } catch {
        if error.isBusy, !all, now - due < Self.busyLimit { return false }
        let failed = WireError(.internalError, "an app's update of the index failed: \(error)")
        failure = failure ?? failed
        if error.isOfSurroundings { faultOfSurroundings = faultOfSurroundings ?? failed }
      }
      applied += 1
    }
    return true
  }

  private func tellWaiting() {
    let handlers = waiting
    waiting = []
    let result: Result<Void, WireError> = failure.map { .failure($0) } ?? .success(())
    if !handlers.isEmpty { failure = nil }
    for handler in handlers { handler(result) }
  }
}
