import Foundation
import XCTest

/// Holds on to something that there is once on a machine, long enough to meet others.
func hold() {
  let end = ContinuousClock.now + .milliseconds(3)
  while ContinuousClock.now < end { sched_yield() }
}

/// Makes a file that must not be there, and sees that nobody else writes to it.
func claim(file path: String) throws {
  let descriptor = open(path, O_CREAT | O_EXCL | O_RDWR, 0o600)
  XCTAssertGreaterThanOrEqual(descriptor, 0, "\(path) is there already, or cannot be made")
  guard descriptor >= 0 else { return }
  close(descriptor)
  let own = UUID().uuidString
  try own.write(toFile: path, atomically: false, encoding: .utf8)
  hold()
  XCTAssertEqual(try String(contentsOfFile: path, encoding: .utf8), own)
}

/// Binds a socket to an address that nobody else may have.
func claim(family: Int32, address: [UInt8]) {
  let descriptor = socket(family, Int32(SOCK_STREAM.rawValue), 0)
  defer { close(descriptor) }
  let result = address.withUnsafeBytes { bytes in
    bytes.baseAddress.map {
      bind(descriptor, $0.assumingMemoryBound(to: sockaddr.self), socklen_t(bytes.count))
    }
  }
  XCTAssertEqual(result, 0, "the address is in use: \(String(cString: strerror(errno)))")
  XCTAssertEqual(listen(descriptor, 1), 0)
  hold()
}
