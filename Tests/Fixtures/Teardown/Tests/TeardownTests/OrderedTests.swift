import Foundation
import XCTest

/// The number of a test in the order in which tests start, over all processes of a run, from 1.
///
/// The files that count are named by the environment; without it each test is the first.
func startNumber() -> Int {
  guard let path = ProcessInfo.processInfo.environment["CARREL_TEST_READY"] else { return 1 }
  var number = 1
  while true {
    let file = open("\(path).\(number)", O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0o600)
    if file >= 0 {
      close(file)
      return number
    }
    number += 1
  }
}

/// Says to the caller of the command that something is so far.
func sign(_ suffix: String = "") {
  guard let path = ProcessInfo.processInfo.environment["CARREL_TEST_READY"] else { return }
  close(open(path + suffix, O_CREAT | O_WRONLY | O_CLOEXEC, 0o600))
}

/// Waits for a file that the caller of the command makes, or another test.
func waitFor(_ path: String?) {
  guard let path else { return }
  while access(path, F_OK) != 0 { usleep(1000) }
}

/// The first three that start pass, the others hang.
final class TenXCTests: XCTestCase {
  private func passOrHang() {
    let number = startNumber()
    guard number > 3 else { return }
    print("partial output of number \(number)")
    if number == 5 { sign() }
    while true { sleep(3600) }
  }

  func test01() { passOrHang() }
  func test02() { passOrHang() }
  func test03() { passOrHang() }
  func test04() { passOrHang() }
  func test05() { passOrHang() }
  func test06() { passOrHang() }
  func test07() { passOrHang() }
  func test08() { passOrHang() }
  func test09() { passOrHang() }
  func test10() { passOrHang() }
}

/// Writes more than a pipe takes, when it may.
final class WritingXCTests: XCTestCase {
  func testWritesMuch() {
    sign()
    waitFor(ProcessInfo.processInfo.environment["CARREL_TEST_GATE"])
    let block = [UInt8](repeating: UInt8(ascii: "e"), count: 300 << 10)
    for descriptor in [Int32(2), 1] {
      var done = 0
      while done < block.count {
        let count = block[done...].withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
        guard count > 0 else { return XCTFail("cannot write") }
        done += count
      }
    }
    sign(".done")
  }
}
