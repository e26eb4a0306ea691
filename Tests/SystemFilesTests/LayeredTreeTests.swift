import Glibc
import SystemFiles
import TestSupport
import Testing

@Suite struct LayeredTreeTests {
  private let folder: TemporaryFolder
  private var lower: String { folder.path(of: "lower") }
  private var upper: String { folder.path(of: "upper") }
  private var tree: LayeredTree { LayeredTree(upper: upper, over: lower) }

  init() throws {
    folder = try TemporaryFolder(name: "ä b")
    try makeFolders(lower)
    try makeFolders(upper)
  }

  private func write(_ path: String, _ text: String = "x", mode: mode_t = 0o600) throws {
    try makeFolders(SystemFiles.folder(of: path))
    try writeSmallFile(path, Array(text.utf8), mode: mode)
  }

  /// Hides a name of the lower folder.
  private func hide(_ name: String) throws {
    try #require(mknod("\(upper)/\(name)", S_IFCHR, 0) == 0)
  }

  /// Hides all that a lower folder has.
  private func makeOpaque(_ name: String) async throws {
    let result = try await runProcess(
      [
        "/usr/bin/python3", "-c",
        "import os,sys; os.setxattr(sys.argv[1], 'user.overlay.opaque', b'y')",
        "\(upper)/\(name)",
      ])
    try #require(result.status == 0, "\(result.errorText)")
  }

  private func text(_ name: String) -> String? {
    readSmallFile("\(upper)/\(name)").map { String(decoding: $0, as: UTF8.self) }
  }

  @Test func theUpperFolderGetsWhatIsSeen() async throws {
    try write("\(lower)/kept", "kept", mode: 0o640)
    try write("\(lower)/changed", "old")
    try write("\(lower)/gone")
    try write("\(lower)/whole/inner/file", "inner")
    try write("\(lower)/part/kept", "kept")
    try write("\(lower)/part/gone")
    try write("\(lower)/opaque/old")
    try write("\(lower)/folder of old/file")
    try write("\(lower)/file of old")
    symlink("kept", "\(lower)/link")
    let odd = Array("\(lower)/".utf8) + [0xFF]
    withPath(odd) { path in #expect(close(open(path, O_CREAT | O_WRONLY, 0o600)) == 0) }
    try write("\(upper)/changed", "new")
    try hide("gone")
    try makeFolders("\(upper)/part")
    try hide("part/gone")
    try write("\(upper)/part/new", "new")
    chmod("\(upper)/part", 0o500)
    try write("\(upper)/opaque/new", "new")
    try await makeOpaque("opaque")
    try write("\(upper)/folder of old", "now a file")
    try write("\(upper)/file of old/in", "now a folder")
    let past = [timespec(tv_sec: 1000, tv_nsec: 5), timespec(tv_sec: 2000, tv_nsec: 7)]
    #expect(utimensat(AT_FDCWD, "\(upper)/part", past, 0) == 0)
    #expect(utimensat(AT_FDCWD, "\(lower)/whole/inner", past, 0) == 0)
    let before = treeStamps(lower)?.map { [$0.size, Int($0.mode), $0.modified.seconds] }

    try tree.flatten()

    #expect(
      Set(folderEntries(upper) ?? []) == [
        "kept", "changed", "whole", "part", "opaque", "folder of old", "file of old", "link",
        "\u{FFFD}",
      ])
    #expect(text("kept") == "kept" && text("changed") == "new")
    #expect(text("whole/inner/file") == "inner")
    #expect(Set(folderEntries(upper + "/part") ?? []) == ["kept", "new"])
    #expect(folderEntries(upper + "/opaque") == ["new"])
    #expect(text("folder of old") == "now a file")
    #expect(folderEntries(upper + "/file of old") == ["in"])
    var status = stat()
    #expect(lstat(upper + "/link", &status) == 0 && status.isLink)
    #expect(lstat(upper + "/kept", &status) == 0 && status.permissions == 0o640)
    for name in ["part", "whole/inner"] {
      #expect(stat("\(upper)/\(name)", &status) == 0 && status.st_mtim.tv_sec == 2000)
    }
    #expect(stat(upper + "/part", &status) == 0 && status.permissions == 0o500)
    // The lower one is as it was.
    #expect(treeStamps(lower)?.map { [$0.size, Int($0.mode), $0.modified.seconds] } == before)
  }

  @Test func onlyWhatIsSeenOfTheLowerFolderIsCounted() async throws {
    let block = String(repeating: "x", count: 100_000)
    for name in ["a", "b", "gone", "part/a", "opaque/a", "whole/a"] {
      try write("\(lower)/\(name)", block)
    }
    func size() -> Int { tree.lowerSize(limit: 1 << 30) }
    let all = size()
    #expect(all >= 600_000)
    try write("\(upper)/a")
    try hide("gone")
    try makeFolders("\(upper)/part")
    try makeFolders("\(upper)/opaque")
    try await makeOpaque("opaque")
    #expect(size() <= all - 300_000 && size() >= 300_000)
    #expect(tree.lowerSize(limit: 1000) > 1000)
    #expect(tree.lowerSize(limit: 1 << 30, entries: 1) == 0)
  }

  @Test func whatCannotBePutTogetherIsAnError() throws {
    removeTree(lower)
    #expect(throws: FileError.self) { try tree.flatten() }
  }
}
