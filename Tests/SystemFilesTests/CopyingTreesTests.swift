import Glibc
import SystemFiles
import TestSupport
import Testing

@Suite struct CopyingTreesTests {
  @Test func everythingIsCopiedAsItIs() throws {
    let folder = try TemporaryFolder(name: "ä b")
    let (source, target) = (folder.path(of: "source"), folder.path(of: "target"))
    try makeFolders("\(source)/empty")
    try makeFolders("\(source)/closed")
    try writeSmallFile("\(source)/closed/file", [1, 2, 3], mode: 0o640)
    chmod("\(source)/closed/file", 0o4750)
    chmod("\(source)/closed", 0o500)
    #expect(symlink("../nowhere", "\(source)/link") == 0)
    #expect(mkfifo("\(source)/fifo", 0o600) == 0)
    // A name that is no UTF-8.
    let odd = Array("\(source)/".utf8) + [0xFF, 0x80]
    withPath(odd) { path in #expect(close(open(path, O_CREAT | O_WRONLY, 0o600)) == 0) }
    let past = [timespec(tv_sec: 1000, tv_nsec: 5), timespec(tv_sec: 2000, tv_nsec: 7)]
    #expect(utimensat(AT_FDCWD, "\(source)/closed/file", past, 0) == 0)

    try copyTree(source, to: target)

    #expect(readSmallFile("\(target)/closed/file") == [1, 2, 3])
    var status = stat()
    #expect(stat("\(target)/closed/file", &status) == 0)
    #expect(status.permissions == 0o4750)
    #expect(status.st_mtim.tv_sec == 2000 && status.st_mtim.tv_nsec == 7)
    #expect(stat("\(target)/closed", &status) == 0 && status.permissions == 0o500)
    #expect(stat("\(target)/empty", &status) == 0 && status.isFolder)
    #expect(lstat("\(target)/link", &status) == 0 && status.isLink)
    #expect(lstat("\(target)/fifo", &status) != 0)
    withPath(Array("\(target)/".utf8) + [0xFF, 0x80]) { path in
      #expect(access(path, F_OK) == 0)
    }
  }

  @Test func holesStayHoles() throws {
    let folder = try TemporaryFolder()
    let (source, target) = (folder.path(of: "source"), folder.path(of: "target"))
    let file = open(source, O_CREAT | O_RDWR, 0o600)
    pwrite(file, "begin", 5, 0)
    pwrite(file, "middle", 6, 1 << 30)
    ftruncate(file, 1 << 40)
    close(file)
    try copyTree(source, to: target)
    var status = stat()
    #expect(stat(target, &status) == 0)
    #expect(status.st_size == 1 << 40 && status.st_blocks < 1000)
    let copy = open(target, O_RDONLY)
    defer { close(copy) }
    var bytes = [UInt8](repeating: 1, count: 16)
    #expect(pread(copy, &bytes, 16, (1 << 30) - 2) == 16)
    #expect(bytes == [0, 0] + Array("middle".utf8) + [UInt8](repeating: 0, count: 8))
    #expect(pread(copy, &bytes, 5, 0) == 5 && bytes.prefix(5) == Array("begin".utf8)[...])
  }

  @Test func whatCannotBeCopiedIsAnError() throws {
    let folder = try TemporaryFolder()
    #expect(throws: FileError.self) {
      try copyTree(folder.path(of: "nothing"), to: folder.path(of: "x"))
    }
    try makeFolders(folder.path(of: "a"))
    try makeFolders(folder.path(of: "b"))
    let error = #expect(throws: FileError.self) {
      try copyTree(folder.path(of: "a"), to: folder.path(of: "b"))
    }
    #expect(error?.code == .unwritable && error?.errorNumber == EEXIST)
  }
}
