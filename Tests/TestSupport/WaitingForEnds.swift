import CSystem
import Glibc

/// Waits for the end of a process that need not be a child.
///
/// - Parameters:
///   - deadline: A time of ``now()``.
///   - isSame: Whether the number still belongs to the process that is meant.
/// - Returns: Whether it has ended.
package func waitForEnd(of pid: Int32, until deadline: Double, isSame: () -> Bool) -> Bool {
  let descriptor = carrel_pidfd_open(pid)
  guard descriptor >= 0 else { return true }
  defer { close(descriptor) }
  guard isSame() else { return true }
  var ended = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
  return poll(&ended, 1, Int32(max(0, (deadline - now()) * 1000).rounded(.up))) > 0
}

extension ChildProcess {
  /// Waits until the process is stopped by a signal.
  ///
  /// - Returns: `false` when it has ended instead.
  package func waitForStop() -> Bool {
    var info = siginfo_t()
    var result: Int32
    repeat {
      result = waitid(P_PID, id_t(pid), &info, WSTOPPED | WNOWAIT)
    } while result < 0 && errno == EINTR
    return result == 0
  }
}
