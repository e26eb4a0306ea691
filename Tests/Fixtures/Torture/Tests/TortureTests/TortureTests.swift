import Foundation
import XCTest

/// Each test takes for itself what there is once on a machine, and fails when another test has it.
final class TortureXCTests: XCTestCase {
  func takeDefaults() {
    XCTAssertNil(UserDefaults.standard.string(forKey: "torture"))
    let own = UUID().uuidString
    UserDefaults.standard.set(own, forKey: "torture")
    UserDefaults.standard.synchronize()
    hold()
    XCTAssertEqual(UserDefaults.standard.string(forKey: "torture"), own)
  }

  func takeHomeFile() throws { try claim(file: NSHomeDirectory() + "/torture") }

  func takeTemporaryFile() throws { try claim(file: "/tmp/carrel-torture") }

  func takePort() {
    // 127.0.0.1:8080, in the order of the network (ip(7)).
    var address: [UInt8] = [UInt8(AF_INET), 0, 0x1F, 0x90, 127, 0, 0, 1]
    address += [UInt8](repeating: 0, count: 8)
    claim(family: AF_INET, address: address)
  }

  func takeAbstractSocket() {
    claim(family: AF_UNIX, address: [UInt8(AF_UNIX), 0, 0] + Array("carrel-torture".utf8))
  }

  func takeSharedMemory() {
    let descriptor = shm_open("/carrel-torture", O_CREAT | O_EXCL | O_RDWR, 0o600)
    XCTAssertGreaterThanOrEqual(descriptor, 0, "the shared memory is there already")
    hold()
  }

  func takeMessageQueue() {
    let queue = msgget(0x4361_7272, 0o1000 | 0o2000 | 0o600)
    XCTAssertGreaterThanOrEqual(queue, 0, "the message queue is there already")
    hold()
  }

  /// Kills every process that has its own name, like `pkill` in a script of a test.
  func takeKillByName() throws {
    let name = try String(contentsOfFile: "/proc/self/comm", encoding: .utf8)
    for entry in try FileManager.default.contentsOfDirectory(atPath: "/proc") {
      guard let process = pid_t(entry), process != getpid(),
        let other = try? String(contentsOfFile: "/proc/\(entry)/comm", encoding: .utf8),
        other == name
      else { continue }
      kill(process, SIGKILL)
      XCTFail("a process of another test was killed")
    }
  }

  func test1Defaults() { takeDefaults() }
  func test1HomeFile() throws { try takeHomeFile() }
  func test1TemporaryFile() throws { try takeTemporaryFile() }
  func test1Port() { takePort() }
  func test1AbstractSocket() { takeAbstractSocket() }
  func test1SharedMemory() { takeSharedMemory() }
  func test1MessageQueue() { takeMessageQueue() }
  func test1KillByName() throws { try takeKillByName() }
  func test2Defaults() { takeDefaults() }
  func test2HomeFile() throws { try takeHomeFile() }
  func test2TemporaryFile() throws { try takeTemporaryFile() }
  func test2Port() { takePort() }
  func test2AbstractSocket() { takeAbstractSocket() }
  func test2SharedMemory() { takeSharedMemory() }
  func test2MessageQueue() { takeMessageQueue() }
  func test2KillByName() throws { try takeKillByName() }
  func test3Defaults() { takeDefaults() }
  func test3HomeFile() throws { try takeHomeFile() }
  func test3TemporaryFile() throws { try takeTemporaryFile() }
  func test3Port() { takePort() }
  func test3AbstractSocket() { takeAbstractSocket() }
  func test3SharedMemory() { takeSharedMemory() }
  func test3MessageQueue() { takeMessageQueue() }
  func test3KillByName() throws { try takeKillByName() }
  func test4Defaults() { takeDefaults() }
  func test4HomeFile() throws { try takeHomeFile() }
  func test4TemporaryFile() throws { try takeTemporaryFile() }
  func test4Port() { takePort() }
  func test4AbstractSocket() { takeAbstractSocket() }
  func test4SharedMemory() { takeSharedMemory() }
  func test4MessageQueue() { takeMessageQueue() }
  func test4KillByName() throws { try takeKillByName() }
  func test5Defaults() { takeDefaults() }
  func test5HomeFile() throws { try takeHomeFile() }
  func test5TemporaryFile() throws { try takeTemporaryFile() }
  func test5Port() { takePort() }
  func test5AbstractSocket() { takeAbstractSocket() }
  func test5SharedMemory() { takeSharedMemory() }
  func test5MessageQueue() { takeMessageQueue() }
  func test5KillByName() throws { try takeKillByName() }
}
