import Glibc
import RunModel
import TestSupport
import Testing
import Workers

/// The death of a program with a watchdog is in the end-to-end tests.
@Suite struct WatchdogTests {
  /// A run that ends in order ends its watchdog first, and that does nothing.
  @Test func whoEndsItInOrderKeepsItsProcesses() async throws {
    let mark = "watchdog-test-\(getpid())-\(UInt64.random(in: .min ... .max))"
    let process = try ChildProcess(
      ["sleep", "1901"], environment: ["CARREL_SCOPE": "\(mark)-1"], timeout: 60)
    let registry = try ProcessRegistry(ownsAllChildren: false, adoptsOrphans: false)
    let watchdog = try Watchdog(registry: registry)
    watchdog.cover(mark)
    watchdog.end()
    watchdog.end()
    #expect(kill(watchdog.pid, 0) == -1 && errno == ESRCH)
    process.signal(SIGTERM)
    #expect(try await process.output().end == .signaled(SIGTERM))
  }

  /// Somebody has killed it: that is no reason for anything else to fail.
  @Test func itsDeathIsNoFailure() throws {
    let registry = try ProcessRegistry(ownsAllChildren: false, adoptsOrphans: false)
    let watchdog = try Watchdog(registry: registry)
    kill(watchdog.pid, SIGKILL)
    #expect(waitForEnd(of: watchdog.pid, until: now() + 10) { true })
    watchdog.end()
    #expect(kill(watchdog.pid, 0) == -1 && errno == ESRCH)
  }
}
