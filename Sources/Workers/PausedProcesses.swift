import CSystem
import Glibc

/// Stopping all processes that descend from this one, and letting them go on.
package enum PausedProcesses {
  /// How often all are looked at until they are seen to have stopped: one that has not may start
  /// others, and one that waits in the kernel may take its time.
  private static let maxRounds = 300
  /// Microseconds between two looks.
  private static let pause: UInt32 = 1000

  /// Stops every descendant, also those in groups and sessions of their own, does something, and
  /// lets them go on. The time that this takes is one of the ``Pauses``.
  ///
  /// What was stopped before stays stopped afterwards.
  ///
  /// - Parameters:
  ///   - except: PIDs of children that are left alone, with what they started.
  ///   - body: Comes back when this process may go on, for example because it was continued.
  package static func pause(except: Set<Int32>, _ body: () -> Void) {
    Pauses.during {
      let stopped = stopDescendants(except: except)
      body()
      for descriptor in stopped.reversed() {
        _ = carrel_pidfd_signal(descriptor, SIGCONT)
        close(descriptor)
      }
    }
  }

  /// - Returns: Descriptors of the processes that were stopped (pidfd_open(2)), parents first.
  private static func stopDescendants(except: Set<Int32>) -> [Int32] {
    var seen = except
    var stopped: [Int32] = []
    for round in 0..<maxRounds {
      if round > 0 { usleep(pause) }
      var isStill = true
      var parents = [getpid()]
      while let parent = parents.popLast() {
        for child in ProcessTable.children(of: parent) {
          parents.append(child)
          guard !except.contains(child) else { continue }
          if seen.insert(child).inserted {
            if let descriptor = stop(child, of: parent) { stopped.append(descriptor) }
          }
          isStill = isStill && !isRunning(child)
        }
      }
      if isStill { break }
    }
    return stopped
  }

  private static func isRunning(_ process: Int32) -> Bool {
    guard let state = ProcessTable.state(of: process) else { return false }
    return !resting.contains(state.letter)
  }

  /// Stopped, stopped by a debugger, ended, being removed.
  private static let resting: Set<Character> = ["T", "t", "Z", "X"]

  /// - Returns: `nil` when it has ended, or was stopped already.
  private static func stop(_ process: Int32, of parent: Int32) -> Int32? {
    let descriptor = carrel_pidfd_open(process)
    guard descriptor >= 0 else { return nil }
    // The number may belong to somebody else by now.
    guard let state = ProcessTable.state(of: process), state.parent == parent,
      !resting.contains(state.letter), carrel_pidfd_signal(descriptor, SIGSTOP) == 0
    else {
      close(descriptor)
      return nil
    }
    return descriptor
  }
}
