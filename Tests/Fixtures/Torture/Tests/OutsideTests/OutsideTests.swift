import Foundation
import Testing
import XCTest

/// What a test finds, and is kept from, outside of its container.
final class OutsideXCTests: XCTestCase {
  /// A snapshot beside the source, as snapshot libraries write it.
  func testWritesSnapshot() throws {
    try "snapshot".write(
      toFile: URL(fileURLWithPath: #filePath).deletingLastPathComponent().path + "/snapshot.txt",
      atomically: true, encoding: .utf8)
  }

  /// Says what it sees beside its source, writes there, and fails.
  func testFailsInScratch() throws {
    let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().path
    let seen = [#filePath, folder + "/snapshot.txt"].map {
      FileManager.default.fileExists(atPath: $0)
    }
    print("sees itself: \(seen[0]), a snapshot: \(seen[1])")
    try testWritesSnapshot()
    XCTFail("on purpose")
  }

  func testWritesNowhereAndPasses() {
    XCTAssertLessThan(open("/usr/carrel-test", O_CREAT | O_WRONLY, 0o600), 0)
  }

  func testPrintsHomeOfChild() throws {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/getent")
    process.arguments = ["passwd", "\(getuid())"]
    try process.run()
    process.waitUntilExit()
  }

  func testPrintsWhatItSees() throws {
    print("home: \(NSHomeDirectory())")
    print("temporary: \(NSTemporaryDirectory())")
    print("working: \(FileManager.default.currentDirectoryPath)")
    print("processes: \(try processes().count)")
    print("interfaces: \(try interfaces())")
    var info = statvfs()
    print("read-only: \(statvfs("/", &info) == 0 && info.f_flag & 1 != 0)")
  }

  func testReadsWhatIsNotSeen() throws {
    let path = try XCTUnwrap(ProcessInfo.processInfo.environment["CARREL_TEST_UNSEEN"])
    XCTAssertThrowsError(try String(contentsOfFile: path + "-not/a", encoding: .utf8))
    XCTAssertEqual(try String(contentsOfFile: path + "/a.txt", encoding: .utf8), "text")
  }

  /// What must not depend on how the process was started; one line each, then one per mount.
  func testPrintsItsSurroundings() throws {
    let status = try String(contentsOfFile: "/proc/self/status", encoding: .utf8)
    let names = [
      "Uid", "Gid", "Groups", "NSpid", "NSpgid", "NSsid", "Umask", "NoNewPrivs", "Seccomp",
    ]
    // SigQ counts the signals that wait for all processes of the user.
    for line in status.split(separator: "\n")
    where !line.hasPrefix("SigQ")
      && (line.hasPrefix("Cap") || line.hasPrefix("Sig") || line.hasPrefix("Shd")
        || names.contains(where: { line.hasPrefix($0 + ":") }))
    {
      print(line.replacingOccurrences(of: "\t", with: " "))
    }
    print("parent: \(getppid() <= 1), processes: \(try processes().count)")
    for descriptor in 0..<3 {
      let link = try FileManager.default.destinationOfSymbolicLink(
        atPath: "/proc/self/fd/\(descriptor)")
      print("\(descriptor): \(link.prefix { $0 != "[" })")
    }
    print("working: \(FileManager.default.currentDirectoryPath), interfaces: \(try interfaces())")
    for (name, value) in ProcessInfo.processInfo.environment.sorted(by: { $0.key < $1.key })
    where !["CARREL_RUN_ID", "CARREL_SCOPE"].contains(name) {
      print("\(name)=\(value)")
    }
    // ID, parent's ID and device differ, and so does the folder of the run.
    let mounts = try String(contentsOfFile: "/proc/self/mountinfo", encoding: .utf8)
    for line in mounts.split(separator: "\n") {
      let fields = line.split(separator: " ")
      print("mount: \(fields[4...].joined(separator: " "))")
    }
  }

  /// A namespace for users of its own, and a socket to the hypervisor.
  func testPrintsWhatIsForbidden() throws {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/unshare")
    process.arguments = ["--user", "--map-root-user", "true"]
    process.standardError = FileHandle.nullDevice
    try process.run()
    process.waitUntilExit()
    let descriptor = socket(40, Int32(SOCK_STREAM.rawValue), 0)
    let isUnknown = descriptor < 0 && errno == EAFNOSUPPORT
    if descriptor >= 0 { close(descriptor) }
    print("users: \(process.terminationStatus != 0), hypervisor: \(isUnknown)")
  }

  /// 30 characters more than the folders have (unix(7) allows 107 bytes).
  func testBindsSocketsInItsFolders() {
    for folder in [NSHomeDirectory(), ProcessInfo.processInfo.environment["TMPDIR"] ?? ""] {
      let path = folder + "/" + String(repeating: "s", count: 30)
      var address = sockaddr_un()
      address.sun_family = sa_family_t(AF_UNIX)
      let size = MemoryLayout.size(ofValue: address.sun_path)
      XCTAssertLessThan(path.utf8.count, size)
      withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8.prefix(size)) }
      let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
      defer { close(descriptor) }
      let result = withUnsafePointer(to: &address) {
        $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
          bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
        }
      }
      XCTAssertEqual(result, 0, "\(path): \(String(cString: strerror(errno)))")
    }
  }

  /// One that has left session, environment and parent.
  func testLeavesADaemon() {
    let words = ["/usr/bin/setsid", "-f", "env", "-i", "/bin/sleep", "299"]
    let arguments = words.map { strdup($0) } + [nil]
    var process: pid_t = 0
    XCTAssertEqual(posix_spawn(&process, words[0], nil, nil, arguments, environ), 0)
    var status: Int32 = 0
    XCTAssertEqual(waitpid(process, &status, 0), process)
  }

  private func processes() throws -> [Int] {
    try FileManager.default.contentsOfDirectory(atPath: "/proc").compactMap { Int($0) }
  }

  private func interfaces() throws -> String {
    try String(contentsOfFile: "/proc/net/dev", encoding: .utf8).split(separator: "\n").dropFirst(2)
      .compactMap { $0.split(separator: ":").first?.trimmingCharacters(in: .whitespaces) }
      .sorted().joined(separator: " ")
  }
}

@Test func writesSnapshot() throws {
  try "snapshot".write(
    toFile: URL(fileURLWithPath: #filePath).deletingLastPathComponent().path + "/snapshot2.txt",
    atomically: false, encoding: .utf8)
}
