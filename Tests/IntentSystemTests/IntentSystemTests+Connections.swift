import CSQLite
import Glibc
import IntentWire
import RunModel
import SystemFiles
import TestSupport
import Testing
import Workers

@testable import IntentSystem

/// Connections that misbehave, and those that nobody knows.
extension IntentSystemTests {
  @Test func readersThatCatchUpCostNothing() throws {
    let bench = try Bench()
    defer { bench.stop() }
    let test = try bench.connectTest()
    for id in 1...3000 { test.send(.request(id: id, method: "apps.list", parameters: [:])) }
    for _ in 1...3000 { #expect(test.receive() != nil) }
    func used() -> Double {
      var time = timespec()
      clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
      return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }
    let before = used()
    var isOver = false
    bench.loop.after(0.3) { isOver = true }
    bench.loop.run { isOver }
    #expect(used() - before < 0.15)
  }

  @Test func hostWithoutItsTokenIsRefused() throws {
    let bench = try Bench()
    defer { bench.stop() }
    let stranger = try bench.connect()
    stranger.send(
      .request(
        id: 1, method: "hello",
        parameters: ["role": "host", "protocol": "1.0", "token": "guess", "app": [:]]))
    #expect(try error(stranger.receive()).code == .invalidRequest)
    #expect(stranger.receive() == nil)
  }

  /// What an app says it was compiled with, and whether it fits Swift 6.3.1 with clang 21.
  @Test(
    arguments: [
      ("Swift 6.3.1", "21.0.0 (x)", true), ("Swift 6.3.1", "21.0.0 (x) ", true),
      ("Swift 6.3.1", "", true), ("Swift 6.3.1", "21.0.0 (y)", false), ("Swift 6.3", nil, true),
      ("Swift 6.3.0", nil, false), ("Swift 6.2.4", "21.0.0 (x)", false), ("C", "9", true),
      (nil, "9", true), ("Swift 6.2.5 or newer", nil, true), ("Swift 6.4.0 or newer", nil, false),
      ("Swift six", nil, true),
    ] as [(String?, String?, Bool)])
  func compilersThatDoNotFit(compiler: String?, clang: String?, fits: Bool) throws {
    let bench = try Bench {
      $0.expectedCompiler = ExpectedCompiler(
        version: SwiftVersion([6, 3, 1], build: "swift-6.3.1-RELEASE"), clang: "21.0.0 (x)",
        path: "/t/usr/bin")
    }
    defer { bench.stop() }
    let test = try bench.connectTest()
    test.send(
      .request(
        id: 2, method: "host.probe", parameters: ["bundle": .string(Bench.bundle)]))
    var parameters: [String: WireJSON] = [
      "role": "host", "protocol": "1.0", "token": .string(try bench.line()),
      "bundle": .string(Bench.bundle),
    ]
    parameters["compiler"] = compiler.map { .string($0) }
    parameters["clang"] = clang.map { .string($0) }
    let app = try bench.connect()
    app.send(
      .request(
        id: 1, method: "hello",
        parameters: .object(parameters.map { WireJSON.Member($0.key, $0.value) })))
    let answer = try #require(app.receive())
    guard !fits else {
      if case .result = answer { return }
      Issue.record("refused: \(answer)")
      return
    }
    for refusal in [try error(answer), try error(test.receive())] {
      #expect(refusal.code == .otherCompiler)
      #expect(refusal.message.hasPrefix("com.example.App was compiled with \(compiler ?? "")"))
      #expect(refusal.message.contains("is pinned to Swift 6.3.1 (swift-6.3.1-RELEASE)"))
      #expect(refusal.message.contains("in /t/usr/bin; build it anew"))
    }
  }

  @Test func versionsThatDoNotFit() throws {
    let bench = try Bench()
    defer { bench.stop() }
    for version in ["2.0", "0.9", "x"] {
      let client = try bench.connect()
      client.send(
        .request(
          id: 1, method: "hello", parameters: ["role": "test", "protocol": .string(version)]))
      #expect(try error(client.receive()).code == .otherVersion)
    }
    let newer = try bench.connect()
    newer.send(
      .request(id: 1, method: "hello", parameters: ["role": "test", "protocol": "1.99", "x": 1]))
    #expect(newer.receive() != nil && !newer.isClosed)
  }

  /// Bytes from anywhere: no crash, nothing that stays open, and the next test is served.
  @Test func thousandStreamsOfBytes() throws {
    let bench = try Bench()
    defer { bench.stop() }
    let good = perform(1).line
    for seed in 0..<1000 {
      var generator = SeededGenerator(seed: seed)
      let client = generator.chance(0.5) ? try bench.connectTest() : try bench.connect()
      var bytes: [UInt8] = []
      for _ in 0..<Int.random(in: 1...4, using: &generator) {
        switch Int.random(in: 0..<4, using: &generator) {
        case 0:
          bytes += (0..<Int.random(in: 0...300, using: &generator)).map { _ in
            UInt8.random(in: 0...255, using: &generator)
          }
        case 1: bytes += good.prefix(Int.random(in: 0...good.count, using: &generator))
        case 2:
          // One byte of a good message changed; not the name of the app, which would start it.
          var changed = WireMessage.request(
            id: 1, method: "index.dump", parameters: ["a": [1, "b", nil]]
          ).line
          changed[Int.random(in: 0..<changed.count, using: &generator)] =
            UInt8.random(in: 0...255, using: &generator)
          bytes += changed
        default: bytes += [0x0A]
        }
      }
      client.send(bytes.filter { !generator.chance(0.001) || $0 == 0x0A })
      client.close()
    }
    let test = try bench.connectTest()
    test.send(.request(id: 7, method: "apps.list", parameters: [:]))
    #expect(test.receive() == .result(id: 7, [.string(Bench.bundle)]))
    test.close()
    bench.loop.run { bench.system?.connections == 0 }
  }

  @Test func messageThatIsTooLongEndsItsConnection() throws {
    let bench = try Bench()
    defer { bench.stop() }
    let test = try bench.connectTest()
    let piece = [UInt8](repeating: UInt8(ascii: "x"), count: 1 << 20)
    for _ in 0..<100 where !test.isClosed { test.send(piece) }
    #expect(try error(test.receive()).code == .invalidRequest)
    #expect(test.receive() == nil)
    let next = try bench.connectTest()
    next.send(.request(id: 1, method: "apps.list", parameters: [:]))
    #expect(next.receive() != nil)
  }

  /// Who never reads is cut off, and holds nobody up.
  @Test func clientThatDoesNotRead() throws {
    let bench = try Bench()
    defer { bench.stop() }
    let silent = try bench.connectTest()
    bench.loop.unwatch(silent.descriptor)
    for id in 1...20_000 {
      silent.send(.request(id: id, method: "no.such", parameters: [:]))
    }
    let test = try bench.connectTest()
    test.send(.request(id: 1, method: "apps.list", parameters: [:]))
    #expect(test.receive() != nil)
  }
}
