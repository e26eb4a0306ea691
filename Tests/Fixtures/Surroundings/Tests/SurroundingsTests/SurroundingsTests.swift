import Foundation
import Testing
import XCTest

/// What the caller wants to be done: words between spaces in `CARREL_TEST_ACTION`.
private var action: String { ProcessInfo.processInfo.environment["CARREL_TEST_ACTION"] ?? "" }

/// Tests that do what the caller says, by themselves or by a child, and fail when that fails.
final class SurroundingsXCTests: XCTestCase {
  func testDoesItself() {
    let words = action.split(separator: " ").map { String($0) }
    XCTAssertEqual(act(words[0], Array(words.dropFirst())), 0, "\(action) failed")
  }

  /// The action is a script for the shell.
  func testLetsAChildDoIt() throws {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/bin/sh")
    process.arguments = ["-c", action]
    try process.run()
    process.waitUntilExit()
    XCTAssertEqual(process.terminationStatus, 0, "\(action) failed")
  }

  /// Reads what a child says, and waits until nobody can say anything more.
  func testReadsAPipe() throws {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/bin/sh")
    process.arguments = ["-c", action]
    let pipe = Pipe()
    process.standardOutput = pipe
    try process.run()
    print("read \(pipe.fileHandleForReading.readDataToEndOfFile().count) bytes")
  }

  /// Leaves the process to a child of a child, which has the pipe of the test.
  func testWaitsForItsChildOnly() throws {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/bin/sh")
    process.arguments = ["-c", action]
    process.standardOutput = Pipe()
    try process.run()
    process.waitUntilExit()
  }

  func testPasses() {}
}

@Test func doesItself() {
  let words = action.split(separator: " ").map { String($0) }
  #expect(act(words[0], Array(words.dropFirst())) == 0, "\(action) failed")
}

/// - Returns: 0 when it worked.
private func act(_ verb: String, _ words: [String]) -> Int32 {
  switch verb {
  case "write": return write(words[0], megabytes: Int(words[1]) ?? 1)
  case "many": return writeMany(words[0], megabytes: Int(words[1]) ?? 1)
  case "memory": return take(megabytes: Int(words[0]) ?? 1)
  case "files": return openFiles(Int(words[0]) ?? 1)
  case "processes": return startProcesses(Int(words[0]) ?? 1)
  case "wait": while true { sleep(3600) }
  case "exists": return FileManager.default.fileExists(atPath: words[0]) ? 0 : 1
  case "access": return access(words[0], R_OK)
  case "make": return mkdir(words[0], 0o755)
  case "move": return rename(words[0], words[1])
  case "unlink": return unlink(words[0])
  case "list":
    guard let folder = opendir(words[0]) else { return 1 }
    return closedir(folder)
  case "run":
    let process = Process()
    process.executableURL = URL(fileURLWithPath: words[0])
    return (try? process.run()) == nil ? 1 : 0
  case "connect", "bind": return local(verb, words[0])
  case "reach": return reach(words[0], UInt16(words[1]) ?? 0)
  case "resolve":
    var result: UnsafeMutablePointer<addrinfo>?
    return getaddrinfo(words[0], nil, nil, &result)
  case "home":
    // As programs look for models that were fetched before.
    let caches = FileManager.default.urls(for: .cachesDirectory, in: .userDomainMask)[0].path
    let found = [NSHomeDirectory() + "/.cache", caches].map {
      (try? String(contentsOfFile: $0 + "/\(words[0])", encoding: .utf8)) ?? "nothing"
    }
    print("home: \(found[0]), caches: \(found[1])")
    let wrote = (try? "new".write(
      toFile: NSHomeDirectory() + "/.cache/\(words[0])-new", atomically: false, encoding: .utf8))
    print("wrote: \(wrote != nil)")
    return words.count > 1 ? 1 : 0
  default: return 2
  }
}

private func write(_ path: String, megabytes: Int) -> Int32 {
  let file = open(path, O_CREAT | O_WRONLY | O_TRUNC, 0o600)
  guard file >= 0 else { return 1 }
  defer { close(file) }
  let piece = [UInt8](repeating: 1, count: 1 << 20)
  for _ in 0..<megabytes where write(file, piece, piece.count) != piece.count { return 1 }
  return 0
}

/// Small files that stay, and then some time in which somebody can look at them.
private func writeMany(_ folder: String, megabytes: Int) -> Int32 {
  for number in 0..<megabytes where write("\(folder)/\(number)", megabytes: 1) != 0 { return 1 }
  while true { sleep(3600) }
}

private func take(megabytes: Int) -> Int32 {
  var kept: [UnsafeMutableRawPointer] = []
  for _ in 0..<megabytes {
    guard let piece = malloc(1 << 20) else { return 1 }
    memset(piece, 7, 1 << 20)
    kept.append(piece)
  }
  for piece in kept { free(piece) }
  return 0
}

private func openFiles(_ count: Int) -> Int32 {
  var descriptors: [Int32] = []
  defer { for descriptor in descriptors { close(descriptor) } }
  for _ in 0..<count {
    let descriptor = open("/dev/null", O_RDONLY)
    guard descriptor >= 0 else { return 1 }
    descriptors.append(descriptor)
  }
  return 0
}

private func startProcesses(_ count: Int) -> Int32 {
  var children: [pid_t] = []
  defer {
    for child in children {
      kill(child, SIGKILL)
      waitpid(child, nil, 0)
    }
  }
  let words: [UnsafeMutablePointer<CChar>?] = [strdup("/bin/sleep"), strdup("3600"), nil]
  for _ in 0..<count {
    var child: pid_t = 0
    guard posix_spawn(&child, "/bin/sleep", nil, nil, words, environ) == 0 else { return 1 }
    children.append(child)
  }
  return 0
}

/// A UNIX socket with a path.
private func local(_ verb: String, _ path: String) -> Int32 {
  var address = sockaddr_un()
  address.sun_family = sa_family_t(AF_UNIX)
  withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8.prefix(100)) }
  let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
  defer { close(descriptor) }
  return withUnsafePointer(to: &address) {
    $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
      let size = socklen_t(MemoryLayout<sockaddr_un>.size)
      return verb == "bind" ? bind(descriptor, $0, size) : connect(descriptor, $0, size)
    }
  }
}

private func reach(_ host: String, _ port: UInt16) -> Int32 {
  var address = sockaddr_in()
  address.sin_family = sa_family_t(AF_INET)
  address.sin_port = port.bigEndian
  inet_pton(AF_INET, host, &address.sin_addr)
  let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
  defer { close(descriptor) }
  return withUnsafePointer(to: &address) {
    $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
      connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
    }
  }
}
