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
  @Test func aProgramThatLostItsEndIsNotWhole() throws {
    let own = try #require(resolvedPath("/proc/self/exe"))
    let contents = try #require(readEnd(of: own, bytes: 1 << 30)).bytes
    let folder = try TemporaryFolder()
    let path = folder.path(of: "file")
    #expect(isWholeProgram(own) && !isWholeProgram(path))
    for length in [0, 63, 64, contents.count / 2, contents.count - 1] {
      try writeSmallFile(path, Array(contents.prefix(length)))
      #expect(!isWholeProgram(path), "\(length) of \(contents.count) bytes")
    }
    // Stripped of its table: its place, and the number of sections.
    var header = Array(contents.prefix(64))
    for index in [40, 41, 42, 43, 44, 45, 46, 47, 60, 61] { header[index] = 0 }
    try writeSmallFile(path, header)
    #expect(isWholeProgram(path))
  }
}
