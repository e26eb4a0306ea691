import RunModel
import SwiftTests
import Testing

@Suite struct SwiftVersionFileTests {
  private func requirement(_ text: String) throws -> ToolchainRequirement {
    try SwiftVersionFile(path: "/p/.swift-version", content: Array(text.utf8)).requirement
  }

  @Test(arguments: [
    ("6.3.1", ToolchainRequirement.release(SwiftVersion([6, 3, 1]))),
    ("swift-6.3.1-RELEASE", .release(SwiftVersion([6, 3, 1]))),
    ("swift-6.3-RELEASE", .release(SwiftVersion([6, 3]))),
    ("6.3.0", .release(SwiftVersion([6, 3]))), ("6.3", .newestRelease([6, 3])),
    ("6", .newestRelease([6])), ("latest", .newestRelease([])),
    ("main-snapshot", .snapshot(branch: nil, day: nil)),
    ("main-snapshot-2026-01-31", .snapshot(branch: nil, day: "2026-01-31")),
    ("6.3-snapshot", .snapshot(branch: "6.3", day: nil)),
    ("6.3-snapshot-2026-01-31", .snapshot(branch: "6.3", day: "2026-01-31")),
    ("swift-DEVELOPMENT-SNAPSHOT-2026-01-31-a", .snapshot(branch: nil, day: "2026-01-31")),
    ("swift-6.3-DEVELOPMENT-SNAPSHOT-2026-01-31-a", .snapshot(branch: "6.3", day: "2026-01-31")),
  ]) func everySpellingHasOneMeaning(text: String, meaning: ToolchainRequirement) throws {
    #expect(try requirement(text) == meaning)
    // What stands around it does not count.
    for content in [
      "\(text)\n", "\(text)\r\n", "\n\n  \t\(text)  \n\n", "# pinned\n\(text) # why\n",
      "\u{FEFF}\(text)\r\n# end", "#\r\n\r\n\(text)",
    ] {
      #expect(try requirement(content) == meaning, "\(content.debugDescription)")
    }
  }

  @Test(arguments: [
    ("", "names no version"), ("\n", "names no version"), ("# 6.3.1\r\n", "names no version"),
    ("6.3.1\n6.2\n", "names 2 versions"), ("6.3.1 6.2", "'6.3.1 6.2'"), ("six", "'six'"),
    ("6.3.1.2", "'6.3.1.2'"), ("6.3-dev", "'6.3-dev'"), ("snapshot", "'snapshot'"),
    ("swift-6.3.1", "'swift-6.3.1'"), ("main-snapshot-2026", "'main-snapshot-2026'"),
    ("-snapshot", "'-snapshot'"), ("6-snapshot", "'6-snapshot'"), ("swift--RELEASE", "'swift-"),
    ("swift-x-DEVELOPMENT-SNAPSHOT-2026-01-31-a", "'swift-x-"), ("\0", "no version of Swift"),
  ]) func otherTextsAreErrors(text: String, reason: String) {
    let error = #expect(throws: SwiftTestsError.self) { try requirement(text) }
    #expect(error?.code == .invalidToolchainRequest)
    #expect(error?.message.hasPrefix("/p/.swift-version ") == true)
    #expect(error?.message.contains(reason) == true, "\(error?.message ?? "")")
  }

  @Test func bytesThatAreNoText() {
    #expect(throws: SwiftTestsError.self) {
      try SwiftVersionFile(path: "/p/.swift-version", content: [0xFF, 0xFE, 0x36])
    }
  }

  @Test func releasesAreMetByTheirNumbers() throws {
    let version = try #require(
      SwiftVersion(describedBy: "Swift version 6.3.1 (swift-6.3.1-RELEASE)"))
    func isMet(_ text: String, in folder: String = "/opt/swift-6.3.1/usr/bin") throws -> Bool {
      try requirement(text).isMet(by: version, in: folder)
    }
    for text in ["6.3.1", "6.3", "6", "latest", "swift-6.3.1-RELEASE"] {
      #expect(try isMet(text), "\(text)")
    }
    for text in ["6.3.0", "6.2", "6.3.2", "5", "main-snapshot", "6.3-snapshot"] {
      #expect(try !isMet(text), "\(text)")
    }
  }

  /// What `swift --version` says of a snapshot has no day; its folder has.
  @Test func snapshotsAreMetByTheirFolders() throws {
    let version = try #require(SwiftVersion(parsing: "6.4-dev"))
    for folder in [
      "/h/toolchains/main-snapshot-2026-01-31/usr/bin",
      "/opt/swift-DEVELOPMENT-SNAPSHOT-2026-01-31-a-debian12/usr/bin",
      "/opt/swift-DEVELOPMENT-SNAPSHOT-2026-01-31-a/usr/bin",
    ] {
      for text in ["main-snapshot", "main-snapshot-2026-01-31"] {
        #expect(try requirement(text).isMet(by: version, in: folder), "\(folder)")
      }
      for text in ["main-snapshot-2026-01-30", "6.4-snapshot", "latest", "6.4"] {
        #expect(try !requirement(text).isMet(by: version, in: folder), "\(folder)")
      }
      #expect(ToolchainRequirement.day(ofSnapshotIn: folder) == "2026-01-31")
    }
    #expect(ToolchainRequirement.day(ofSnapshotIn: "/opt/swift-6.3.1/usr/bin") == nil)
  }
}
