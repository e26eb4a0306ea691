import Glibc

/// Seconds of the monotonic clock, without the time for which this process was paused together with
/// all that it runs; see ``PausedProcesses``.
package func monotonicSeconds() -> Double {
  var time = timespec()
  clock_gettime(CLOCK_MONOTONIC, &time)
  return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9 - Pauses.seconds
}

/// Seconds since 1970.
package func wallClockSeconds() -> Double {
  var time = timespec()
  clock_gettime(CLOCK_REALTIME, &time)
  return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
}
