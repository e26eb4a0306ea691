import Glibc
import Synchronization

/// The times for which this process and all that it runs were stopped together.
///
/// The clock that limits and durations go by, ``monotonicSeconds()``, does not count them.
package enum Pauses {
  private struct Pause {
    /// Seconds since 1970.
    var begin: Double
    var end: Double
    /// What ``monotonicSeconds()`` said during all of it.
    var moment: Double

    var length: Double { end - begin }
  }

  private static let nanoseconds = Atomic<Int64>(0)
  private static let all = Mutex<[Pause]>([])

  /// All of them together, in seconds.
  package static var seconds: Double { Double(nanoseconds.load(ordering: .relaxed)) / 1e9 }

  /// Seconds of those that were over at a moment of ``monotonicSeconds()``.
  package static func seconds(before moment: Double) -> Double {
    all.withLock { $0.reduce(0) { $1.moment <= moment ? $0 + $1.length : $0 } }
  }

  /// Seconds of a time, given in seconds since 1970, that were pauses.
  package static func seconds(from begin: Double, to end: Double) -> Double {
    all.withLock { all in
      all.reduce(0) { $0 + max(0, min($1.end, end) - max($1.begin, begin)) }
    }
  }

  /// Does something whose time is a pause.
  package static func during(_ body: () -> Void) {
    let moment = monotonicSeconds()
    let begin = wallClockSeconds()
    body()
    let length = max(0, monotonicSeconds() - moment)
    all.withLock { $0.append(Pause(begin: begin, end: begin + length, moment: moment)) }
    nanoseconds.add(Int64(length * 1e9), ordering: .relaxed)
  }
}
