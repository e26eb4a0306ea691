import Foundation
import XCTest

/// Tests that start trees of processes. The names of the files that say that a tree is complete, and
/// that a test may end, are in the environment.
final class TreeXCTests: XCTestCase {
  /// Two processes in the test's group, one of them deaf to SIGTERM, two daemons that were forked
  /// twice and have sessions of their own, one of them deaf too, and one child of a daemon.
  private static let tree = #"""
    sleep 1501 &
    (trap '' TERM; exec sleep 1502) &
    (setsid sleep 1503 &)
    (setsid sh -c 'trap "" TERM; sleep 1504 & exec sleep 1505' &)
    for number in 1501 1502 1503 1504 1505; do
      until cat /proc/[0-9]*/cmdline 2>/dev/null | tr '\0' ' ' | grep -q "[s]leep $number "; do :; done
    done
    """#

  /// A hundred: a quarter each in the test's group, in sessions of their own, deaf to SIGTERM, both.
  private static let hundred = #"""
    i=0
    while [ $i -lt 25 ]; do
      i=$((i + 1))
      sleep 1600 &
      (setsid sleep 1601 &)
      (trap '' TERM; sleep 1602 &)
      (setsid sh -c 'trap "" TERM; exec sleep 1603' &)
    done
    marked() { cat /proc/[0-9]*/environ 2>/dev/null | tr '\0' '\n' | grep -c "^CARREL_SCOPE=$1$"; }
    until [ "$(marked "$CARREL_SCOPE")" -ge 102 ]; do :; done
    """#

  private func start(_ script: String) throws {
    print("the tree is \(script.utf8.count) bytes")
    fflush(nil)
    let shell = spawnShell("\(script)\n: >\"$CARREL_TEST_READY\"; wait")
    XCTAssertGreaterThan(shell, 0)
  }

  func testHangsWithATree() throws {
    try start(Self.tree)
    while true { sleep(3600) }
  }

  func testHangsWithAHundred() throws {
    try start(Self.hundred)
    while true { sleep(3600) }
  }

  func testHangsWithAWriter() throws {
    try start("(trap '' TERM; exec sh -c 'while :; do echo growing; done') &")
    while true { sleep(3600) }
  }

  /// Ends when its file is there; the shell has been given a moment too, but the tree stays.
  func testWaitsForAFile() throws {
    try start(Self.tree)
    let gate = try XCTUnwrap(ProcessInfo.processInfo.environment["CARREL_TEST_GATE"])
    while access(gate, F_OK) != 0 { usleep(1000) }
  }

  func testZPasses() {}
}

/// Starts a shell command in the background; it inherits all output.
func spawnShell(_ command: String) -> pid_t {
  var pid: pid_t = 0
  let arguments: [UnsafeMutablePointer<CChar>?] =
    ["/bin/sh", "-c", command].map { (text: String) in strdup(text) } + [nil]
  defer { for argument in arguments { free(argument) } }
  return posix_spawn(&pid, "/bin/sh", nil, nil, arguments, environ) == 0 ? pid : 0
}
