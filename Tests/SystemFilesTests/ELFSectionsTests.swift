import SystemFiles
import TestSupport
import Testing

@Suite struct ELFSectionsTests {
  @Test func sectionsOfExecutables() throws {
    let own = try #require(resolvedPath("/proc/self/exe"))
    #expect(hasSection(".text", inExecutable: own))
    #expect(!hasSection(".tex", inExecutable: own) && !hasSection("text", inExecutable: own))
    let folder = try TemporaryFolder()
    let path = folder.path(of: "file")
    #expect(!hasSection(".text", inExecutable: path))
    let header = try #require(readEnd(of: own, bytes: 1 << 30)).bytes.prefix(64)
    for length in 0...64 {
      try writeSmallFile(path, Array(header.prefix(length)))
      #expect(!hasSection(".text", inExecutable: path))
    }
  }
}
