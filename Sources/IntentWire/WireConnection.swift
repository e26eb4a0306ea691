import Glibc
import Synchronization

/// One side of a connection, with a thread that reads: calls go out, calls come in.
///
/// Used by processes whose work is asynchronous, tests and apps; the intent system reads its
/// connections in a loop of its own.
public final class WireConnection: Sendable {
  /// Answers a call of the other side; a notification's answer is dropped.
  public typealias Handler =
    @Sendable (
      _ method: String, _ parameters: WireJSON
    ) async throws(WireError) -> WireJSON

  private struct State {
    var nextID = 1
    var waiting: [Int: CheckedContinuation<Result<WireJSON, WireError>, Never>] = [:]
    /// Why there are no more answers.
    var end: WireError?
    var onEnd: [@Sendable (WireError) -> Void] = []
  }

  private let descriptor: Int32
  private let state = Mutex(State())
  /// Held while a line is written, so that lines of two threads do not mix.
  private let writing = Mutex(())
  private let handler: Handler

  /// Takes over a connected descriptor and begins to read.
  public init(
    descriptor: Int32,
    handler: @escaping Handler = { method, _ throws(WireError) in
      throw WireError(.methodNotFound, "nobody answers '\(method)' here")
    }
  ) {
    self.descriptor = descriptor
    self.handler = handler
    startReading()
  }

  deinit { close(descriptor) }

  /// Calls the other side and waits for its answer.
  ///
  /// - Throws: The other side's ``WireError``; one with the code `systemUnreachable` when the
  ///   connection ends first.
  public func call(_ method: String, _ parameters: WireJSON) async throws(WireError) -> WireJSON {
    let result = await withCheckedContinuation {
      (continuation: CheckedContinuation<Result<WireJSON, WireError>, Never>) in
      let begun: Result<Int, WireError> = state.withLock { state in
        if let end = state.end { return .failure(end) }
        let id = state.nextID
        state.nextID += 1
        state.waiting[id] = continuation
        return .success(id)
      }
      switch begun {
      case .failure(let error): continuation.resume(returning: .failure(error))
      case .success(let id):
        let line = WireMessage.request(id: id, method: method, parameters: parameters).line
        if let error = WireMessage.refusal(of: line, "call of '\(method)'") {
          finish(id, .failure(error))
        } else if !send(line) {
          end(.init(.systemUnreachable, "the other side has closed the connection"))
        }
      }
    }
    return try result.get()
  }

  /// Calls the handler once when the connection has ended, at once when it has already.
  public func onEnd(_ handler: @escaping @Sendable (WireError) -> Void) {
    let end = state.withLock { state in
      if state.end == nil { state.onEnd.append(handler) }
      return state.end
    }
    if let end { handler(end) }
  }

  /// Ends the connection; calls that wait fail.
  public func shutDown() { shutdown(descriptor, Int32(SHUT_RDWR)) }

  @discardableResult
  private func send(_ line: [UInt8]) -> Bool {
    writing.withLock { _ in
      line.withUnsafeBytes { bytes in
        var rest = bytes
        while let base = rest.baseAddress, !rest.isEmpty {
          // Not a signal, but an error, when the other side is gone.
          let count = Glibc.send(descriptor, base, rest.count, Int32(MSG_NOSIGNAL))
          if count < 0 && errno == EINTR { continue }
          guard count > 0 else { return false }
          rest = UnsafeRawBufferPointer(rebasing: rest.dropFirst(count))
        }
        return true
      }
    }
  }

  private func take(_ message: WireMessage) {
    switch message {
    case .result(let id, let value): finish(id, .success(value))
    case .failure(let id, let error):
      // Without a number it is about the connection, which the other side ends after it.
      if let id { finish(id, .failure(error)) } else { end(error) }
    case .notification(let method, let parameters):
      Task { [handler] in _ = try? await handler(method, parameters) }
    case .request(let id, let method, let parameters):
      Task { [self] in
        do throws(WireError) {
          let line = WireMessage.result(id: id, try await handler(method, parameters)).line
          if let error = WireMessage.refusal(of: line, "answer to '\(method)'") { throw error }
          send(line)
        } catch {
          send(WireMessage.failure(id: id, error).line)
        }
      }
    }
  }

  private func finish(_ id: Int, _ result: Result<WireJSON, WireError>) {
    state.withLock { $0.waiting.removeValue(forKey: id) }?.resume(returning: result)
  }

  private func end(_ error: WireError) {
    let (waiting, handlers) = state.withLock { state in
      if state.end == nil { state.end = error }
      defer {
        state.waiting = [:]
        state.onEnd = []
      }
      return (state.waiting.values.map { $0 }, state.onEnd)
    }
    for continuation in waiting { continuation.resume(returning: .failure(error)) }
    for handler in handlers { handler(error) }
  }

  private func startReading() {
    let box = Unmanaged.passRetained(self)
    var thread = pthread_t()
    let failure = pthread_create(
      &thread, nil,
      { argument in
        if let argument {
          Unmanaged<WireConnection>.fromOpaque(argument).takeRetainedValue().readToTheEnd()
        }
        return nil
      }, box.toOpaque())
    if failure == 0 {
      pthread_detach(thread)
    } else {
      box.release()
      end(WireError(.systemUnreachable, "there is no thread to read answers with"))
    }
  }

  private func readToTheEnd() {
    var framer = LineFramer()
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 65_536, alignment: 16)
    defer { buffer.deallocate() }
    var failure: WireError?
    while failure == nil {
      let count = read(descriptor, buffer.baseAddress, buffer.count)
      if count < 0 && errno == EINTR { continue }
      guard count > 0 else { break }
      framer.feed(UnsafeRawBufferPointer(rebasing: buffer[..<count])) { line in
        guard let line else {
          failure = WireError(
            .invalidRequest, "a message is longer than \(WireMessage.maximumLength) bytes")
          return
        }
        do throws(WireError) {
          take(try WireMessage(line: line))
        } catch {
          failure = failure ?? error
        }
      }
    }
    shutDown()
    end(failure ?? WireError(.systemUnreachable, "the other side has closed the connection"))
  }
}
