import CSystem
import Glibc
import Synchronization

/// Results of background work on their way to the loop's thread.
final class Mailbox: Sendable {
  let descriptor: Int32
  private let mail = Mutex<[(Int, any Sendable)]>([])

  init() throws(WorkersError) {
    descriptor = carrel_event_descriptor()
    guard descriptor >= 0 else {
      throw WorkersError(.system, "cannot make an event descriptor", errorNumber: errno)
    }
  }

  deinit { close(descriptor) }

  func put(_ number: Int, _ value: any Sendable) {
    mail.withLock { $0.append((number, value)) }
    var one: UInt64 = 1
    _ = write(descriptor, &one, 8)
  }

  func takeAll() -> [(Int, any Sendable)] {
    var count: UInt64 = 0
    _ = read(descriptor, &count, 8)
    return mail.withLock { mail in
      defer { mail = [] }
      return mail
    }
  }

  /// Runs the work on a thread of its own. Where none is to be had, slow is better than never.
  func run(_ work: @escaping @Sendable () -> Void) {
    if !detachThread(work) { work() }
  }
}

/// Starts a detached thread with a stack of the system's default size.
///
/// - Returns: Whether there was one to be had.
package func detachThread(_ work: @escaping @Sendable () -> Void) -> Bool {
  final class Box {
    let work: @Sendable () -> Void
    init(_ work: @escaping @Sendable () -> Void) { self.work = work }
  }
  let box = Unmanaged.passRetained(Box(work))
  var thread = pthread_t()
  let error = pthread_create(
    &thread, nil,
    { argument in
      guard let argument else { return nil }
      Unmanaged<Box>.fromOpaque(argument).takeRetainedValue().work()
      return nil
    }, box.toOpaque())
  guard error == 0 else {
    box.release()
    return false
  }
  pthread_detach(thread)
  return true
}
