import Foundation
import Glibc
import XCTest

/// Tests that take more than their share. Select them only together with limits.
final class LimitXCTests: XCTestCase {
  func test1Passes() {}

  /// Takes 1 GiB, a MiB at a time, and keeps it.
  func test2TakesMemory() {
    var kept: [UnsafeMutableRawPointer] = []
    for _ in 0..<1024 {
      guard let piece = malloc(1 << 20) else {
        print("no more memory after \(kept.count) MiB")
        return XCTFail("no memory")
      }
      memset(piece, 7, 1 << 20)
      kept.append(piece)
    }
    print("took \(kept.count) MiB")
  }

  /// A child takes 1 GiB.
  func test3ChildTakesMemory() {
    let shell = spawnShell("head -c 1073741824 /dev/zero | tail")
    var status: Int32 = 0
    waitpid(shell, &status, 0)
    XCTAssertEqual(status, 0, "the child ended with \(status)")
  }

  /// Starts 200 processes that wait.
  func test4StartsProcesses() {
    let shell = spawnShell(
      "n=0; while [ $n -lt 200 ]; do sleep 3600 & n=$((n + 1)); done; echo started $n; kill 0")
    var status: Int32 = 0
    waitpid(shell, &status, 0)
    XCTFail("the shell ended with \(status)")
  }

  /// Opens files until it may not.
  func test5OpensFiles() {
    var descriptors: [Int32] = []
    while descriptors.count < 2000, case let descriptor = open("/dev/null", O_RDONLY),
      descriptor >= 0
    {
      descriptors.append(descriptor)
    }
    // The library needs some, too.
    for descriptor in descriptors { close(descriptor) }
    let count = descriptors.count
    print("opened \(count) files")
    XCTAssertTrue(count == 2000, "there were fewer files than wanted")
  }

  /// Writes one file of 64 MiB.
  func test6WritesALargeFile() throws {
    print("about to write")
    let file = open(NSTemporaryDirectory() + "large", O_CREAT | O_WRONLY | O_TRUNC, 0o600)
    XCTAssertGreaterThanOrEqual(file, 0)
    let piece = [UInt8](repeating: 1, count: 1 << 20)
    for _ in 0..<64 { XCTAssertEqual(write(file, piece, piece.count), piece.count) }
  }

  /// Writes small files without end.
  func test7WritesManyFiles() {
    let piece = [UInt8](repeating: 1, count: 1 << 19)
    for number in 0..<100_000 {
      let file = open(NSTemporaryDirectory() + "\(number)", O_CREAT | O_WRONLY, 0o600)
      guard file >= 0, write(file, piece, piece.count) == piece.count else { break }
      close(file)
      if number >= 64 { usleep(100_000) }
    }
  }

  func test8CountsProcessors() throws {
    let status = try String(contentsOfFile: "/proc/self/status", encoding: .utf8)
    let line = status.split(separator: "\n").first { $0.hasPrefix("Cpus_allowed:") } ?? ""
    let count = line.dropFirst("Cpus_allowed:".count).compactMap(\.hexDigitValue)
      .reduce(0) { $0 + $1.nonzeroBitCount }
    print("\(count) processors")
  }

  func test9Passes() {}
}

/// Tests that say nothing for long, and one that goes on saying something.
final class SilenceXCTests: XCTestCase {
  func test1SaysNothing() {
    print("that is all")
    while true { sleep(3600) }
  }

  /// Takes longer than the limit on silence, but is never silent for so long.
  func test2GoesOnTalking() {
    for number in 1...10 {
      print("still here, \(number)")
      usleep(250_000)
    }
  }
}
