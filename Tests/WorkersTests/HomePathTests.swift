import Testing

@testable import Workers

/// Paths in the home folder of the user and in that of a container.
@Suite struct HomePathTests {
  @Test(arguments: [
    (".cache/models", ".cache/models"), ("./.cache//models/", ".cache/models"),
    ("~/.netrc", ".netrc"), ("/home/ä b/x/y", "x/y"), ("/home/ä bc/x", nil), ("/home/ä b", nil),
    ("", nil), (".", nil), ("~", nil), ("..", nil), ("a/../b", nil), ("/etc", nil), ("~/", nil),
  ])
  func namesAreRelative(path: String, name: String?) {
    #expect(HomePath.name(of: path, in: "/home/ä b") == name)
  }

  @Test func xdgFoldersHaveTwoPlaces() {
    #expect(
      HomePath.namesInside(ofOutside: ".cache/m/a") == [".cache/m/a", "Library/Caches/m/a"])
    #expect(HomePath.namesInside(ofOutside: ".cache") == [".cache"])
    #expect(HomePath.namesInside(ofOutside: ".ssh/id") == [".ssh/id"])
    #expect(
      HomePath.namesOutside(ofInside: "Library/Preferences/x") == [
        "Library/Preferences/x", ".config/x",
      ])
  }

  @Test(arguments: [
    (".netrc", ".netrc"), (".ssh/id", ".ssh"), (".cache/m/a/b", ".cache/m"),
    (".local/share/x/y", ".local/share/x"), ("models/a", "models"),
  ])
  func whatIsShownBelongsToOneProgram(name: String, shown: String) {
    #expect(HomePath.worthShowing(name) == shown)
  }

  @Test func containersKeepTheirOwnFolders() {
    for name in ["Documents", "Library", "Library/Caches", "Library/Application Support"] {
      #expect(Container.holdsOwnFolder(inHome: name))
    }
    for name in ["Library/Caches/m", ".cache", "Documents/a"] {
      #expect(!Container.holdsOwnFolder(inHome: name))
    }
  }
}
