import Foundation
import XCTest

/// A test that passes and leaves a process which listens at sockets that it has inherited.
final class SocketXCTests: XCTestCase {
  func testLeavesAServer() throws {
    print("tcp 127.0.0.1:\(try bound(SOCK_STREAM, listens: true))")
    print("udp 127.0.0.1:\(try bound(SOCK_DGRAM, listens: false))")
    print("unix \(try boundUnix())")
    XCTAssertGreaterThan(spawnShell("exec sleep 1511"), 0)
  }

  /// Holds neither socket nor output.
  func testLeavesAQuietProcess() {
    XCTAssertGreaterThan(spawnShell("exec sleep 1512 </dev/null >/dev/null 2>&1 3>&-"), 0)
  }

  /// - Returns: The port that the system chose.
  private func bound(_ type: __socket_type, listens: Bool) throws -> UInt16 {
    let descriptor = socket(AF_INET, Int32(type.rawValue), 0)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    var size = socklen_t(MemoryLayout<sockaddr_in>.size)
    let result = withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(descriptor, $0, size) | (listens ? listen(descriptor, 1) : 0)
          | getsockname(descriptor, $0, &size)
      }
    }
    XCTAssertEqual(result, 0)
    return UInt16(bigEndian: address.sin_port)
  }

  /// - Returns: The path.
  private func boundUnix() throws -> String {
    let path = try XCTUnwrap(ProcessInfo.processInfo.environment["TMPDIR"]) + "/server.sock"
    let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { bytes in
      for (index, byte) in path.utf8.enumerated() { bytes[index] = byte }
    }
    let size = socklen_t(MemoryLayout<sockaddr_un>.size)
    let result = withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(descriptor, $0, size) | listen(descriptor, 1)
      }
    }
    XCTAssertEqual(result, 0)
    return path
  }
}
