import RunModel
import TestSupport
import Testing

@testable import SwiftTests

/// What a test is told that could not write, or did not find, something because of its sandbox.
struct RefusalTests {
  /// Also in a folder that is read-only and lies where each sandbox has a folder of its own.
  @Test(arguments: ["/var/tmp", "/tmp"]) func whatIsReadOnlyIsNamed(parent: String) throws {
    let folder = try TemporaryFolder(in: parent)
    let issue = BatchTranscript.explanation(ofRefusal: folder.path(of: "new.txt"))
    #expect(
      issue.message.hasPrefix("the test could not write to '\(folder.path(of: "new.txt"))', which"))
    #expect(issue.message.contains("allow it with --writable '\(folder.path)'"))
    #expect(issue.severity == .warning)
    let ofTheSystem = BatchTranscript.explanation(ofRefusal: "/etc/new.txt")
    #expect(
      ofTheSystem.message.hasSuffix(
        "allow it with --scratch '/etc' when what it writes may end with the batch"))
  }

  @Test func whatIsHiddenIsNamed() throws {
    let folder = try TemporaryFolder(in: "/var/tmp")
    let issue = try #require(BatchTranscript.explanation(ofUnseen: folder.path))
    #expect(
      issue.message
        == "the test did not find '\(folder.path)', because each sandbox has a /var/tmp of its "
        + "own; show it with --scratch '\(folder.path)', or with --writable '\(folder.path)' when "
        + "what tests write there shall stay")
    // It is not there for anybody.
    #expect(BatchTranscript.explanation(ofUnseen: folder.path(of: "missing")) == nil)
    #expect(BatchTranscript.explanation(ofUnseen: "/usr") == nil)
  }
}
