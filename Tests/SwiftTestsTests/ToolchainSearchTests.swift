import FoundationEssentials
import SwiftTests
import SystemFiles
import TestSupport
import Testing

@Suite struct ToolchainSearchTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder(name: "tööl chains") }

  @discardableResult
  private func makeToolchain(
    _ path: String, programs: [String] = ["swift", "swiftc", "clang"]
  ) throws -> String {
    let bin = folder.path(of: path)
    try makeFolders(bin)
    for name in programs {
      try writeSmallFile("\(bin)/\(name)", Array("#!/bin/sh\n".utf8), mode: 0o755)
    }
    return bin
  }

  private func link(_ path: String, to target: String) throws {
    try FileManager.default.createSymbolicLink(
      atPath: folder.path(of: path), withDestinationPath: target)
  }

  @Test func theFirstWholeOneOnPathIsTaken() throws {
    let part = try makeToolchain("part", programs: ["swift"])
    let whole = try makeToolchain("whole/usr/bin")
    let other = try makeToolchain("other/usr/bin")
    let search = ToolchainSearch(environment: ["PATH": "/none::\(part):\(whole):\(other)"])
    #expect(search.onPath()?.binFolder == whole)
    #expect(search.installed().prefix(2).map(\.binFolder) == [whole, other])
    #expect(ToolchainSearch(environment: ["PATH": part]).onPath() == nil)
    #expect(ToolchainSearch(environment: [:]).onPath() == nil)
  }

  @Test func linksLeadToTheToolchain() throws {
    let bin = try makeToolchain("real/usr/bin")
    try makeFolders(folder.path(of: "links"))
    try link("links/swift", to: "\(bin)/swift")
    let links = folder.path(of: "links")
    #expect(ToolchainSearch(environment: ["PATH": links]).onPath()?.binFolder == bin)
    #expect(try ToolchainSearch.toolchain(at: links).binFolder == bin)
  }

  @Test(arguments: ["", "/usr", "/usr/bin", "/usr/bin/swift", "/usr/bin/swiftc"])
  func everyPartNamesTheToolchain(part: String) throws {
    let bin = try makeToolchain("t/usr/bin")
    #expect(try ToolchainSearch.toolchain(at: folder.path(of: "t") + part).binFolder == bin)
  }

  @Test func otherPathsAreErrors() throws {
    try makeToolchain("part/usr/bin", programs: ["swift"])
    for (name, reason) in [("none", "there is no toolchain at"), ("part", "is no toolchain")] {
      let error = #expect(throws: SwiftTestsError.self) {
        try ToolchainSearch.toolchain(at: folder.path(of: name))
      }
      #expect(error?.code == .invalidToolchainRequest)
      #expect(error?.message.contains(reason) == true && error?.message.contains(name) == true)
    }
  }

  /// swiftly's proxies choose by the folder that they are called in; its default counts.
  @Test func proxiesAreLookedThrough() throws {
    let home = folder.path(of: "home")
    let bin = try makeToolchain("home/.local/share/swiftly/toolchains/6.3.1/usr/bin")
    let other = try makeToolchain("home/.local/share/swiftly/toolchains/6.2.0/usr/bin")
    let proxies = try makeToolchain("home/.local/share/swiftly/bin", programs: ["swiftly"])
    for name in ["swift", "swiftc"] {
      try link("home/.local/share/swiftly/bin/\(name)", to: "swiftly")
    }
    let search = ToolchainSearch(environment: ["PATH": proxies, "HOME": home])
    #expect(search.onPath() == nil)
    try writeSmallFile(
      home + "/.local/share/swiftly/config.json", Array(#"{"inUse": "6.3.1"}"#.utf8))
    #expect(search.onPath()?.binFolder == bin)
    #expect(Set([bin, other]).isSubset(of: search.installed().map(\.binFolder)))
    let elsewhere = ToolchainSearch(environment: [
      "SWIFTLY_HOME_DIR": home + "/.local/share/swiftly", "PATH": proxies,
    ])
    #expect(elsewhere.onPath()?.binFolder == bin)
  }

  @Test func foldersWithOtherRuntimesAreTakenOut() throws {
    let bin = try makeToolchain("t/usr/bin")
    let runtime = folder.path(of: "t/usr/lib/swift/linux")
    for (place, library) in [
      ("t/usr/lib/swift/linux", "libswiftCore.so"), ("wrong", "libswiftCore.so"),
      ("own", "libMine.so"),
    ] {
      try makeFolders(folder.path(of: place))
      try writeSmallFile(folder.path(of: "\(place)/\(library)"), [])
    }
    let toolchain = Toolchain(binFolder: bin)
    func kept(_ folders: String...) -> String? {
      toolchain.environment(["LD_LIBRARY_PATH": folders.joined(separator: ":")])["LD_LIBRARY_PATH"]
    }
    let (wrong, own) = (folder.path(of: "wrong"), folder.path(of: "own"))
    #expect(kept(wrong) == nil && kept(wrong, own) == own)
    #expect(kept(own, runtime) == "\(own):\(runtime)")
    #expect(kept(folder.path(of: "none")) == folder.path(of: "none"))
    #expect(toolchain.environment(["A": "b"]) == ["A": "b"])
  }

  @Test func buildsFindThisToolchainFirst() throws {
    let toolchain = Toolchain(binFolder: try makeToolchain("t/usr/bin"))
    let environment = toolchain.buildEnvironment([
      "PATH": "/fake:/usr/bin", "SWIFT_EXEC": "/fake/swiftc", "SWIFT_EXEC_MANIFEST": "/fake/swiftc",
      "SWIFTPM_CUSTOM_BIN_DIR": "/fake", "KEPT": "1",
    ])
    #expect(
      toolchain.buildEnvironment([:])
        == ["PATH": "\(toolchain.binFolder):/usr/local/bin:/usr/bin:/bin"])
    #expect(environment == ["PATH": "\(toolchain.binFolder):/fake:/usr/bin", "KEPT": "1"])
  }

  /// This test's own executable loads its toolchain's libraries, and XCTest's own ones as well.
  @Test func librariesOfThisExecutable() throws {
    let path = try #require(existingPath("/proc/self/exe"))
    let core = try #require(
      String(decoding: readSmallFile("/proc/self/maps") ?? [], as: UTF8.self)
        .split(separator: "\n").compactMap { $0.split(separator: " ").last.map { String($0) } }
        .first { $0.hasSuffix("/libswiftCore.so") })
    let runtime = SystemFiles.folder(of: core)
    let libraries = RuntimeLibraries(of: [path], runtimeFolder: runtime)
    #expect(libraries.folders == [runtime] && libraries.unresolved == [])
    #expect(libraries.loaded["libswiftCore.so"] == core)
    // Needed only by a library that is needed.
    #expect(libraries.loaded["lib_FoundationICU.so"] != nil)
    #expect(libraries.loaded["libc.so.6"] == nil)
    // Where nothing leads to them.
    let copy = folder.path(of: "copy")
    try writeSmallFile(copy, try #require(readSmallFile(core)))
    let alone = RuntimeLibraries(of: [copy, folder.path(of: "none")], runtimeFolder: runtime)
    #expect(alone.loaded.isEmpty && alone.unresolved.isEmpty)
  }
}
