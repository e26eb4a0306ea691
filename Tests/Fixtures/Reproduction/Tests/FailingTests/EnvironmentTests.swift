import Foundation
import Testing
import XCTest

/// Failures that come from where the test runs.
final class EnvironmentXCTests: XCTestCase {
  /// A variable that is passed: somebody's decimal comma.
  func testPriceIsANumber() {
    let separator = ProcessInfo.processInfo.environment["REPRODUCTION_SEPARATOR"] ?? "."
    XCTAssertEqual(Double("9\(separator)99"), 9.99)
  }

  /// The mask of new files.
  func testReportIsReadableForAll() throws {
    let path = documents().appendingPathComponent("report.txt").path
    XCTAssertTrue(FileManager.default.createFile(atPath: path, contents: nil))
    var status = stat()
    XCTAssertEqual(stat(path, &status), 0)
    XCTAssertEqual(String(status.st_mode & 0o777, radix: 8), "644")
  }

  /// A folder that is no test's own: the package.
  func testSavesASnapshot() throws {
    let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    try Data().write(to: folder.appendingPathComponent("snapshot.txt"))
  }

  /// A process that the test starts leaves with an error.
  func testConverterSucceeds() throws {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/bin/sh")
    process.arguments = ["-c", "echo 'no such format: heic' >&2; exit 3"]
    try process.run()
    process.waitUntilExit()
    XCTAssertEqual(process.terminationStatus, 0, "the converter failed")
  }

  /// A process that the test starts is still there when it ends.
  func testStopsItsServer() throws {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/bin/sleep")
    process.arguments = ["1000"]
    try process.run()
    XCTAssertTrue(process.isRunning)
  }

  /// A file that is larger than the limit.
  func testWritesAVideo() throws {
    let path = documents().appendingPathComponent("video").path
    let file = open(path, O_CREAT | O_WRONLY, 0o600)
    XCTAssertGreaterThanOrEqual(file, 0)
    let piece = [UInt8](repeating: 1, count: 1 << 20)
    for _ in 0..<64 { XCTAssertEqual(write(file, piece, piece.count), piece.count) }
    close(file)
  }
}

@Suite(.serialized) struct EnvironmentTests {
  /// The time zone, which is passed.
  @Test func noonIsOnTheSameDay() {
    var calendar = Calendar(identifier: .gregorian)
    calendar.timeZone = .current
    let noon = Date(timeIntervalSince1970: 43_200)
    #expect(calendar.component(.day, from: noon) == 1)
  }

  /// The number of the worker, from which ports and names of databases are made.
  @Test func hasTheDatabaseForItself() {
    let variables = ProcessInfo.processInfo.environment
    let worker = variables["CARREL_WORKER"] ?? "1"
    let workers = variables["CARREL_WORKERS"] ?? "1"
    #expect("\(worker) of \(workers)" == "1 of 1")
  }
}
