import FoundationEssentials
import SystemFiles
import TestSupport
import Testing

@Suite struct ELFDynamicTests {
  /// This test's own executable needs XCTest or Testing, and says where they are.
  @Test func ownExecutable() throws {
    let path = try #require(existingPath("/proc/self/exe"))
    let dynamic = try #require(ELFDynamic(of: path))
    #expect(dynamic.needed.contains("libswiftCore.so") && dynamic.needed.contains("libc.so.6"))
    #expect(Set(dynamic.needed).count == dynamic.needed.count)
    #expect(
      dynamic.searchFolders.contains {
        FileManager.default.fileExists(atPath: "\($0)/libswiftCore.so")
      })
    // `$ORIGIN` is the folder of the executable.
    #expect(dynamic.searchFolders.contains(folder(of: path)))
  }

  @Test func otherFilesHaveNone() throws {
    let folder = try TemporaryFolder()
    #expect(ELFDynamic(of: folder.path(of: "none")) == nil && ELFDynamic(of: folder.path) == nil)
    let script = folder.path(of: "script")
    try writeSmallFile(script, Array("#!/bin/sh\nexit 0\n".utf8))
    #expect(ELFDynamic(of: script) == nil)
  }

  /// Whatever is wrong with the bytes, nothing is read out of bounds.
  @Test func damagedFiles() throws {
    let folder = try TemporaryFolder()
    let library = try #require(
      ["/lib/x86_64-linux-gnu/libm.so.6", "/lib/aarch64-linux-gnu/libm.so.6", "/lib64/libm.so.6"]
        .compactMap { readSmallFile($0) }.first)
    let path = folder.path(of: "library")
    var random = SeededGenerator(seed: 7)
    for _ in 0..<200 {
      var bytes = Array(library.prefix(Int.random(in: 64...4096, using: &random)))
      for _ in 0..<20 {
        bytes[Int.random(in: 16..<bytes.count, using: &random)] = .random(
          in: 0...255, using: &random)
      }
      try writeSmallFile(path, bytes)
      let dynamic = ELFDynamic(of: path)
      #expect((dynamic?.needed.count ?? 0) <= 4096)
    }
  }
}
