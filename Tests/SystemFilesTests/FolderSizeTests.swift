import Glibc
import SystemFiles
import TestSupport
import Testing

@Suite struct FolderSizeTests {
  @Test func everythingBelowCounts() throws {
    let folder = try TemporaryFolder()
    try makeFolders(folder.path(of: "a/b"))
    try writeSmallFile(folder.path(of: "a/b/file"), [UInt8](repeating: 1, count: 100_000))
    symlink("/usr", folder.path(of: "a/link"))
    let size = folderSize(folder.path, limit: .max)
    #expect((100_000...200_000).contains(size))
    // It ends early when there is more than anybody wants to know.
    try writeSmallFile(folder.path(of: "a/b/second"), [UInt8](repeating: 1, count: 100_000))
    #expect(folderSize(folder.path, limit: 1) < 200_000)
    #expect(folderSize(folder.path(of: "nothing"), limit: 1) == 0)
    #expect(folderSize(folder.path, limit: .max, entries: 1) < 100_000)
  }
}

@Suite struct DiskUsageTests {
  private func write(_ path: String, bytes: Int) throws {
    try writeSmallFile(path, [UInt8](repeating: 1, count: bytes))
  }

  @Test func whatHasAnotherNameFreesNothing() throws {
    let folder = try TemporaryFolder()
    let inside = folder.path(of: "inside")
    try makeFolders("\(inside)/below")
    try write("\(inside)/below/x", bytes: 500_000)
    let before = DiskUsage(of: inside)
    #expect((500_000...600_000).contains(before.bytes) && before.freed == before.bytes)
    #expect(link("\(inside)/below/x", "\(inside)/y") == 0)
    let twice = DiskUsage(of: inside)
    #expect(twice.bytes == before.bytes && twice.freed == before.bytes)
    #expect(link("\(inside)/y", folder.path(of: "outside")) == 0)
    let after = DiskUsage(of: inside)
    #expect(after.bytes == before.bytes && before.freed - after.freed >= 500_000)
  }

  @Test func foldersThatShareFilesAreCountedTogether() throws {
    let folder = try TemporaryFolder()
    let paths = ["a", "b", "c"].map { folder.path(of: $0) }
    for path in paths { try makeFolders(path) }
    try write("\(paths[0])/x", bytes: 500_000)
    #expect(link("\(paths[0])/x", "\(paths[1])/x") == 0)
    try write("\(paths[2])/x", bytes: 300_000)
    let usages = paths.map { DiskUsage(of: $0) }
    var common = CommonDiskUsage(usages)
    #expect((800_000...900_000).contains(common.bytes))
    let first = common.remove(usages[0])
    #expect(first < 50_000 && common.bytes > 800_000)
    #expect(common.remove(usages[1]) >= 500_000 && common.bytes < 400_000)
    #expect(common.remove(usages[2]) == usages[2].bytes && common.bytes == 0)
  }

  @Test func linksAreNotFollowedAndNothingTakesNothing() throws {
    let folder = try TemporaryFolder()
    symlink("/usr", folder.path(of: "link"))
    #expect(DiskUsage(of: folder.path).bytes < 50_000)
    #expect(DiskUsage(of: folder.path(of: "link")).bytes == 0)
    #expect(DiskUsage(of: folder.path(of: "nothing")) == DiskUsage())
  }
}
