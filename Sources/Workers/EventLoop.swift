import CSystem
import Glibc
import Synchronization

/// A loop over descriptors, timers, signals and background work, all handled on the thread that runs
/// it. Nothing in it is shared between threads except the results of background work.
package final class EventLoop {
  /// Identifies a timer for ``cancel(_:)``.
  package struct Timer: Hashable {
    fileprivate let number: Int
  }

  private struct Watch {
    var events: Int16
    var handler: () -> Void
  }

  private struct Deadline {
    var time: Double
    var number: Int
    var handler: () -> Void
  }

  private var watches: [Int32: Watch] = [:]
  private var pollList: [pollfd] = []
  private var pollListIsStale = true
  private var deadlines: [Deadline] = []
  private var nextNumber = 1
  private let mailbox: Mailbox
  private var pendingWork: [Int: (any Sendable) -> Void] = [:]
  private var signalDescriptor: Int32 = -1
  /// Whether the next round may wait for a moment.
  private var mayPause = false
  /// Microseconds that a round waits for more to come when what came was little.
  private static let pause: UInt32 = 500

  /// - Throws: ``WorkersError`` with code `system` when the system has no descriptors left.
  package init() throws(WorkersError) {
    mailbox = try Mailbox()
    watch(mailbox.descriptor, for: Int16(POLLIN)) { [unowned self] in deliverMail() }
  }

  deinit {
    if signalDescriptor >= 0 { close(signalDescriptor) }
  }

  /// Calls the handler whenever the descriptor is ready; replaces an earlier watch.
  package func watch(
    _ descriptor: Int32, for events: Int16 = Int16(POLLIN), _ handler: @escaping () -> Void
  ) {
    watches[descriptor] = Watch(events: events, handler: handler)
    pollListIsStale = true
  }

  package func unwatch(_ descriptor: Int32) {
    if watches.removeValue(forKey: descriptor) != nil { pollListIsStale = true }
  }

  /// Calls the handler once after the given seconds.
  @discardableResult
  package func after(_ seconds: Double, _ handler: @escaping () -> Void) -> Timer {
    let number = nextNumber
    nextNumber += 1
    let deadline = Deadline(
      time: monotonicSeconds() + seconds, number: number, handler: handler)
    let position = deadlines.firstIndex { $0.time < deadline.time } ?? deadlines.endIndex
    deadlines.insert(deadline, at: position)
    return Timer(number: number)
  }

  package func cancel(_ timer: Timer?) {
    guard let timer else { return }
    deadlines.removeAll { $0.number == timer.number }
  }

  /// Runs work on another thread and hands its result to the handler on the loop's thread.
  package func inBackground<Result: Sendable>(
    _ work: @escaping @Sendable () -> Result, then handler: @escaping (Result) -> Void
  ) {
    let number = nextNumber
    nextNumber += 1
    pendingWork[number] = { value in
      if let result = value as? Result { handler(result) }
    }
    mailbox.run { [mailbox] in mailbox.put(number, work()) }
  }

  /// Whether background work is under way whose result was not handed over yet.
  package var hasBackgroundWork: Bool { !pendingWork.isEmpty }

  /// Calls the handler for each of the given signals instead of their normal effect.
  ///
  /// - Throws: ``WorkersError`` with code `system`.
  package func onSignals(
    _ signals: [Int32], _ handler: @escaping (Int32) -> Void
  ) throws(WorkersError) {
    signalDescriptor = carrel_signal_descriptor(signals, signals.count)
    guard signalDescriptor >= 0 else {
      throw WorkersError(.system, "cannot receive signals", errorNumber: errno)
    }
    let descriptor = signalDescriptor
    watch(descriptor) {
      while case let signal = carrel_next_signal(descriptor), signal > 0 { handler(signal) }
    }
  }

  /// Runs until the condition holds, which is tested after each round of events.
  package func run(until isDone: () -> Bool) {
    while !isDone() { runOnce() }
  }

  /// Says that a handler read only a little. The next round then waits for half a millisecond, so
  /// that a process which writes line by line does not wake the loop for each line; on a machine
  /// whose cores are busy with tests, waking up is what costs most.
  package func gotLittle() { mayPause = true }

  private func runOnce() {
    if mayPause { usleep(Self.pause) }
    mayPause = false
    if pollListIsStale {
      pollList = watches.map { pollfd(fd: $0.key, events: $0.value.events, revents: 0) }
      pollListIsStale = false
    }
    var timeout: Int32 = -1
    if let next = deadlines.last {
      let milliseconds = ((next.time - monotonicSeconds()) * 1000).rounded(.up)
      timeout = Int32(min(max(milliseconds, 0), 1_000_000))
    }
    let ready = poll(&pollList, nfds_t(pollList.count), timeout)
    if ready > 0 {
      // Handlers may change the watches; what is gone by its turn is not called.
      for entry in pollList where entry.revents != 0 { watches[entry.fd]?.handler() }
    }
    let now = monotonicSeconds()
    while let next = deadlines.last, next.time <= now {
      deadlines.removeLast()
      next.handler()
    }
  }

  private func deliverMail() {
    for (number, value) in mailbox.takeAll() {
      pendingWork.removeValue(forKey: number)?(value)
    }
  }
}

/// Results of background work on their way to the loop's thread.
private final class Mailbox: Sendable {
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

  /// Starts a detached thread with a stack of the system's default size.
  func run(_ work: @escaping @Sendable () -> Void) {
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
    if error == 0 {
      pthread_detach(thread)
    } else {
      // No thread to be had: slow is better than never.
      box.takeRetainedValue().work()
    }
  }
}
