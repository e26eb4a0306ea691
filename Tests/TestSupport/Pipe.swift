import CSystem
import Glibc

/// The two ends of a pipe; both are closed in processes that are started from here, also by other
/// threads at the same time. Whoever makes one closes its ends.
package struct Pipe: Sendable {
  package let reader: Int32
  package let writer: Int32

  package init() throws {
    var ends: [Int32] = [0, 0]
    // Closed on execution from the start; reading from it shall wait.
    guard carrel_pipe(&ends) == 0, fcntl(ends[0], F_SETFL, 0) == 0 else {
      throw SpawnError(executable: "pipe", code: errno)
    }
    (reader, writer) = (ends[0], ends[1])
  }
}
