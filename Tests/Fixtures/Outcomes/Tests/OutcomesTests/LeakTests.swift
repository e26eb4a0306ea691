import Foundation
import Testing
import XCTest

/// Tests that pass and leave processes behind.
final class LeakXCTests: XCTestCase {
  func test1BackgroundProcess() {
    XCTAssertGreaterThan(spawnShell("exec sleep 300"), 0)
  }

  func test2Daemon() {
    var status: Int32 = 0
    let parent = spawnShell("(setsid sleep 301 &) </dev/null >/dev/null 2>&1")
    XCTAssertEqual(waitpid(parent, &status, 0), parent)
  }

  func test3Passes() {}

  func test4FailsAndLeaks() {
    _ = spawnShell("exec sleep 302")
    XCTFail("failed with a process left behind")
  }
}

@Suite struct LeakTests {
  @Test func backgroundProcess() {
    #expect(spawnShell("exec sleep 303") > 0)
  }

  @Test func passes() {}
}

/// The first two leave copies of their process behind that never execute anything.
final class ForkXCTests: XCTestCase {
  func test1Forks() throws {
    try forkSleeper()
  }

  func test2Passes() {}

  /// The process that is left behind knows none of the variables.
  func test3ClearsEnvironment() {
    XCTAssertGreaterThan(spawnShell("exec sleep 304", environment: [nil]), 0)
  }

  func test4Passes() {}
}

@Suite struct ForkTests {
  @Test func forks() throws {
    try forkSleeper()
  }

  @Test func clearsEnvironment() {
    #expect(spawnShell("exec sleep 305", environment: [nil]) > 0)
  }

  @Test func passes() {}

  @Test func alsoPasses() {}
}

/// Makes a copy of this process that sleeps.
private func forkSleeper() throws {
  // Swift does not let anybody call it by its name.
  guard let symbol = dlsym(UnsafeMutableRawPointer(bitPattern: 0), "fork") else {
    throw FixtureError(text: "there is no fork(2)")
  }
  let fork = unsafeBitCast(symbol, to: (@convention(c) () -> pid_t).self)
  if fork() == 0 {
    while true { sleep(3600) }
  }
}

/// Starts a shell command in the background; it inherits all output.
///
/// - Returns: The shell's process identifier, or 0 when it could not be started.
func spawnShell(
  _ command: String, environment: [UnsafeMutablePointer<CChar>?]? = nil
) -> pid_t {
  var pid: pid_t = 0
  let arguments: [UnsafeMutablePointer<CChar>?] =
    ["/bin/sh", "-c", command].map { (text: String) in strdup(text) } + [nil]
  defer { for argument in arguments { free(argument) } }
  let error =
    environment.map { posix_spawn(&pid, "/bin/sh", nil, nil, arguments, $0) }
    ?? posix_spawn(&pid, "/bin/sh", nil, nil, arguments, environ)
  return error == 0 ? pid : 0
}
