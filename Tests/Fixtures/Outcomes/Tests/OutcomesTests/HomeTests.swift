import Foundation
import Testing
import XCTest

/// Tests that print where this process believes its user's data to live.
final class HomeXCTests: XCTestCase {
  func testPrintsHomes() throws {
    try printHomes()
  }

  func testPrintsEnvironment() throws {
    try printJSON(ProcessInfo.processInfo.environment)
  }

  /// Fails when the preferences of another test are visible, or get lost.
  func testOwnPreferences() {
    let store = UserDefaults.standard
    XCTAssertNil(store.string(forKey: "owner"), "found the preferences of another process")
    store.set("HomeXCTests", forKey: "owner")
    XCTAssertTrue(store.synchronize())
    XCTAssertEqual(store.string(forKey: "owner"), "HomeXCTests")
  }

  /// Fails when a socket's path in the temporary folder or in the home is too long.
  func testBindsSockets() throws {
    for folder in [FileManager.default.temporaryDirectory.path, NSHomeDirectory()] {
      let path = folder + (folder.hasSuffix("/") ? "" : "/") + "a-socket-with-thirty-letters.s"
      XCTAssertLessThanOrEqual(path.utf8.count, 107, "\(path) is too long for a socket")
      try bindSocket(path)
    }
  }
}

@Suite struct HomeTests {
  @Test func printsHomes() throws {
    try printHomes()
  }
}

/// Prints one line of JSON: the name of each question and the path that answers it.
private func printHomes() throws {
  let files = FileManager.default
  let defaults = UserDefaults.standard
  defaults.set("written", forKey: "OutcomesHome")
  _ = defaults.synchronize()
  var homes = [
    "NSHomeDirectory": NSHomeDirectory(),
    "homeDirectoryForCurrentUser": files.homeDirectoryForCurrentUser.path,
    "tilde": NSString(string: "~/x").expandingTildeInPath,
    "documents": userFolder(.documentDirectory).path,
    "caches": userFolder(.cachesDirectory).path,
    "applicationSupport": userFolder(.applicationSupportDirectory).path,
    "library": userFolder(.libraryDirectory).path,
    "temporaryDirectory": files.temporaryDirectory.path,
    "NSTemporaryDirectory": NSTemporaryDirectory(),
    "HOME": ProcessInfo.processInfo.environment["HOME"] ?? "",
  ]
  homes["homeDirectory(forUser:)"] = files.homeDirectory(forUser: NSUserName())?.path
  homes["NSHomeDirectoryForUser"] = NSHomeDirectoryForUser(NSUserName())
  try printJSON(homes)
}

/// The user's folder for a purpose, as Foundation answers it.
func userFolder(_ purpose: FileManager.SearchPathDirectory) -> URL {
  FileManager.default.urls(for: purpose, in: .userDomainMask).first
    ?? URL(fileURLWithPath: "/nowhere")
}

private func printJSON(_ values: [String: String]) throws {
  let encoder = JSONEncoder()
  encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
  print(String(decoding: try encoder.encode(values), as: UTF8.self))
}

/// Binds a UNIX socket and closes it again; the file stays.
private func bindSocket(_ path: String) throws {
  let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
  defer { close(descriptor) }
  var address = sockaddr_un()
  address.sun_family = sa_family_t(AF_UNIX)
  withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8.prefix(107)) }
  let result = withUnsafePointer(to: &address) {
    $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
      bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
    }
  }
  guard result == 0 else { throw FixtureError(text: "bind: \(String(cString: strerror(errno)))") }
}
