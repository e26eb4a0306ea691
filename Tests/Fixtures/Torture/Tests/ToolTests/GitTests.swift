import XCTest

/// What tests of tools that use git do: a repository for the moment, with a commit.
final class GitXCTests: XCTestCase {
  func testCommitsInARepositoryOfItsOwn() throws {
    let folder = try makeFolder()
    try "text".write(
      to: folder.appendingPathComponent("file.txt"), atomically: true, encoding: .utf8)
    let commands = [
      ["init"], ["add", "."],
      ["-c", "user.name=Test", "-c", "user.email=test@example.com", "commit", "-m", "first"],
    ]
    for command in commands {
      let output = try runTool("git", command, in: folder)
      XCTAssertEqual(output.status, 0, "git \(command[0]): \(output.text)")
    }
    let log = try runTool("git", ["--git-dir", ".git", "log", "--format=%s"], in: folder)
    XCTAssertEqual(log.text, "first\n")
  }
}
