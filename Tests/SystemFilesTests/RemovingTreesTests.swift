import Glibc
import SystemFiles
import TestSupport
import Testing

@Suite struct RemovingTreesTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder(prefix: "carrel-files-") }

  /// Makes a folder in a folder, again and again, without ever naming a path.
  private func makeChain(_ name: String, of count: Int, in path: String) throws {
    var current = try OwnedDescriptor(opening: path, O_RDONLY | O_DIRECTORY)
    for _ in 0..<count {
      #expect(mkdirat(current.number, name, 0o700) == 0)
      current = try OwnedDescriptor(at: current.number, Array(name.utf8), O_RDONLY | O_DIRECTORY)
    }
  }

  /// More levels than a process may have descriptors, or frames of a recursion on its stack.
  @Test func treeOfManyLevelsIsRemoved() throws {
    // Many file systems take a while to make so many folders; memory does not.
    let memory = access("/dev/shm", W_OK | X_OK) == 0 ? "/dev/shm" : nil
    let folder = try TemporaryFolder(prefix: "carrel-files-", in: memory)
    let tree = folder.path(of: "tree")
    try makeFolders(tree + "/wide/a/b")
    try makeChain("d", of: 100_000, in: tree)
    for name in 0..<50 { try writeSmallFile("\(tree)/wide/a/b/\(name)", []) }
    #expect(removeTree(tree) == nil)
    #expect(folderEntries(folder.path) == [])
  }

  @Test func namesAsLongAsTheyCanBeAreRemoved() throws {
    let tree = folder.path(of: "tree")
    try makeFolders(tree)
    try makeChain(String(repeating: "n", count: 255), of: 200, in: tree)
    #expect(removeTree(tree) == nil)
    #expect(folderEntries(folder.path) == [])
  }

  @Test func linksAreRemovedAndNotFollowed() throws {
    let (outside, tree) = (folder.path(of: "outside"), folder.path(of: "tree"))
    try makeFolders(outside)
    try makeFolders(tree + "/inside")
    try writeSmallFile(outside + "/kept", [1])
    symlink(outside, tree + "/inside/link")
    symlink("..", tree + "/inside/up")
    symlink(outside, folder.path(of: "root-link"))
    mkfifo(tree + "/fifo", 0o600)
    #expect(removeTree(tree) == nil)
    #expect(removeTree(folder.path(of: "root-link")) == nil)
    #expect(Set(folderEntries(folder.path) ?? []) == ["outside"])
    #expect(readSmallFile(outside + "/kept") == [1])
  }

  @Test func nothingIsNoFailure() {
    #expect(removeTree(folder.path(of: "none")) == nil)
    #expect(removeTree(folder.path(of: "none/below")) == nil)
  }

  @Test(arguments: [".", "..", "/"]) func whatHasNoNameIsRefused(name: String) throws {
    try writeSmallFile(folder.path(of: "kept"), [])
    let failure = removeTree(name == "/" ? name : folder.path(of: name))
    #expect(failure?.reason == SystemFailure(EINVAL))
    #expect(folderEntries(folder.path) == ["kept"])
  }

  /// Each thread has file permissions of its own; a test that waits would change its thread.
  @Test func closedFoldersOfTheUserAreOpened() throws {
    chmod(folder.path, 0o777)
    try asOrdinaryUser {
      let tree = folder.path(of: "tree")
      try makeFolders(tree + "/closed/below/further")
      try writeSmallFile(tree + "/closed/below/further/file", [])
      for path in ["/closed/below/further", "/closed/below", "/closed", ""] {
        #expect(chmod(tree + path, 0o000) == 0)
      }
      #expect(removeTree(tree) == nil)
    }
    #expect(folderEntries(folder.path) == [])
  }

  @Test(.enabled(if: geteuid() == 0, "needs files of another user"))
  func whatCannotBeRemovedIsCounted() throws {
    chmod(folder.path, 0o777)
    let tree = folder.path(of: "tree")
    try asOrdinaryUser { try makeFolders(tree + "/a/own") }
    try makeFolders(tree + "/a/foreign/deep")
    try writeSmallFile(tree + "/a/foreign/1", [])
    try writeSmallFile(tree + "/a/foreign/2", [])
    let failure = try asOrdinaryUser { () throws -> RemovalFailure? in removeTree(tree) }
    #expect(failure?.count == 3)
    #expect(failure?.reason == SystemFailure(EACCES))
    #expect(failure?.path.hasPrefix(tree + "/a/foreign/") == true)
    let text = failure.map { "\($0)" } ?? ""
    #expect(text == "cannot remove '\(failure?.path ?? "")' and 2 more: Permission denied")
    #expect(folderEntries(tree + "/a") == ["foreign"])
  }

  @Test(.enabled(if: geteuid() == 0, "mounting needs root"))
  func aMountIsNotEntered() async throws {
    let tree = folder.path(of: "tree")
    try makeFolders(tree + "/mount")
    let mount = try await runProcess(["/bin/mount", "-t", "tmpfs", "none", tree + "/mount"])
    try #require(mount.status == 0, "\(mount.allText)")
    try writeSmallFile(tree + "/mount/kept", [1])
    try writeSmallFile(tree + "/gone", [1])
    let failure = removeTree(tree)
    #expect(failure?.path == tree + "/mount")
    #expect(failure?.reason == SystemFailure(EBUSY))
    #expect(failure?.count == 1)
    #expect(readSmallFile(tree + "/mount/kept") == [1])
    #expect(folderEntries(tree) == ["mount"])
    let end = try await runProcess(["/bin/umount", tree + "/mount"])
    #expect(end.status == 0)
    #expect(removeTree(tree) == nil)
  }

  @Test func anOpenFolderIsEmptied() throws {
    try makeFolders(folder.path(of: "a/b"))
    try writeSmallFile(folder.path(of: "a/b/file"), [])
    try writeSmallFile(folder.path(of: "file"), [])
    let root = try OwnedDescriptor(opening: folder.path, O_RDONLY | O_DIRECTORY)
    #expect(emptyFolder(root.number, path: folder.path) == nil)
    #expect(folderEntries(folder.path) == [])
  }
}
