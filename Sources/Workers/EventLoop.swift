import CSystem
import Glibc

/// A loop over descriptors, timers, signals and background work, all handled on the thread that
/// runs it. Nothing in it is shared between threads except the results of background work.
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
    var wasPostponed = false
  }

  private var watches: [Int32: Watch] = [:]
  private var pollList: [pollfd] = []
  private var pollListIsStale = true
  private var deadlines: [Deadline] = []
  private var nextNumber = 1
  private let mailbox: Mailbox
  private var pendingWork: [Int: (any Sendable) -> Void] = [:]
  private var signalDescriptor: Int32 = -1
  private var pendingSignals: [Int32] = []
  private var onSignal: ((Int32) -> Void)?
  private var isAskedToStop = false
  /// Called on the loop's thread for SIGTSTP, if that is among the signals; it has to stop the
  /// process, for which there is ``stopProcess()``.
  package var onStop: (() -> Void)?
  /// When the loop asked last what is ready; `nil` before the first round.
  private var lastLook: Double?
  /// Whether the next round may wait for a moment.
  private var mayPause = false
  /// Microseconds that a round waits for more to come when what came was little.
  private static let pause: UInt32 = 500
  /// Seconds without a look at the descriptors from which on the loop counts as absent.
  private static let absence = 0.1
  /// Seconds that a timer is postponed at most after an absence.
  private static let longestGrace = 1.0

  private let clock: () -> Double

  /// - Parameter clock: Seconds of the clock that timers go by.
  /// - Throws: ``WorkersError`` with code `system` when the system has no descriptors left.
  package init(clock: @escaping () -> Double = monotonicSeconds) throws(WorkersError) {
    self.clock = clock
    mailbox = try Mailbox()
    watch(mailbox.descriptor, for: Int16(POLLIN)) { [unowned self] in deliverMail() }
  }

  deinit { releaseSignals() }

  /// Gives signals their normal effect back, so that another loop can have them; does nothing when
  /// this one has none.
  package func releaseSignals() {
    guard signalDescriptor >= 0 else { return }
    unwatch(signalDescriptor)
    carrel_release_signals()
    signalDescriptor = -1
  }

  /// Calls the handler whenever the descriptor is ready; replaces an earlier watch.
  package func watch(
    _ descriptor: Int32, for events: Int16 = Int16(POLLIN), _ handler: @escaping () -> Void
  ) {
    watches[descriptor] = Watch(events: events, handler: handler)
    pollListIsStale = true
  }

  /// Ends the watch of a descriptor, if there is one; its handler is not called any more.
  package func unwatch(_ descriptor: Int32) {
    if watches.removeValue(forKey: descriptor) != nil { pollListIsStale = true }
  }

  /// Calls the handler once after the given seconds.
  @discardableResult
  package func after(_ seconds: Double, _ handler: @escaping () -> Void) -> Timer {
    let number = nextNumber
    nextNumber += 1
    insert(Deadline(time: clock() + seconds, number: number, handler: handler))
    return Timer(number: number)
  }

  /// Keeps a timer from its handler; nothing happens when it is over already.
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

  /// Calls the handler for each of the given signals instead of their normal effect, on the loop's
  /// thread. Signals that this process ignores stay ignored.
  ///
  /// While the loop runs, two signals are handled, else one; the next one ends the process,
  /// wherever it is. One loop of a process may have signals.
  ///
  /// - Throws: ``WorkersError`` with code `system`.
  package func onSignals(
    _ signals: [Int32], _ handler: @escaping (Int32) -> Void
  ) throws(WorkersError) {
    signalDescriptor = carrel_catch_signals(signals, signals.count)
    guard signalDescriptor >= 0 else {
      throw WorkersError(.system, "cannot receive signals", errorNumber: errno)
    }
    onSignal = handler
    watch(signalDescriptor) { [unowned self] in
      collectSignals()
      deliverSignals()
    }
  }

  /// The first signal that came and was not handled yet; it is handled in the next round.
  package var pendingSignal: Int32? {
    collectSignals()
    return pendingSignals.first
  }

  private func collectSignals() {
    guard signalDescriptor >= 0 else { return }
    while case let signal = carrel_next_signal(signalDescriptor), signal > 0 {
      if signal == SIGTSTP { isAskedToStop = true } else { pendingSignals.append(signal) }
    }
  }

  private func deliverSignals() {
    stopIfAsked()
    while !pendingSignals.isEmpty { onSignal?(pendingSignals.removeFirst()) }
  }

  private func stopIfAsked() {
    guard isAskedToStop else { return }
    isAskedToStop = false
    onStop?()
  }

  /// Stops this process as SIGTSTP does by default, until it is continued.
  package static func stopProcess() { carrel_stop() }

  /// Called whenever the loop is about to wait.
  package var beforeWaiting: (() -> Void)?

  /// Runs until the condition holds, which is tested after each round of events.
  package func run(until isDone: () -> Bool) {
    if signalDescriptor >= 0 {
      carrel_tolerate_signals(2)
      carrel_note_stops(true)
    }
    // Two signals at once, as some callers send them, do not end the program in the middle of its
    // reports when the first one has been heard here.
    defer {
      if signalDescriptor >= 0 {
        carrel_tolerate_signals(carrel_signals_seen() > 0 ? 2 : 1)
        carrel_note_stops(false)
        // One that came in the last round.
        collectSignals()
        stopIfAsked()
      }
    }
    lastLook = nil
    while !isDone() { runOnce() }
  }

  /// Says that a handler read only a little. The next round then waits for half a millisecond, so
  /// that a process which writes line by line does not wake the loop for each line; on a machine
  /// whose cores are busy with tests, waking up is what costs most.
  package func gotLittle() { mayPause = true }

  private func runOnce() {
    beforeWaiting?()
    if mayPause { usleep(Self.pause) }
    mayPause = false
    // The condition of the loop may hold afterwards.
    let wasSignaled = !pendingSignals.isEmpty
    deliverSignals()
    if pollListIsStale {
      pollList = watches.map { pollfd(fd: $0.key, events: $0.value.events, revents: 0) }
      pollListIsStale = false
    }
    let began = clock()
    if let lastLook { postponeTimers(now: began, absence: began - lastLook) }
    var timeout: Int32 = -1
    if let next = deadlines.last {
      let milliseconds = ((next.time - began) * 1000).rounded(.up)
      timeout = Int32(min(max(milliseconds, 0), 1_000_000))
    }
    if wasSignaled { timeout = 0 }
    let ready = poll(&pollList, nfds_t(pollList.count), timeout)
    let now = clock()
    lastLook = now
    if timeout >= 0 {
      postponeTimers(now: now, absence: now - began - Double(timeout) / 1000)
    }
    if ready > 0 {
      // Handlers may change the watches; what is gone by its turn is not called.
      for entry in pollList where entry.revents != 0 { watches[entry.fd]?.handler() }
    }
    // What was over before the look has its turn after what was ready then: a test that ended in
    // time is not charged with the time that a handler took.
    let due = ready > 0 ? began : now
    while let next = deadlines.last, next.time <= due {
      deadlines.removeLast()
      next.handler()
    }
  }

  /// After an absence, for example because the process was stopped, timers that are over get the
  /// time of the absence once more, up to a second: whoever was held up because nobody read what
  /// they wrote can go on.
  private func postponeTimers(now: Double, absence: Double) {
    guard absence > Self.absence else { return }
    let time = now + min(absence, Self.longestGrace)
    let first = deadlines.firstIndex { $0.time <= now } ?? deadlines.endIndex
    var postponed: [Deadline] = []
    for index in deadlines.indices[first...].reversed() where !deadlines[index].wasPostponed {
      var deadline = deadlines.remove(at: index)
      deadline.time = time
      deadline.wasPostponed = true
      postponed.append(deadline)
    }
    for deadline in postponed { insert(deadline) }
  }

  /// The next one is last; equal times keep their order.
  private func insert(_ deadline: Deadline) {
    let position = deadlines.firstIndex { $0.time <= deadline.time } ?? deadlines.endIndex
    deadlines.insert(deadline, at: position)
  }

  private func deliverMail() {
    for (number, value) in mailbox.takeAll() {
      pendingWork.removeValue(forKey: number)?(value)
    }
  }
}
