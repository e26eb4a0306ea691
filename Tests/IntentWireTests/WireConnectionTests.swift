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

  /// What is too long is the error of its call, and the connection stays.
  @Test func messagesThatAreTooLongAreNotSent() async throws {
    let (first, second) = pair()
    let long = WireJSON.string(String(repeating: "x", count: WireMessage.maximumLength))
    let echo: WireConnection.Handler = { method, parameters throws(WireError) in
      method == "long" ? long : parameters
    }
    let one = WireConnection(descriptor: first)
    let other = WireConnection(descriptor: second, handler: echo)
    for (method, parameters) in [("echo", ["text": long]), ("long", [:])] as [(String, WireJSON)] {
      let error = await #expect(throws: WireError.self) { try await one.call(method, parameters) }
      #expect(error?.code == .invalidRequest)
      #expect(error?.message.contains("'\(method)'") == true)
      #expect(error?.message.contains("bytes long; 16777216 can be sent") == true)
      #expect(try await one.call("echo", ["n": 1]) == ["n": 1])
    }
    other.shutDown()
  }

  /// An error without a number is about the connection.
  @Test func errorWithoutANumberFailsWhatWaits() async throws {
    let (first, second) = pair()
    let connection = WireConnection(descriptor: first)
    let error = WireError(.invalidRequest, "nobody can read this")
    let answer = Task { try await connection.call("x", [:]) }
    var byte: UInt8 = 0
    repeat { _ = read(second, &byte, 1) } while byte != 0x0A
    let line = WireMessage.failure(id: nil, error).line
    _ = line.withUnsafeBytes { send(second, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
    let received = await #expect(throws: WireError.self) { try await answer.value }
    #expect(received?.code == .invalidRequest && received?.message == "nobody can read this")
    close(second)
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
