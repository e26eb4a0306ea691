import Glibc
import TestSupport
import Testing
import Workers

@testable import SwiftTests

/// What is made of the words of programs.
@Suite struct SpokenErrorsTests {
  @Test(arguments: [
    ("touch: cannot touch '/src/a b/x': Read-only file system", ["/src/a b/x"]),
    ("sh: 1: cannot create /src/x: Read-only file system", ["/src/x"]),
    ("/bin/sh: 1: cannot open /tmp/f/a: No such file", ["/bin/sh", "/tmp/f/a"]),
    ("Error {NSFilePath=/src/x, NSUnderlyingError=1 \"Read-only file system\"}", ["/src/x"]),
    ("mv: cannot move \u{2018}/a\u{2019} to \u{2018}/b/c\u{2019}: no", ["/a", "/b/c"]),
    ("see https://example.com/a and relative/path", []), ("/", []), ("", []),
    ("open(\"/tmp/x.json\") failed.", ["/tmp/x.json"]),
  ])
  func pathsAreFound(line: String, paths: [String]) {
    #expect(SpokenErrors.paths(in: line[...]) == paths)
  }

  @Test(arguments: [
    ("sh: 1: cannot open /dev/null: Too many open files", LimitSign.files),
    ("head: error writing 'standard output': No space left on device", .space),
    ("File size limit exceeded (core dumped)", .fileSize), ("sh: 0: Cannot fork", .processes),
    ("sh: fork: Resource temporarily unavailable", .processes),
    ("Cannot allocate memory", .memory),
  ])
  func limitsAreFound(line: String, sign: LimitSign) {
    #expect(SpokenErrors(in: ["first\n\(line)\nlast"]).limitSigns == [sign])
    #expect(SpokenErrors(in: ["nothing of the kind"]).limitSigns.isEmpty)
  }

  /// What a child could not write to or find, and what it could not reach.
  @Test func hintsFollowFromWords() throws {
    let folder = try TemporaryFolder(in: "/var/tmp")
    let surroundings = TestSurroundings(
      network: .loopback, container: Container(root: "/w/1", view: "/tmp/carrel"), userHome: nil)
    let errors = SpokenErrors(in: [
      "/bin/sh: 1: cannot create /usr/x: Read-only file system",
      "cat: \(folder.path): No such file or directory\n"
        + "cat: \(folder.path)-not: No such file or directory\n"
        + "cat: /usr/none: No such file or directory",
      "curl: (6) Could not resolve host: example.com",
    ])
    let hints = surroundings.hints(for: errors)
    #expect(hints.count == 3, "\(hints)")
    #expect(hints[0].contains("could not write to '/usr/x'"))
    #expect(hints[1].contains("did not find '\(folder.path)'"))
    #expect(hints[2].contains("'--network host'"))
    // With nothing that is kept away nothing is explained.
    let free = TestSurroundings(
      network: nil, container: Container(root: "/w/1"), userHome: nil)
    #expect(free.hints(for: errors).isEmpty)
  }
}
