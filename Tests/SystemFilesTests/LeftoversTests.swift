import Glibc
import TestSupport
import Testing

@testable import SystemFiles

@Suite struct LeftoversTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder(prefix: "carrel-files-") }

  private var names: [String] { (folderEntries(folder.path) ?? []).sorted() }

  @Test func whatAKilledProcessLeftIsRemoved() throws {
    let (file, tree) = (Leftovers.name(.file), Leftovers.name(.folder))
    try writeSmallFile(folder.path(of: file), [1])
    try makeFolders(folder.path(of: tree) + "/below")
    try writeSmallFile(folder.path(of: tree) + "/below/file", [1])
    // No process has this number: it is above the highest that Linux gives.
    symlink("somewhere", folder.path(of: ".carrel-999999999-0a1b.tmp"))
    Leftovers.remove(in: folder.path)
    #expect(names == [])
  }

  @Test func whatIsUnderWayStays() throws {
    do {
      var file = try TemporaryFile(beside: folder.path(of: "file"))
      let tree = try TemporaryDirectory(beside: folder.path(of: "tree"))
      symlink("somewhere", folder.path(of: ".carrel-\(getpid())-0a1b.tmp"))
      Leftovers.remove(in: folder.path)
      try file.rename(to: folder.path(of: "file"))
      try tree.rename(to: folder.path(of: "tree"))
    }
    #expect(names == [".carrel-\(getpid())-0a1b.tmp", "file", "tree"])
  }

  @Test func whatIsNotCompletedGoesAtOnce() throws {
    do {
      let file = try TemporaryFile(beside: folder.path(of: "file"))
      let tree = try TemporaryDirectory(beside: folder.path(of: "tree"))
      try writeSmallFile(tree.path + "/file", [])
      #expect(names == [lastComponent(of: file.name), lastComponent(of: tree.path)].sorted())
    }
    #expect(names == [])
  }

  @Test(arguments: [
    ".carrel-12-xyz.tmp", ".carrel-12-ab.log", ".carrel-0-ab.tmp", ".carrel-ab.tmp",
    ".carrel-12-ab.tmp.old", "carrel-12-ab.tmp", ".carrel--12-ab.tmp",
  ]) func otherNamesAreLeftAlone(name: String) throws {
    try writeSmallFile(folder.path(of: name), [1])
    Leftovers.remove(in: folder.path)
    #expect(names == [name])
  }

  @Test func somethingOfTheNameThatIsNoFileIsLeftAlone() throws {
    let name = Leftovers.name(.file)
    mkfifo(folder.path(of: name), 0o600)
    Leftovers.remove(in: folder.path)
    #expect(names == [name])
  }
}
