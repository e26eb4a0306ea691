import Glibc
import SystemFiles

/// Writes to standard output and standard error on a thread of its own, in the order of the pieces,
/// so that a slow reader holds up nothing but what is printed.
///
/// The descriptors stay as they are: to make them non-blocking would change them for every process
/// that has them. Pieces wait in memory up to a limit, beyond it in a file without a name; only
/// when that cannot be written either does the caller wait.
final class OutputQueue: Sendable {
  struct Piece {
    var descriptor: Int32
    var bytes: [UInt8]
  }

  private struct State {
    /// What is written next, and before what is in the backlog.
    var pieces: [Piece] = []
    var bytes = 0
    let backlog = OutputBacklog()
    var isWriting = false
    var isFinished = false
    /// The value of `errno` for each descriptor that cannot be written to any more.
    var failures: [Int32: Int32] = [:]

    var isEmpty: Bool { pieces.isEmpty && backlog.isEmpty && !isWriting }
  }

  private let limit: Int
  private let state = Monitor(State())
  private let hasThread: Bool

  /// - Parameter limit: Bytes that wait in memory.
  init(limit: Int = 1 << 20) {
    self.limit = limit
    let argument = Unmanaged.passRetained(Worker(state, limit: limit))
    var thread = pthread_t()
    hasThread =
      pthread_create(
        &thread, nil,
        { argument in
          guard let argument else { return nil }
          Unmanaged<Worker>.fromOpaque(argument).takeRetainedValue().run()
          return nil
        }, argument.toOpaque()) == 0
    if hasThread { pthread_detach(thread) } else { argument.release() }
  }

  deinit { state.withLock { $0.isFinished = true } }

  /// Takes a piece; returns at once.
  func put(_ bytes: UnsafeRawBufferPointer, to descriptor: Int32) {
    let piece = Piece(descriptor: descriptor, bytes: Array(bytes))
    guard hasThread else {
      let error = failure(of: descriptor) ?? writeFully(bytes, to: descriptor)
      state.withLock { $0.failures[descriptor] = error }
      return
    }
    let isTaken = state.withLock { state in
      if state.failures[descriptor] != nil { return true }
      guard !state.backlog.isEmpty || state.bytes + piece.bytes.count > limit else {
        state.pieces.append(piece)
        state.bytes += piece.bytes.count
        return true
      }
      return state.backlog.append(piece)
    }
    guard !isTaken else { return }
    state.wait(until: { $0.isEmpty }) { $0.pieces.append(piece) }
  }

  /// Waits until everything is written, as far as it can be.
  func flush() { state.wait(until: { $0.isEmpty }) { _ in } }

  /// Whether everything is written.
  var isEmpty: Bool { state.withLock { $0.isEmpty } }

  /// The value of `errno` when the descriptor cannot be written to any more.
  func failure(of descriptor: Int32) -> Int32? { state.withLock { $0.failures[descriptor] } }

  /// What the thread does; it does not keep the queue alive.
  private final class Worker: Sendable {
    let state: Monitor<State>
    let limit: Int

    init(_ state: Monitor<State>, limit: Int) {
      self.state = state
      self.limit = limit
    }

    func run() {
      while let pieces = take() {
        for piece in pieces {
          let isBroken = state.withLock { $0.failures[piece.descriptor] != nil }
          guard !isBroken else { continue }
          let error = piece.bytes.withUnsafeBytes { writeFully($0, to: piece.descriptor) }
          if let error { state.withLock { $0.failures[piece.descriptor] = error } }
        }
        state.withLock { $0.isWriting = false }
      }
    }

    /// The next pieces; `nil` when the queue is gone and there are none.
    private func take() -> [Piece]? {
      state.wait(until: { !$0.isEmpty || $0.isFinished }) { state in
        if state.pieces.isEmpty { state.pieces = state.backlog.take(limit) }
        guard !state.pieces.isEmpty else { return nil }
        defer { (state.pieces, state.bytes) = ([], 0) }
        state.isWriting = true
        return state.pieces
      }
    }
  }
}

/// Writes all bytes; waits when the descriptor is non-blocking and full.
///
/// - Returns: The value of `errno` when not all could be written.
func writeFully(_ bytes: UnsafeRawBufferPointer, to descriptor: Int32) -> Int32? {
  do throws(SystemFailure) {
    try writeAll(bytes, to: descriptor)
    return nil
  } catch {
    return error.number
  }
}
