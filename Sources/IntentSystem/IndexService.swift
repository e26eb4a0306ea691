import IntentWire
import SearchIndex
import Workers

/// The index as apps and tests see it: an update can be found some time after it was made.
final class IndexService {
  private let index: SearchIndex
  private let loop: EventLoop
  private let delay: Double
  /// Updates that cannot be found yet, in the order they came.
  private var pending: [(due: Double, update: IndexUpdate)] = []
  private var waiting: [(Result<Void, WireError>) -> Void] = []
  private var timer: EventLoop.Timer?
  /// The first update that failed since somebody waited.
  private var failure: WireError?

  init(_ index: SearchIndex, loop: EventLoop, delay: Double) {
    self.index = index
    self.loop = loop
    self.delay = delay
  }

  var pendingCount: Int { pending.count }

  func enqueue(_ update: IndexUpdate) {
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
    do throws(SearchIndexError) {
      return .success(try index.search(text, type: type, field: column))
    } catch {
      return .failure(WireError(.internalError, "\(error)"))
    }
  }

  func entries() -> Result<[IndexUpdate.Entry], WireError> {
    do throws(SearchIndexError) {
      return .success(try index.entries())
    } catch {
      return .failure(WireError(.internalError, "\(error)"))
    }
  }

  private func arm() {
    guard let first = pending.first else { return }
    timer = loop.after(max(first.due - monotonicSeconds(), 0)) { [unowned self] in
      timer = nil
      applyDue()
    }
  }

  private func applyDue() {
    let now = monotonicSeconds()
    while let first = pending.first, first.due <= now {
      pending.removeFirst()
      do throws(SearchIndexError) {
        try index.apply(first.update)
      } catch {
        failure = failure ?? WireError(.internalError, "\(error)")
      }
    }
    if pending.isEmpty { tellWaiting() } else { arm() }
  }

  private func tellWaiting() {
    let handlers = waiting
    waiting = []
    let result: Result<Void, WireError> = failure.map { .failure($0) } ?? .success(())
    if !handlers.isEmpty { failure = nil }
    for handler in handlers { handler(result) }
  }
}
