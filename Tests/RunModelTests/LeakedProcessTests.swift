import FoundationEssentials
import RunModel
import Testing

@Suite struct LeakedProcessTests {
  private static let server = LeakedProcess(
    pid: 7, command: "server", pipes: [.stdout, .channel],
    sockets: [.init(kind: .tcp, address: "[::1]:80"), .init(kind: .unix, address: "/s")])

  /// Records without what it holds are read as before, and written as before.
  @Test func nothingHeldIsLeftOut() throws {
    let text = #"{"command":"sleep 300","pid":42}"#
    let leak = try JSONDecoder().decode(LeakedProcess.self, from: Data(text.utf8))
    #expect(leak == LeakedProcess(pid: 42, command: "sleep 300"))
    #expect(leak.holdings == nil)
    let encoder = JSONEncoder()
    encoder.outputFormatting = .sortedKeys
    #expect(try encoder.encode(leak) == Data(text.utf8))
  }

  @Test func whatIsHeldIsRead() throws {
    let data = try JSONEncoder().encode(Self.server)
    #expect(try JSONDecoder().decode(LeakedProcess.self, from: data) == Self.server)
    #expect(
      Self.server.holdings == "listens on tcp [::1]:80, unix /s; holds stdout and channel open")
  }

  @Test func socketsAreLimited() {
    let leak = LeakedProcess(
      pid: 1, command: "c",
      sockets: (0..<100).map { .init(kind: .udp, address: "0.0.0.0:\($0)") })
    #expect(leak.sockets?.count == LeakedProcess.maxSockets)
  }
}
