package import Glibc

/// Starts a thread of its own, so that what waits there keeps nobody's tests from running, and does
/// not wait for its turn behind them.
///
/// - Returns: The thread, which somebody has to join or detach.
package func startThread(_ body: @escaping @Sendable () -> Void) -> pthread_t {
  var thread = pthread_t()
  let argument = Unmanaged.passRetained(ThreadBody(body)).toOpaque()
  let code = pthread_create(
    &thread, nil,
    { argument in
      if let argument { Unmanaged<ThreadBody>.fromOpaque(argument).takeRetainedValue().run() }
      return nil
    }, argument)
  precondition(code == 0, "no thread could be started")
  return thread
}

/// Runs a body on a thread of its own and waits for its result. What the body does to its thread,
/// such as blocking signals, ends with it.
package func onOwnThread<Result: Sendable>(
  _ body: @escaping @Sendable () throws -> Result
) async throws -> Result {
  try await withCheckedThrowingContinuation { continuation in
    pthread_detach(
      startThread { continuation.resume(with: Swift.Result(catching: body)) })
  }
}

/// Carries a closure through a C pointer.
private final class ThreadBody: Sendable {
  let run: @Sendable () -> Void
  init(_ run: @escaping @Sendable () -> Void) { self.run = run }
}
