import Glibc
import SystemFiles
import TestSupport
import Testing

@Suite struct FilesTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder(prefix: "carrel-files-") }

  @Test func readingHasALimit() throws {
    let path = folder.path(of: "file")
    try writeSmallFile(path, [1, 2, 3])
    #expect(try readFile(path, maxBytes: 3) == [1, 2, 3])
    let error = #expect(throws: FileError.self) { try readFile(path, maxBytes: 2) }
    #expect(error?.code == .limit)
    #expect(error?.message == "'\(path)' is larger than 2 bytes")
  }

  @Test func aFifoDoesNotHoldUp() {
    let path = folder.path(of: "fifo")
    mkfifo(path, 0o600)
    #expect(readSmallFile(path) == [])
    #expect(readSmallFile(path, .regularFileOnly) == nil)
  }

  @Test func linksAreFollowedOnlyWhereTheyMayBe() throws {
    try writeSmallFile(folder.path(of: "file"), [1])
    symlink("file", folder.path(of: "link"))
    #expect(readSmallFile(folder.path(of: "link")) == [1])
    #expect(readSmallFile(folder.path(of: "link"), .regularFileOnly) == nil)
    #expect(readSmallFile(folder.path(of: "file"), .regularFileOnly) == [1])
  }

  @Test func errorsNameTheFileAndTheReason() {
    let path = folder.path(of: "none/file")
    let reading = #expect(throws: FileError.self) { try readFile(path, maxBytes: 1) }
    #expect(reading?.code == .notFound)
    #expect(reading.map { "\($0)" } == "cannot read '\(path)': No such file or directory")
    let writing = #expect(throws: FileError.self) { try writeFileAtomically([], to: path) }
    #expect(writing?.code == .unwritable)
    #expect(writing?.errorNumber == ENOENT)
    #expect(writing?.context == ["path": path])
  }

  @Test func anAtomicWriteReplacesTheFile() throws {
    let path = folder.path(of: "file")
    try writeFileAtomically([1], to: path, mode: 0o600)
    try writeFileAtomically([2], to: path, mode: 0o600)
    #expect(readSmallFile(path) == [2])
    #expect(folderEntries(folder.path) == ["file"])
  }

  @Test func aFileInTheWayOfAFolderIsAnError() throws {
    try writeSmallFile(folder.path(of: "file"), [])
    let error = #expect(throws: FileError.self) { try makeFolders(folder.path(of: "file")) }
    #expect(error?.errorNumber == ENOTDIR)
    try makeFolders(folder.path(of: "a/b/c"))
    try makeFolders(folder.path(of: "a/b/c"))
    #expect(folderEntries(folder.path(of: "a/b")) == ["c"])
  }

  @Test func pathsAreResolvedAsFarAsTheyExist() throws {
    try makeFolders(folder.path(of: "real"))
    symlink("real", folder.path(of: "link"))
    symlink("nowhere", folder.path(of: "dangling"))
    symlink("circle", folder.path(of: "circle"))
    #expect(resolvedPath(folder.path(of: "link/a/../b/./c")) == folder.path(of: "real/b/c"))
    #expect(resolvedPath(folder.path(of: "link")) == folder.path(of: "real"))
    #expect(resolvedPath(folder.path(of: "dangling/x")) == nil)
    #expect(resolvedPath(folder.path(of: "circle/x")) == nil)
    #expect(resolvedPath("/none/at/all") == "/none/at/all")
  }
}
