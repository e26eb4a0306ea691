import CSystem
import Glibc

/// A small process that waits for the end of this one, and then kills every process of its scopes.
///
/// It is for the end that nobody can prepare for, SIGKILL: processes die with their parent
/// (PR_SET_PDEATHSIG of prctl(2)), those that they have started do not. Processes are recognised by
/// ``SupervisedProcess/scopeVariable`` in the environment that they were started with; one that was
/// given another environment is out of reach.
package final class Watchdog {
  /// Begins the scope of each process that this program starts for no run, such as a build. It is
  /// the same all the time, and no other program has it.
  package static let programMark =
    "carrel-\(getpid())-" + String(UInt64.random(in: .min ... .max), radix: 16)

  package let pid: Int32
  private let registry: ProcessRegistry
  private let pidfd: Int32
  private let pipeEnd: Int32
  private var isRunning = true

  /// Starts the process. It has few pages of its own as long as this process has few.
  ///
  /// - Throws: ``WorkersError`` with code `system`.
  package init(registry: ProcessRegistry) throws(WorkersError) {
    var pidfd: Int32 = -1
    var pipeEnd: Int32 = -1
    let pid = SupervisedProcess.scopeVariable.withCString {
      carrel_start_watchdog($0, &pidfd, &pipeEnd)
    }
    guard pid > 0 else {
      throw WorkersError(.system, "cannot start the watchdog", errorNumber: errno)
    }
    self.pid = pid
    self.registry = registry
    self.pidfd = pidfd
    self.pipeEnd = pipeEnd
    registry.add(pid)
    cover(Self.programMark)
  }

  deinit { end() }

  /// Makes processes subject to it whose scope is the mark, or begins with the mark and a `-`.
  ///
  /// - Parameter mark: At most 127 bytes, no line end; nobody else's scopes may begin like this.
  package func cover(_ mark: String) {
    guard isRunning else { return }
    let line = Array((mark + "\n").utf8)
    // A watchdog that somebody killed is no reason to end a run.
    _ = write(pipeEnd, line, line.count)
  }

  /// Ends it without any effect, when all processes have ended in order.
  package func end() {
    guard isRunning else { return }
    isRunning = false
    _ = carrel_pidfd_signal(pidfd, SIGKILL)
    while waitpid(pid, nil, 0) < 0 && errno == EINTR {}
    registry.remove(pid)
    close(pidfd)
    close(pipeEnd)
  }
}
