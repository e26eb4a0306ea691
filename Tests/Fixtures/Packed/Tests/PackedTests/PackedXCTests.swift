import Foundation
import Greeter
import XCTest

/// What tests need besides their executable.
final class PackedXCTests: XCTestCase {
  func testResource() throws {
    let url = try XCTUnwrap(
      Bundle.module.url(forResource: "text", withExtension: "txt", subdirectory: "Resources"))
    XCTAssertEqual(try String(contentsOf: url, encoding: .utf8), "resource\n")
    print("resource at \(url.path)")
  }

  func testLibrary() { XCTAssertEqual(greeting("test"), "Hello, test!") }

  func testProgram() throws {
    let own = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
    let process = Process()
    process.executableURL = URL(filePath: own).deletingLastPathComponent().appending(path: "greet")
    let pipe = Pipe()
    process.standardOutput = pipe
    try process.run()
    let output = try pipe.fileHandleForReading.readToEnd() ?? Data()
    process.waitUntilExit()
    XCTAssertEqual(String(decoding: output, as: UTF8.self), "Hello, program!\n")
  }

  func testFileByRelativePath() throws {
    XCTAssertEqual(try String(contentsOfFile: "Data/table.txt", encoding: .utf8), "included\n")
    print("in \(FileManager.default.currentDirectoryPath)")
  }

  func testFileBesideTheSource() throws {
    let url = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().appending(path: "Data/table.txt")
    XCTAssertEqual(try String(contentsOf: url, encoding: .utf8), "included\n")
  }

  func testWritesToTheWritableFolder() throws {
    let path = "Data/written-\(ProcessInfo.processInfo.processIdentifier)"
    try "x".write(toFile: path, atomically: false, encoding: .utf8)
    try FileManager.default.removeItem(atPath: path)
  }

  func testFails() { XCTAssertEqual(greeting("failure"), "nothing") }
}
