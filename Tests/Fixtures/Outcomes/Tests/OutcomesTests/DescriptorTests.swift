import Foundation
import Testing
import XCTest

/// Tests that take away what the observer needs.
final class DescriptorXCTests: XCTestCase {
  func test1Passes() {}

  /// Not the lowest ones: libdispatch ends a process that closes its own.
  func test2ClosesAll() {
    for descriptor in Int32(64)..<5000 { close(descriptor) }
  }

  /// All numbers lead to a file of the test.
  func test3ReplacesAll() throws {
    let file = open(NSTemporaryDirectory() + "/file", O_CREAT | O_RDWR, 0o600)
    for descriptor in Int32(64)..<5000 { _ = dup2(file, descriptor) }
  }

  func test4RemovesItsFolder() throws {
    let folder = (NSHomeDirectory() as NSString).deletingLastPathComponent
    for name in try FileManager.default.contentsOfDirectory(atPath: folder) {
      try FileManager.default.removeItem(atPath: "\(folder)/\(name)")
    }
    // In a sandbox something is mounted there, and it stays.
    try? FileManager.default.removeItem(atPath: folder)
  }

  /// The folder of the whole run.
  func test5RemovesAllFolders() throws {
    let folder = (NSHomeDirectory() as NSString).deletingLastPathComponent
    try FileManager.default.removeItem(
      atPath: (folder as NSString).deletingLastPathComponent)
  }

  func test6Passes() throws {
    try "content".write(toFile: NSHomeDirectory() + "/file", atomically: true, encoding: .utf8)
  }

  /// High numbers belong to the test.
  func test7UsesHighDescriptors() {
    for number in Int32(400)..<700 {
      XCTAssertEqual(fcntl(number, F_GETFD), -1, "\(number) is taken")
      XCTAssertEqual(dup2(1, number), number)
    }
    for number in Int32(400)..<700 { close(number) }
  }
}

@Suite struct DescriptorTests {
  @Test func passes() {}

  @Test func closesAll() {
    for descriptor in Int32(3)..<5000 { close(descriptor) }
  }

  @Test func alsoPasses() {}
}
