import Glibc
import IntentWire
import TestSupport
import Testing

/// The side of tests and apps.
@Suite struct WireConnectionTests {
  private func pair() -> (Int32, Int32) {
    var ends: [Int32] = [0, 0]
    socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &ends)
    return (ends[0], ends[1])
  }

  @Test func callsGoBothWays() async throws {
    let (first, second) = pair()
    let double: WireConnection.Handler = { method, parameters throws(WireError) in
      guard method == "double", let number = parameters["n"]?.int else {
        throw WireError(.methodNotFound, method)
      }
      return .int(Int64(number * 2))
    }
    let (one, other) = (
      WireConnection(descriptor: first, handler: double),
      WireConnection(descriptor: second, handler: double)
    )
    try await withThrowingTaskGroup(of: Bool.self) { group in
      for number in 0..<100 {
        group.addTask {
          try await (number % 2 == 0 ? one : other).call("double", ["n": .int(Int64(number))])
            == .int(Int64(2 * number))
        }
      }
      for try await isRight in group { #expect(isRight) }
    }
    let error = await #expect(throws: WireError.self) { try await one.call("x", [:]) }
    #expect(error?.code == .methodNotFound)
    other.shutDown()
    let ended = await #expect(throws: WireError.self) { try await one.call("double", ["n": 1]) }
    #expect(ended?.code == .systemUnreachable)
  }

  /// Bytes from anywhere: the connection ends, calls that wait fail, nothing crashes.
  @Test func thousandStreamsOfBytes() async throws {
    for seed in 0..<1000 {
      let (mine, other) = pair()
      let connection = WireConnection(descriptor: mine) { _, _ in .null }
      async let answer = connection.call("x", [:])
      var generator = SeededGenerator(seed: seed)
      var bytes = (0..<Int.random(in: 0...200, using: &generator)).map { _ in
        UInt8.random(in: 0...255, using: &generator)
      }
      if generator.chance(0.5) {
        bytes = Array(#"{"jsonrpc":"2.0","id":1,"result":{"a":[1,{"b":null}]}}"#.utf8)
        bytes[Int.random(in: 0..<bytes.count, using: &generator)] =
          UInt8.random(in: 0...255, using: &generator)
        bytes.append(0x0A)
      }
      _ = bytes.withUnsafeBytes { send(other, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
      shutdown(other, Int32(SHUT_RDWR))
      do {
        _ = try await answer
      } catch let error as WireError {
        #expect(error.message.isEmpty == false)
      }
      close(other)
    }
  }
}
