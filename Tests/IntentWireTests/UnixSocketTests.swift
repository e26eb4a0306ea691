import Glibc
import IntentWire
import TestSupport
import Testing

@Suite struct UnixSocketTests {
  @Test(arguments: [1, 60, 200]) func pathsMayBeLong(length: Int) throws {
    let folder = try TemporaryFolder(name: String(repeating: "n", count: length))
    let path = folder.path(of: "socket")
    let listener = try UnixSocket.listen(at: path)
    defer { close(listener) }
    let client = try UnixSocket.connect(to: path)
    close(client)
    let error = #expect(throws: WireError.self) { _ = try UnixSocket.listen(at: path) }
    #expect(error?.code == .systemUnreachable)
    #expect(error?.message.contains("Address already in use") == true)
  }

  @Test func nobodyListens() throws {
    let folder = try TemporaryFolder(name: String(repeating: "n", count: 150))
    for name in ["none", "a/b"] {
      let error = #expect(throws: WireError.self) {
        _ = try UnixSocket.connect(to: folder.path(of: name))
      }
      #expect(error?.message.contains("No such file or directory") == true)
    }
    let name = String(repeating: "x", count: 120)
    let error = #expect(throws: WireError.self) {
      _ = try UnixSocket.connect(to: folder.path(of: name))
    }
    #expect(error?.message.contains("File name too long") == true)
  }
}
