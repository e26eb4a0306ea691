import Foundation
import Testing
import XCTest

/// Tests that fail because of what earlier tests of their process have left.
final class CompanyXCTests: XCTestCase {
  nonisolated(unsafe) private static var cache: [String: Int] = [:]

  /// Leaves a file, and something in memory.
  func test1SavesADraft() throws {
    try Data("draft".utf8).write(to: documents().appendingPathComponent("draft.txt"))
    Self.cache["draft"] = 1
    XCTAssertEqual(Self.cache.count, 1)
  }

  /// Dirty container: somebody else's file.
  func test2StartsWithoutDocuments() throws {
    let names = try FileManager.default.contentsOfDirectory(atPath: documents().path)
    XCTAssertEqual(names.sorted(), [])
  }

  /// Depends on the order: what is in memory.
  func test3StartsWithAnEmptyCache() {
    XCTAssertEqual(Self.cache, [:])
  }

  /// So that a container at its end is not as the tests before this one have found it.
  func test4SavesAnotherDraft() throws {
    try Data("draft".utf8).write(to: documents().appendingPathComponent("other.txt"))
  }
}

@Suite(.serialized) struct CompanyTests {
  /// Leaves defaults, and another working folder.
  @Test func a_changesSettings() {
    UserDefaults.standard.set("dark", forKey: "theme")
    #expect(UserDefaults.standard.synchronize())
    #expect(FileManager.default.changeCurrentDirectoryPath(documents().path))
  }

  /// Dirty container: somebody else's defaults.
  @Test func b_hasTheDefaultTheme() {
    #expect(UserDefaults.standard.string(forKey: "theme") == nil)
  }

  /// Depends on the order: the folder of the process.
  @Test func c_isInThePackage() {
    #expect(FileManager.default.fileExists(atPath: "Package.swift"))
  }
}
