import Glibc
import RunModel
import TestSupport
import Testing
import Workers

@testable import SwiftTests

/// What a test is told that could not write to, find or reach something because of its
/// surroundings.
struct RefusalTests {
  private func surroundings(
    _ network: SandboxNetwork? = .loopback, userHome: String? = nil
  ) -> TestSurroundings {
    TestSurroundings(
      network: network, container: Container(root: "/w/1", view: "/tmp/carrel"),
      userHome: userHome)
  }

  /// Also in a folder that is read-only and lies where each sandbox has a folder of its own.
  @Test(arguments: ["/var/tmp", "/tmp"]) func whatIsReadOnlyIsNamed(parent: String) throws {
    let folder = try TemporaryFolder(in: parent)
    let hint = try #require(surroundings().hint(ofRefusal: folder.path(of: "new.txt")))
    #expect(hint.hasPrefix("the test could not write to '\(folder.path(of: "new.txt"))', which"))
    #expect(hint.contains("allow it with --writable '\(folder.path)'"))
    let ofTheSystem = try #require(surroundings().hint(ofRefusal: "/etc/new.txt"))
    #expect(
      ofTheSystem.hasSuffix(
        "allow it with --scratch '/etc' when what it writes may end with the batch"))
    #expect(surroundings(nil).hint(ofRefusal: "/etc/new.txt") == nil)
  }

  @Test func whatIsHiddenIsNamed() throws {
    let folder = try TemporaryFolder(in: "/var/tmp")
    let file = folder.path(of: "a")
    #expect(close(open(file, O_CREAT | O_WRONLY, 0o600)) == 0)
    #expect(
      surroundings().hint(ofUnseen: folder.path, whole: file)
        == "the test did not find '\(folder.path)', because each sandbox has a /var/tmp of its "
        + "own; show it with --scratch '\(folder.path)', or with --writable '\(folder.path)' when "
        + "what tests write there shall stay")
    // It is not there for anybody, though its folder is; and nothing is hidden without a sandbox.
    let missing = folder.path(of: "missing")
    #expect(surroundings().hint(ofUnseen: folder.path, whole: missing) == nil)
    #expect(surroundings().hint(ofUnseen: "/usr", whole: "/usr") == nil)
    #expect(surroundings(nil).hint(ofUnseen: folder.path, whole: file) == nil)
    let device = surroundings().hint(ofUnseen: "/dev/ptmx", whole: "/dev/ptmx")
    #expect(device?.contains("a /dev of its own") == true)
  }

  @Test func whatTheUserHasInTheHomeFolderIsNamed() throws {
    let home = try TemporaryFolder(name: "Anä b")
    for folder in [".cache", ".cache/models", ".local", ".local/share", ".local/share/x"] {
      #expect(mkdir(home.path(of: folder), 0o700) == 0)
    }
    for file in [".netrc", ".cache/models/a.bin"] {
      #expect(close(open(home.path(of: file), O_CREAT | O_WRONLY, 0o600)) == 0)
    }
    func hint(_ name: String, _ network: SandboxNetwork? = .loopback) -> String? {
      let path = "/tmp/carrel/home/\(name)"
      return surroundings(network, userHome: home.path).hint(ofUnseen: path, whole: path)
    }
    #expect(
      hint(".netrc")
        == "the test did not find '~/.netrc', because its home folder is that of its container; "
        + "show that of the user with --home '.netrc'")
    #expect(hint(".cache/models/a.bin")?.hasSuffix("--home '.cache/models'") == true)
    // Where XDG_CACHE_HOME and XDG_DATA_HOME lead.
    let cached = hint("Library/Caches/models/a.bin")
    #expect(cached?.contains("'~/.cache/models/a.bin'") == true)
    #expect(cached?.hasSuffix("--home '.cache/models'") == true)
    let data = hint("Library/Application Support/x")
    #expect(data?.hasSuffix("--home '.local/share/x'") == true)
    #expect(hint(".ssh/id") == nil && hint("Library/Caches/other") == nil)
    #expect(
      hint(".netrc", nil)?.hasSuffix("in a sandbox --home '.netrc' shows that of the user") == true)
  }

  @Test func whatCannotBeReachedIsNamed() throws {
    let away = try #require(surroundings().hint(ofUnreachable: "192.0.2.1:80"))
    #expect(away.hasPrefix("the test could not reach '192.0.2.1:80', because the sandbox has no"))
    #expect(away.hasSuffix("'--network host' gives tests the machine's"))
    #expect(surroundings(.host).hint(ofUnreachable: "example.com") == nil)
    #expect(surroundings(nil).hint(ofUnreachable: "example.com") == nil)
    #expect(surroundings().hint(ofUnreachable: "localhost") == nil)
    let without = surroundings(SandboxNetwork.none).hint(ofUnreachable: "127.0.0.1:80")
    #expect(without?.contains("'--network loopback'") == true)

    // Somebody listens outside.
    let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    defer { close(listener) }
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = in_addr_t(0x7F00_0001).bigEndian
    var size = socklen_t(MemoryLayout<sockaddr_in>.size)
    withUnsafeMutablePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        #expect(bind(listener, $0, size) == 0 && getsockname(listener, $0, &size) == 0)
      }
    }
    let name = "127.0.0.1:\(UInt16(bigEndian: address.sin_port))"
    #expect(surroundings().hint(ofUnreachable: name) == nil)
    #expect(listen(listener, 1) == 0)
    #expect(surroundings().hint(ofUnreachable: name)?.contains("outside somebody does") == true)
  }

  /// Only the failure of a test is explained, each thing once.
  @Test func theTranscriptTellsWhatItHeard() throws {
    let folder = try TemporaryFolder(in: "/var/tmp")
    func outcome(ok: Bool) -> TestOutcome? {
      var script = Script(xctest: "M.C/a")
      script.transcript.surroundings = surroundings()
      script.start("M.C/a")
      for _ in 0..<2 {
        script.send(.channel, "{\"k\":\"refused\",\"m\":\"/usr/x\"}\n")
        script.send(
          .channel,
          "{\"k\":\"unseen\",\"m\":\"\(folder.path)\",\"p\":\"\(folder.path)\"}\n")
        script.send(.channel, "{\"k\":\"unreachable\",\"m\":\"example.com\"}\n")
        script.send(.channel, "{\"k\":\"limit\",\"m\":\"files\"}\n")
        script.send(.channel, "{\"k\":\"limit\",\"m\":\"/tmp\"}\n")
        script.send(.channel, "{\"k\":\"limit\",\"m\":\"something else\"}\n")
      }
      script.end("M.C/a", ok: ok)
      script.send(.channel, "{\"k\":\"closed\",\"executed\":1}\n")
      return script.conclude(.exited(ok ? 0 : 1)).outcomes["M.C/a"]
    }
    let failed = try #require(outcome(ok: false))
    #expect(failed.verdict == .failed)
    #expect(failed.limitSigns == [.files, .full(folder: "/tmp")])
    let passed = try #require(outcome(ok: true))
    #expect(passed.verdict == .passed && passed.issues.isEmpty && passed.limitSigns.isEmpty)
  }
}
