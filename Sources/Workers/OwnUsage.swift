import Glibc
import SystemFiles

/// Processor time that this process has used so far, in seconds, without its children's.
package func processorSeconds() -> Double {
  var time = timespec()
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
  return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
}

/// The most memory that this process has had resident so far, in bytes; `nil` when the system does
/// not say.
///
/// `VmHWM` of proc_pid_status(5): what getrusage(2) says includes the peak of the process that
/// started this one.
package func peakMemory() -> Int? {
  guard let bytes = readSmallFile("/proc/self/status") else { return nil }
  let line = String(decoding: bytes, as: UTF8.self).split(separator: "\n").first {
    $0.hasPrefix("VmHWM:")
  }
  let number = line?.split(whereSeparator: { $0 == " " || $0 == "\t" }).dropFirst().first
  return number.flatMap { Int($0) }.map { $0 << 10 }
}
