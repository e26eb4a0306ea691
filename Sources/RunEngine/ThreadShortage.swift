/// Tells that a batch's process cannot run under a limit because the limit refuses it the threads
/// that it takes by itself, before any test does anything.
///
/// libdispatch takes a thread that was refused for a passing shortage: it sleeps for a second and
/// tries again, without end (`_dispatch_temporary_resource_shortage` in its sources). So the
/// process hangs, and only the count of refusals grows.
struct ThreadShortage {
  /// Threads of a process that runs tests besides those that libdispatch has for each core; XCTest
  /// needs 4 and Swift Testing 6 on two cores.
  static let ownThreads = 8
  /// Seconds in which threads are refused without end before it is called a shortage.
  static let patience = 1.9

  private var first: (time: Double, refusals: Int)?

  /// - Returns: `nil` when a limit is enough for the process by itself.
  init?(limit: Int, cores: Int) {
    guard limit < cores + Self.ownThreads else { return nil }
  }

  /// Takes what was seen.
  ///
  /// - Parameters:
  ///   - refusals: How often a process or thread of the batch was refused until now.
  ///   - isAlone: Whether there is nothing but the processes that Carrel has started.
  ///   - time: Seconds of any clock that only goes forward.
  /// - Returns: Whether it is a shortage.
  mutating func isProven(refusals: Int, isAlone: Bool, at time: Double) -> Bool {
    guard isAlone, refusals > 0 else {
      first = nil
      return false
    }
    guard let first else {
      first = (time, refusals)
      return false
    }
    return refusals > first.refusals && time - first.time >= Self.patience
  }
}
