import Testing

@testable import CarrelCLI

/// Paths of a run on another machine, or in another folder.
struct ReproPathTests {
  @Test(arguments: [
    ("/a/Tests/x", "/a", "/b c", "/b c/Tests/x"), ("/a", "/a", "/b", "/b"),
    ("/a/clöne/日本/x", "/a/clöne", "/b", "/b/日本/x"), ("/ab/x", "/a", "/b", "/ab/x"),
    ("/elsewhere", "/a", "/b", "/elsewhere"), ("/a/x", "", "/b", "/a/x"),
  ])
  func pathsMoveWithTheirFolder(path: String, old: String, new: String, moved: String) {
    #expect(ReproCommand.moved(path, from: old, to: new) == moved)
  }
}
