import Foundation
import Testing
import XCTest

/// Failures that the test itself records.
final class AssertionXCTests: XCTestCase {
  func testSumOfCents() {
    XCTAssertEqual([0.1, 0.2].reduce(0, +), 0.3, "cents are no binary fractions")
  }

  /// The message of the error has the container's path.
  func testReadsSettings() throws {
    let settings = documents().appendingPathComponent("settings.json")
    _ = try Data(contentsOf: settings)
  }
}

@Suite struct AssertionTests {
  /// Sets have another order in each process.
  @Test func lettersOfAWord() {
    #expect(Set("carrel") == Set("career"))
  }

  /// One of four cases fails.
  @Test(arguments: ["localhost:80", "[::1]:443", "example.com", "10.0.0.1:8080"])
  func hasPort(address: String) throws {
    let port = try #require(address.split(separator: ":").dropFirst().last)
    #expect(Int(port) != nil)
  }
}

/// The folder of the user's documents, made when it is missing.
func documents() -> URL {
  let folder = FileManager.default.urls(for: .documentDirectory, in: .userDomainMask)[0]
  try? FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
  return folder
}
