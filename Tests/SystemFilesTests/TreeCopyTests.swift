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

  /// Waits until the clock by which files are stamped stands later than a last change.
  private func waitForClock(past path: String) throws {
    var (status, clock) = (stat(), timespec())
    #expect(stat(path, &status) == 0)
    let changed = status.st_ctim
    repeat {
      clock_gettime(CLOCK_REALTIME_COARSE, &clock)
    } while (clock.tv_sec, clock.tv_nsec) <= (changed.tv_sec, changed.tv_nsec)
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

  @Test(arguments: changes.indices) func theCopyIsMadeAsItWas(index: Int) throws {
    let before = treeStamps(source)
    let wanted = picture(source)
    var copy = try TreeCopy(of: source, at: target)
    #expect(picture(target) == wanted)
    for _ in 1...2 {
      Self.changes[index].change(target)
      try copy.restore()
      #expect(picture(target) == wanted, "\(Self.changes[index].name)")
      #expect(!(folderEntries(target) ?? []).contains("fifo"))
    }
    #expect(treeStamps(source) == before)
  }

  /// That is what it is for.
  @Test func whatWasNotTouchedIsKept() throws {
    var copy = try TreeCopy(of: source, at: target)
    // Nothing is certain of what was noted in the moment in which it was made.
    try waitForClock(past: target)
    copy.note([])
    let before = FileIdentity(path: target + "/part/b")
    let other = FileIdentity(path: target + "/other/d")
    try writeSmallFile(target + "/part/inner/c", [1])
    try copy.restore()
    #expect(FileIdentity(path: target + "/other/d") == other)
    #expect(FileIdentity(path: target + "/part/b") == before)
  }
}
