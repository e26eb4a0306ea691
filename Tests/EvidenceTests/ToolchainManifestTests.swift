import Evidence
import RunModel
import SystemFiles
import TestSupport
import Testing

@Suite struct ToolchainManifestTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder(name: "päckage x") }

  private func read(_ text: String) throws -> ToolchainManifest {
    let path = folder.path(of: ToolchainManifest.name)
    try writeSmallFile(path, Array(text.utf8))
    return try ToolchainManifest(readingFrom: path)
  }

  /// One line a fact, in the order of their names, whatever the order was in which they came.
  @Test func factsAreSortedLines() throws {
    let facts = ToolchainFacts(["target": "x\"y", "compiler.version": "6.3.1", "libc": "glibc/2"])
    let text = """
      {
        "format": "1.0",
        "facts": {
          "compiler.version": "6.3.1",
          "libc": "glibc/2",
          "target": "x\\"y"
        }
      }

      """
    #expect(String(decoding: try ToolchainManifest(facts: facts).bytes, as: UTF8.self) == text)
    #expect(try read(text).facts == facts)
  }

  @Test func newerMinorVersionsAreRead() throws {
    let manifest = try read(
      #"{"facts": {"new.fact": "x", "libc": "y"}, "format": "1.7", "more": [1]}"#)
    #expect(manifest.facts.values == ["new.fact": "x", "libc": "y"])
    #expect(manifest.facts.swiftVersion == nil)
  }

  @Test(arguments: [
    ("", "'format'"), ("[]", "'format'"), (#"{"facts": {}}"#, "'format'"),
    (#"{"format": "1.0"}"#, "'facts'"), (#"{"format": "1.0", "facts": {"a": 1}}"#, "'facts'"),
    (#"{"format": "2.0", "facts": {}}"#, "newer than 1.0"),
  ]) func otherFilesAreNamed(text: String, reason: String) throws {
    let error = #expect(throws: EvidenceError.self) { try read(text) }
    #expect(error?.code == .invalidManifest)
    #expect(error?.message.contains(reason) == true, "\(error?.message ?? "")")
    #expect(error?.message.contains(folder.path(of: ToolchainManifest.name)) == true)
  }

  @Test func missingFilesHaveTheirCode() {
    let error = #expect(throws: EvidenceError.self) {
      try ToolchainManifest(readingFrom: folder.path(of: "none.json"))
    }
    #expect(error?.code == .notFound)
    let unreadable = #expect(throws: EvidenceError.self) {
      try ToolchainManifest(readingFrom: folder.path)
    }
    #expect(unreadable?.code == .invalidManifest)
  }

  /// The examples of FIPS 180-4.
  @Test func digestsOfFiles() throws {
    let path = folder.path(of: "file")
    try writeSmallFile(path, Array("abc".utf8))
    #expect(
      try fileDigest(path)
        == "sha256:ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad")
    try writeSmallFile(path, Array(repeating: UInt8(ascii: "a"), count: 1_000_000 + (1 << 20)))
    let long = try fileDigest(path)
    try writeSmallFile(path, Array(repeating: UInt8(ascii: "a"), count: 1_000_000))
    #expect(
      try fileDigest(path)
        == "sha256:cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0")
    #expect(try fileDigest(path) != long)
    #expect(throws: EvidenceError.self) { try fileDigest(folder.path(of: "none")) }
  }
}
