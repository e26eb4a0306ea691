import Foundation
import XCTest

/// Tests that write down that they ran, of which one waits until a file is there.
final class GateXCTests: XCTestCase {
  func test1Passes() throws { try note(1) }

  func test2Fails() throws {
    try note(2)
    XCTFail("fails whenever it runs")
  }

  func test3Waits() throws {
    try note(3)
    let gate = try folder().appendingPathComponent("open").path
    while !FileManager.default.fileExists(atPath: gate) { usleep(10_000) }
  }

  func test4Passes() throws { try note(4) }

  private func folder() throws -> URL {
    let path = try XCTUnwrap(ProcessInfo.processInfo.environment["GATE_FOLDER"])
    return URL(fileURLWithPath: path)
  }

  /// Adds a line to a file.
  private func note(_ number: Int) throws {
    let file = fopen(try folder().appendingPathComponent("log").path, "a")
    fputs("\(number)\n", file)
    fclose(file)
  }
}
