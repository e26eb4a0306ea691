import Glibc
import TestSupport
import Testing

@testable import SystemFiles

@Suite struct TreeCopyTests {
  private let folder: TemporaryFolder
  private var source: String { folder.path(of: "source") }
  private var target: String { folder.path(of: "target") }

  init() throws {
    folder = try TemporaryFolder(name: "ä b")
    for name in ["a", "part/b", "part/inner/c", "other/d"] {
      try makeFolders(SystemFiles.folder(of: "\(source)/\(name)"))
      try writeSmallFile("\(source)/\(name)", Array(name.utf8), mode: 0o640)
    }
    symlink("a", "\(source)/link")
    mkfifo("\(source)/fifo", 0o600)
    chmod("\(source)/other", 0o500)
    let past = [timespec(tv_sec: 1000, tv_nsec: 5), timespec(tv_sec: 2000, tv_nsec: 7)]
    for name in ["a", "part/inner", "part", "other", ""] {
      #expect(utimensat(AT_FDCWD, "\(source)/\(name)", past, 0) == 0)
    }
  }

  /// What of a tree must be the same: names, kinds, permissions, times and contents.
  private func picture(_ path: String, _ name: String = "") -> [String] {
    var status = stat()
    let whole = path + name
    guard lstat(whole, &status) == 0, status.kind != S_IFIFO else { return [] }
    var line = "\(name) \(status.kind) \(status.permissions) \(status.st_mtim.tv_sec)"
    line += ".\(status.st_mtim.tv_nsec)"
    if status.isRegular { line += " \(readSmallFile(whole) ?? [])" }
    guard status.isFolder else { return [line] }
    return [line]
      + (folderEntries(whole) ?? []).sorted().flatMap { picture(path, "\(name)/\($0)") }
  }

  /// Everything that somebody can do to a copy.
  static let changes: [(name: String, change: @Sendable (String) -> Void)] = [
    ("nothing", { _ in }),
    ("written", { try? writeSmallFile($0 + "/a", [1]) }),
    (
      "written in place with the old size and time",
      { target in
        var status = stat()
        stat(target + "/a", &status)
        let file = open(target + "/a", O_WRONLY)
        pwrite(file, "b", 1, 0)
        close(file)
        let times = [status.st_atim, status.st_mtim]
        utimensat(AT_FDCWD, target + "/a", times, 0)
      }
    ),
    ("removed", { unlink($0 + "/part/b") }),
    ("folder removed", { removeTree($0 + "/part") }),
    ("added", { try? writeSmallFile($0 + "/part/inner/new", [1]) }),
    ("folder added", { try? makeFolders($0 + "/new/and/more") }),
    ("renamed", { rename($0 + "/part", $0 + "/renamed") }),
    (
      "exchanged",
      { target in
        rename(target + "/part", target + "/x")
        rename(target + "/other", target + "/part")
        rename(target + "/x", target + "/other")
      }
    ),
    ("mode", { chmod($0 + "/part/b", 0o777) }),
    ("mode of a folder", { chmod($0 + "/part", 0o000) }),
    (
      "folder becomes a link",
      { target in
        removeTree(target + "/part")
        symlink("/tmp", target + "/part")
      }
    ),
    (
      "file becomes a folder",
      { target in
        unlink(target + "/a")
        mkdir(target + "/a", 0o700)
      }
    ),
    (
      "link elsewhere",
      { target in
        unlink(target + "/link")
        symlink("/etc/passwd", target + "/link")
      }
    ),
    ("second name", { link($0 + "/a", $0 + "/part/second") }),
    ("fifo", { mkfifo($0 + "/fifo", 0o600) }),
    (
      "a name that is no text",
      { target in
        withPath(Array((target + "/").utf8) + [0xFF]) { path in _ = mkdir(path, 0o700) }
      }
    ),
    ("the root itself", { removeTree($0) }),
  ]

  /// Makes a copy that is kept as far as it can be: nothing is certain of what was noted in the
  /// moment in which it was made.
  private func oldCopy(of source: String, at target: String) throws -> TreeCopy {
    var copy = try TreeCopy(of: source, at: target)
    waitForClock(past: target)
    copy.note([])
    return copy
  }

  @Test(arguments: changes.indices) func theCopyIsMadeAsItWas(index: Int) throws {
    let before = treeStamps(source)
    let wanted = picture(source)
    var copy = try oldCopy(of: source, at: target)
    #expect(picture(target) == wanted)
    for _ in 1...2 {
      Self.changes[index].change(target)
      try copy.restore()
      #expect(picture(target) == wanted, "\(Self.changes[index].name)")
      #expect(!(folderEntries(target) ?? []).contains("fifo"))
      waitForClock(past: target)
      copy.note([])
    }
    #expect(treeStamps(source) == before)
  }

  /// Also what is changed in the moment in which the copy was made is found.
  @Test(arguments: changes.indices) func aNewCopyIsMadeAsItWas(index: Int) throws {
    let wanted = picture(source)
    var copy = try TreeCopy(of: source, at: target)
    Self.changes[index].change(target)
    try copy.restore()
    #expect(picture(target) == wanted, "\(Self.changes[index].name)")
  }

  /// Times do not tell of it on tmpfs.
  @Test(arguments: ["/dev/shm", "/tmp"]) func mappedWritesAreFound(parent: String) throws {
    let folder = try TemporaryFolder(name: "ä b", in: parent)
    let (source, target) = (folder.path(of: "source"), folder.path(of: "target"))
    try makeFolders(source)
    try writeSmallFile(source + "/database", [1, 2, 3])
    try writeSmallFile(source + "/other", [4])
    #expect(truncate(source + "/other", 1 << 30) == 0)
    var copy = try oldCopy(of: source, at: target)
    let other = FileIdentity(path: target + "/other")
    let stamps = treeStamps(target)
    let before = FileStamp(path: target + "/database")
    #expect(writeThroughMapping(target + "/database", 9))
    #expect((FileStamp(path: target + "/database") == before) == (parent == "/dev/shm"))
    #expect(treeStamps(target) != stamps)
    try copy.restore()
    #expect(readSmallFile(target + "/database") == [1, 2, 3])
    #expect(FileIdentity(path: target + "/other") == other)
    #expect(FileStamp(path: target + "/other")?.size == 1 << 30)
  }

  /// Looking at a hole makes zeros of it on tmpfs; that is no change.
  @Test func holesThatWereReadAreNoChange() throws {
    let folder = try TemporaryFolder(in: "/dev/shm")
    let path = folder.path(of: "file")
    try writeSmallFile(path, [])
    #expect(truncate(path, 1 << 20) == 0)
    let before = try #require(stampWithContent(path))
    let file = open(path, O_RDWR | O_CLOEXEC)
    defer { close(file) }
    let memory = try #require(mmap(nil, 1 << 20, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0))
    try #require(memory != MAP_FAILED)
    defer { munmap(memory, 1 << 20) }
    #expect(memory.load(fromByteOffset: 1 << 19, as: UInt8.self) == 0)
    #expect(stampWithContent(path) == before)
    memory.storeBytes(of: 1, toByteOffset: 1 << 19, as: UInt8.self)
    #expect(stampWithContent(path) != before)
    memory.storeBytes(of: 0, toByteOffset: 1 << 19, as: UInt8.self)
    #expect(stampWithContent(path) == before)
  }

  /// That is what it is for.
  @Test func whatWasNotTouchedIsKept() throws {
    var copy = try oldCopy(of: source, at: target)
    let before = FileIdentity(path: target + "/part/b")
    let other = FileIdentity(path: target + "/other/d")
    try writeSmallFile(target + "/part/inner/c", [1])
    try copy.restore()
    #expect(FileIdentity(path: target + "/other/d") == other)
    #expect(FileIdentity(path: target + "/part/b") == before)
  }
}
